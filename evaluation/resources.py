"""Where the project's own worlds, robots and trials lie, installed or in the source tree."""

from __future__ import annotations

import os
from pathlib import Path

from evaluation.errors import EvaluationError


def share_folders() -> list[Path]:
    """Return folders that hold worlds/, urdf/ and config/, the source tree first."""
    source = Path(__file__).resolve().parent.parent
    folders = [source] if (source / "worlds").is_dir() else []
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        share = Path(prefix) / "share" / "truthbed"
        if prefix and share.is_dir():
            folders.append(share)
    return folders


def find_resource(name: str, kind: str, beside: Path) -> Path | None:
    """Find a file beside another one, or in the `kind` folder (`worlds`, ...) of the project."""
    for folder in (beside, beside.parent.parent / kind, *(s / kind for s in share_folders())):
        candidate = (folder / name).resolve()
        if candidate.is_file():
            return candidate
    return None


def find_trial(name: str) -> Path | None:
    """Find a trial by path, or by name among the project's own."""
    given = Path(name)
    if given.is_file():
        return given
    for folder in share_folders():
        for candidate in (folder / "config/trials" / name, folder / f"config/trials/{name}.yaml"):
            if candidate.is_file():
                return candidate
    return None


def trial_file(name: str) -> Path:
    """Find a trial as `find_trial`; EvaluationError with the names there are where it is none."""
    found = find_trial(name)
    if found is None:
        files = (path for folder in share_folders() for path in folder.glob("config/trials/*.yaml"))
        ours = ", ".join(sorted({path.stem for path in files})) or "none is installed"
        raise EvaluationError(f"trial '{name}': neither a file nor one of ours ({ours})")
    return found
