"""Reads the node's `models` parameter, and finds the files that it names."""

from __future__ import annotations

import shlex
from pathlib import Path

from scene_sim.options import ModelSpec
from spatial_types.parameters import ParameterError
from spatial_types.transforms import Transform

FORM = "FILE [x y yaw] [xacro_argument:=value ...]"


def find_file(name: str, share: Path) -> Path:
    """Return the file as given, or below the package's share folder; ParameterError if absent."""
    for path in (Path(name), share / name):
        if path.is_file():
            return path
    place = share / name
    beside = place.parent.glob("*" + place.suffix) if share in place.parents else ()
    ours = sorted(path.name for path in beside if path.is_file())
    hint = f"; in '{place.parent}' are {', '.join(ours)}" if ours else ""
    raise ParameterError(f"'{name}': no such file, nor '{place}'{hint}")


def files_from_text(text: str, share: Path) -> list[Path]:
    """Return one file, or several with spaces between; ParameterError if one is absent."""
    try:
        return [find_file(text, share)]
    except ParameterError:
        if " " not in text:
            raise
    return [find_file(name, share) for name in text.split()]


def model_from_text(text: str, share: Path) -> ModelSpec:
    """Read one entry: `FILE [x y yaw] [xacro_argument:=value ...]` (metres, radians).

    The argument `name:=...` names the model instead of going to xacro. ParameterError otherwise.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ParameterError(f"models: '{text}': {error}") from None
    arguments = dict(word.split(":=", 1) for word in words[1:] if ":=" in word)
    numbers = [word for word in words[1:] if ":=" not in word]
    if not words or len(numbers) not in (0, 3):
        raise ParameterError(f"models: '{text}': expected {FORM}")
    try:
        x, y, yaw = (float(word) for word in numbers) if numbers else (0.0, 0.0, 0.0)
    except ValueError:
        raise ParameterError(f"models: '{text}': expected {FORM}") from None
    return ModelSpec(
        file=find_file(words[0], share),
        name=arguments.pop("name", ""),
        pose=Transform.planar(x, y, yaw),
        arguments=arguments,
    )
