"""docs/field_cases.md names tests; each must exist, and every case must have one."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/field_cases.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([LSEV]\d+) .*$", PAGE, re.MULTILINE)


def functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_named_test_exists():
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)
    assert len(named) > 40
    missing = []
    for path, name in named:
        file = ROOT / (path if path.startswith("underlay/") else f"test/{path}")
        if not file.is_file() or name not in functions(file):
            missing.append(f"{path}::{name}")
    assert not missing


def test_every_case_has_a_test():
    wanted = {
        f"{kind}{k}" for kind, last in (("L", 8), ("S", 8), ("E", 6)) for k in range(1, last + 1)
    }
    wanted |= {f"V{k}" for k in (*range(1, 8), 9, 11, 12, 14, 15, 16, 17)}
    assert set(ROWS) == wanted
    for line in PAGE.splitlines():
        if re.match(r"\| [LSEDV]\d+ ", line):
            assert ".py::" in line
