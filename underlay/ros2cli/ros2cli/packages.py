"""Find packages, their executables and their files through the ament index."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
    get_packages_with_prefixes,
)

from ros2cli.cli import CommandError

__all__ = [
    "PackageNotFoundError",
    "executable_in_package",
    "executables",
    "file_in_share",
    "get_package_prefix",
    "get_package_share_directory",
    "package_names",
]


def package_names() -> list[str]:
    """Names of all packages, sorted."""
    return sorted(get_packages_with_prefixes())


def executables(package: str) -> list[Path]:
    """Paths of all executables below `lib/<package>`, sorted.

    Raises:
        CommandError: the package is unknown.
    """
    try:
        folder = Path(get_package_prefix(package)) / "lib" / package
    except (PackageNotFoundError, ValueError) as error:
        raise CommandError(f"Package '{package}' not found") from error
    return sorted(path for path in folder.rglob("*") if path.is_file() and os.access(path, os.X_OK))


def executable_in_package(package: str, name: str) -> Path | None:
    """Path of an executable below `lib/<package>`, or None.

    Raises:
        CommandError: the package is unknown, or several executables have that name.
    """
    found = [path for path in executables(package) if path.name == name]
    if len(found) > 1:
        listing = "".join(f"\n- {path}" for path in found)
        raise CommandError(f"Multiple executables found:{listing}")
    return found[0] if found else None


def file_in_share(package: str, name: str) -> Path:
    """The one file called `name` anywhere below the package's share folder.

    Raises:
        CommandError: no such package, no such file, or more than one.
    """
    try:
        share = Path(get_package_share_directory(package))
    except (PackageNotFoundError, ValueError) as error:
        raise CommandError(f"Package '{package}' not found: {error}") from error
    found = [
        Path(folder) / name
        for folder, _, files in os.walk(share, followlinks=True)
        if name in files
    ]
    where = f"the share directory of package '{package}'"
    if not found:
        raise CommandError(f"file '{name}' was not found in {where} which is at '{share}'")
    if len(found) > 1:
        listing = ", ".join(f"'{path}'" for path in sorted(found))
        raise CommandError(f"file '{name}' was found more than once in {where}: [{listing}]")
    return found[0]
