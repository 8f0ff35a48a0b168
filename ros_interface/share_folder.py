"""Where the package's worlds, descriptions and parameters lie."""

from __future__ import annotations

from pathlib import Path


def share_folder() -> Path:
    """Return the package's installed share folder, or the source tree it runs from."""
    try:
        from ament_index_python.packages import get_package_share_directory

        return Path(get_package_share_directory("truthbed"))
    except Exception:  # not installed: PackageNotFoundError, or no index at all
        return Path(__file__).resolve().parents[1]
