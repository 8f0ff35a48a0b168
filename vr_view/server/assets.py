"""URLs for the meshes and textures that a scene names, and for nothing else on the disk."""

from __future__ import annotations

import hashlib
from pathlib import Path

PREFIX = "/assets/"
MESH_FOLDERS = ("mesh", "meshes", "visual", "collision")
# What a mesh may refer to beside itself, and the types that a browser is told.
CONTENT_TYPES = {
    ".bin": "application/octet-stream",
    ".dae": "model/vnd.collada+xml",
    ".glb": "model/gltf-binary",
    ".gltf": "model/gltf+json",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".mtl": "text/plain",
    ".obj": "text/plain",
    ".png": "image/png",
    ".stl": "model/stl",
    ".webp": "image/webp",
}


class Assets:
    """A folder of each file that was asked for stands behind a number that tells no path.

    Files lie below it as on the disk, so that what a mesh names relative to itself is found.
    """

    def __init__(self) -> None:
        self._folders: dict[str, Path] = {}

    def url(self, file: Path) -> str:
        """Return the URL of a file that a description names, and let it be read."""
        file = file.resolve()
        folder = file.parent
        if folder.name.lower() in MESH_FOLDERS:
            folder = folder.parent  # meshes name their textures as ../materials/...
        key = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
        self._folders[key] = folder
        return f"{PREFIX}{key}/{file.relative_to(folder).as_posix()}"

    def file(self, key: str, path: str) -> Path | None:
        """Return the file behind /assets/KEY/PATH; None where there is none that may be read.

        Links and `..` that lead out of the folder lead nowhere, and so do other types of files.
        """
        folder = self._folders.get(key)
        if folder is None or "\0" in path:
            return None
        try:
            found = (folder / path).resolve()
            inside = found.is_relative_to(folder)
            readable = found.suffix.lower() in CONTENT_TYPES and found.is_file()
        except (OSError, ValueError):
            return None
        return found if inside and readable else None
