"""Finds the files that a description names by URI: file://, model://, package://, plain paths."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from .source import DescriptionError, Source

MODEL_PATH_VARIABLES = (
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "SDF_PATH",
    "GAZEBO_MODEL_PATH",
)
_PACKAGE_NAME = re.compile(r"<name>\s*([\w.-]+)\s*</name>")


class ResourceFinder:
    """Resolves URIs.

    `model_paths` are folders that hold model folders (`model://NAME/...`); the environment's
    GZ_SIM_RESOURCE_PATH and its older names come after them. `packages` maps ROS package names to
    folders and goes before the source tree around the file and the ament index.
    """

    def __init__(
        self, model_paths: Sequence[Path] = (), packages: dict[str, Path] | None = None
    ) -> None:
        listed = (os.environ.get(name, "") for name in MODEL_PATH_VARIABLES)
        variables = (path for paths in listed for path in paths.split(os.pathsep) if path)
        self.model_paths = [*map(Path, model_paths), *map(Path, variables)]
        self.packages = dict(packages or {})

    def resolve(self, uri: str, source: Source) -> Path:
        """Return the existing file or folder that `uri`, written at `source`, names.

        Raises DescriptionError where the scheme is unknown or nothing is found; the text says
        where was looked.
        """
        candidates = list(self._candidates(uri.strip(), source))
        for path in candidates:
            if path.exists():
                return path.resolve()
        looked = ", ".join(dict.fromkeys(str(path) for path in candidates)) or "nowhere"
        raise DescriptionError(source, f"'{uri}' was not found; looked at {looked}")

    def _candidates(self, uri: str, source: Source) -> Iterator[Path]:
        scheme, separator, rest = uri.partition("://")
        beside = Path(source.file).parent
        if not separator:
            yield beside / uri
            yield from (folder / uri for folder in self.model_paths)
        elif scheme == "file":
            yield beside / rest
        elif scheme == "model":
            folders = [*self.model_paths, beside, *list(beside.resolve().parents)[:2]]
            yield from (folder / rest for folder in folders)
        elif scheme == "package":
            yield from self._in_package(rest, source)
        elif scheme in ("http", "https"):
            raise DescriptionError(source, f"'{uri}' lies on a server: fetch it and name the copy")
        else:
            expected = "expected file://, model://, package:// or a path"
            raise DescriptionError(source, f"'{uri}' has an unknown scheme; {expected}")

    def _in_package(self, rest: str, source: Source) -> Iterator[Path]:
        name, _, inside = rest.partition("/")
        if not name:
            raise DescriptionError(source, "'package://' names no package")
        yield from (folder / inside for folder in self.package_folders(name, source))

    def package_folders(self, name: str, source: Source) -> list[Path]:
        """Return the folders that may be package `name`: given, around the file, ament index.

        Raises DescriptionError where there is none.
        """
        folders = [self.packages[name]] if name in self.packages else []
        folders += [
            folder
            for folder in Path(source.file).resolve().parents
            if _package_name(folder / "package.xml") == name
        ]
        prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        folders += [Path(prefix) / "share" / name for prefix in prefixes if prefix]
        found = [folder for folder in folders if folder.is_dir()]
        if not found:
            where = "around this file or in AMENT_PREFIX_PATH"
            raise DescriptionError(source, f"package '{name}' was not found {where}")
        return found


def _package_name(manifest: Path) -> str:
    try:
        match = _PACKAGE_NAME.search(manifest.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    return match.group(1) if match else ""
