"""Trial files: `spatial_types.yaml_file` with the errors of this room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluation.errors import TrialError
from spatial_types import yaml_file
from spatial_types.yaml_file import Section

__all__ = ["Section", "read_yaml"]


def read_yaml(path: Path, overrides: dict[str, Any] | None = None) -> Section:
    """Read a trial file. Raises TrialError, as every getter of the section does."""
    return yaml_file.read_yaml(path, overrides, TrialError)
