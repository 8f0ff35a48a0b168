"""Point the ROS wheels' CMake files at this virtual environment.

The message wheels export CMake targets that name the Python headers and the NumPy headers of the
machine that built them (`/opt/python/cp311-cp311/...`), so no message package could be built
against them. This rewrites those two folders, whatever the interpreter's version, and fails if
any other path below /opt/python is left, for then the wheels changed and the build would fail
with a less clear error.

Run it with the virtual environment's own interpreter; a second run changes nothing.
"""

import re
import sys
import sysconfig
from pathlib import Path

import numpy

BUILDER = r"/opt/python/[^/;\"\s]+"
NUMPY_HEADERS = re.compile(BUILDER + r"/lib/python[\d.]+t?/site-packages/numpy/_?core/include")
PYTHON_HEADERS = re.compile(BUILDER + r"/include/python[\d.]+t?")


def rewrite(text: str, python_headers: str, numpy_headers: str) -> str:
    """The CMake text with the builder's header folders replaced by ours."""
    text = NUMPY_HEADERS.sub(lambda _: numpy_headers, text)
    return PYTHON_HEADERS.sub(lambda _: python_headers, text)


def main() -> int:
    """Rewrite every CMake file below the environment's share folder; 1 if a path is left."""
    unknown = []
    for path in Path(sys.prefix, "share").rglob("*.cmake"):
        text = path.read_text(encoding="utf-8")
        if "/opt/python/" not in text:
            continue
        rewritten = rewrite(text, sysconfig.get_path("include"), numpy.get_include())
        path.write_text(rewritten, encoding="utf-8")
        unknown += [f"{path}: {left}" for left in re.findall(r"/opt/python/[^;\"\s]+", rewritten)]
    for line in unknown:
        print(f"point_wheels_here: do not know what this folder should be: {line}", file=sys.stderr)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
