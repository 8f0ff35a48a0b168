"""The page's own unit tests, its types, and its size; without npm or its packages they skip."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "vr_view/page"
MOST_COMPRESSED = 1.5e6  # bytes


def run_npm(*arguments):
    node_modules = PAGE / "node_modules"
    npm = shutil.which("npm")
    if npm is None or not node_modules.is_dir():
        pytest.skip("needs npm and the page's packages: run `make page` first")
    return subprocess.run(
        [npm, "run", "--silent", *arguments], cwd=PAGE, capture_output=True, text=True, check=False
    )


def test_unit_tests_of_the_page():
    done = run_npm("test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"# pass (\d+)", done.stdout)[1]) > 10


def test_types_of_the_page():
    done = run_npm("check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_packages_are_pinned_and_name_no_registry():
    lock = (PAGE / "package-lock.json").read_text(encoding="utf-8")
    assert "http://" not in lock
    assert '"resolved"' not in lock
    package = (PAGE / "package.json").read_text(encoding="utf-8")
    versions = re.findall(r'"(?:three|esbuild|iwer|typescript|@types/\w+)": "([^"]*)"', package)
    assert len(versions) == 7
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)


@pytest.fixture
def built():
    if not (PAGE / "dist/index.html").is_file():
        pytest.skip("needs the built page: run `make page` first")
    return [file for file in (PAGE / "dist").iterdir() if file.is_file()]


def test_size_of_the_page(built):
    assert 1e5 < sum(len(gzip.compress(file.read_bytes())) for file in built) < MOST_COMPRESSED


def test_page_loads_nothing_from_elsewhere(built):
    """V17: the page works off line; what it may name elsewhere are licences and namespaces."""
    for file in built:
        if file.suffix in (".html", ".css"):
            assert not re.search(r"(src|href|url\()\W*https?:", file.read_text(encoding="utf-8"))
        if file.suffix == ".js":
            text = file.read_text(encoding="utf-8")
            assert not re.search(r"(import\(|from\s*|fetch\()[\"'`]https?:", text)


def test_images_need_no_webrtc(built):
    """V5: a browser that never finishes an offer cannot hold anything up."""
    assert not [file.name for file in built if b"RTCPeerConnection" in file.read_bytes()]
