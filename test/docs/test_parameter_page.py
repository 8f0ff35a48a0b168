import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_the_code_says():
    page = runpy.run_path(str(DOCS / "write_parameters.py"))["page"]()
    assert page == (DOCS / "parameters.md").read_text(encoding="utf-8"), "run `make docs`"
