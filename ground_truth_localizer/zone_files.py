"""Acceptance zones from parameters and from YAML files.

A zone file names its `kind` and holds, for `rectangle`: box [x_min, y_min, x_max, y_max]; for
`polygon`: outline [[x, y], ...] and holes, a list of such lists; for `learnt`: angle_min,
angle_increment, background, spread, returns (see LearntZone; null for a beam that never returns).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ground_truth_localizer.acceptance_zone import (
    AcceptanceZone,
    LearntZone,
    OpenZone,
    PolygonZone,
    RectangleZone,
    ZoneError,
)
from ground_truth_localizer.laser_parameters import LaserParameters
from spatial_types.suggestions import suggestion


def zone_from_parameters(parameters: LaserParameters) -> AcceptanceZone:
    """Build the zone that the parameters describe; ZoneError where a file is wrong."""
    zone, sigma = parameters.zone, parameters.sensor.sigma
    margin = zone.margin_sigmas * sigma
    makers: dict[str, Callable[[], AcceptanceZone]] = {
        "open": OpenZone,
        "rectangle": lambda: RectangleZone(zone.rectangle, margin, sigma),
        "polygon": lambda: PolygonZone(np.reshape(zone.polygon, (-1, 2)), (), margin, sigma),
        "file": lambda: load_zone(zone.file, zone.margin_sigmas, sigma),
    }
    return makers[zone.kind]()


def load_zone(path: str | Path, margin_sigmas: float = 3.0, sigma: float = 0.03) -> AcceptanceZone:
    """Read a zone file; ZoneError names the file and what is wrong in it."""
    try:
        values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ZoneError(f"{path}: cannot read the zone: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}:" if mark else ""
        problem = getattr(error, "problem", None) or "not text"
        raise ZoneError(f"{path}:{line} not a YAML file: {problem}") from None
    if not isinstance(values, Mapping):
        raise ZoneError(f"{path}: expected a mapping with 'kind'")
    readers: dict[str, Callable[..., AcceptanceZone]] = {
        "rectangle": _rectangle,
        "polygon": _polygon,
        "learnt": _learnt,
    }
    kind = str(values.get("kind"))
    if kind not in readers:
        hint = suggestion(kind, readers, otherwise="expected one of ")
        raise ZoneError(f"{path}: kind = {kind}: {hint}")
    try:
        return readers[kind](values, str(path), margin_sigmas, sigma)
    except ZoneError as error:
        raise ZoneError(f"{path}: {error}") from None


def save_zone(path: str | Path, zone: LearntZone, frame_id: str = "") -> None:
    """Write a learnt zone, ranges to a tenth of a millimetre; OSError where it cannot be written.

    The file is replaced in one step, so that a reader never finds half of it.
    """
    text = yaml.safe_dump(
        {
            "kind": "learnt",
            "frame_id": frame_id,
            "angle_min": float(zone.angle_min),
            "angle_increment": float(zone.angle_increment),
            "background": _listed(zone.background),
            "spread": _listed(zone.spread),
            "returns": _listed(zone.returns),
        },
        default_flow_style=None,
        sort_keys=False,
        width=100,
    )
    path = Path(path)
    half = path.with_name(path.name + ".part")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


def _listed(values: np.ndarray) -> list[float | None]:
    return [round(float(v), 4) if np.isfinite(v) else None for v in values]


def _expect(values: Mapping[str, Any], required: set[str], optional: set[str]) -> None:
    for name in values:
        if name not in required | optional | {"kind"}:
            hint = suggestion(str(name), sorted(required | optional))
            raise ZoneError(f"unknown key '{name}'; {hint}")
    for name in sorted(required):
        if name not in values:
            raise ZoneError(f"'{name}' is missing")


def _rectangle(values: Mapping[str, Any], _: str, margin: float, sigma: float) -> RectangleZone:
    _expect(values, {"box"}, set())
    box = _numbers(values, "box")
    if len(box) != 4 or not (box[0] < box[2] and box[1] < box[3]):
        raise ZoneError(f"box = {box.tolist()}: expected x_min, y_min, x_max, y_max, min < max")
    return RectangleZone(box.tolist(), margin * sigma, sigma)


def _polygon(values: Mapping[str, Any], _: str, margin: float, sigma: float) -> PolygonZone:
    _expect(values, {"outline"}, {"holes"})
    holes = values.get("holes") or []
    if not isinstance(holes, list):
        raise ZoneError("holes: expected a list of polygons")
    return PolygonZone(values["outline"], holes, margin * sigma, sigma)


def _learnt(values: Mapping[str, Any], path: str, margin: float, _: float) -> LearntZone:
    names = {"angle_min", "angle_increment", "background", "spread", "returns"}
    _expect(values, names, {"frame_id"})
    background, spread, returns = (
        _numbers(values, name, open_beams=name == "background")
        for name in ("background", "spread", "returns")
    )
    if not len(background) == len(spread) == len(returns) > 0:
        raise ZoneError(
            f"background, spread, returns hold {len(background)}, {len(spread)}, {len(returns)} "
            "values: expected one of each for every beam"
        )
    if np.any(background <= 0.0) or np.any(spread < 0.0):
        raise ZoneError("background must be positive and spread not negative")
    if np.any((returns < 0.0) | (returns > 1.0)):
        raise ZoneError("returns: expected values from 0 to 1")
    step = _number(values, "angle_increment")
    if step == 0.0:
        raise ZoneError("angle_increment = 0: expected the angle between beams")
    start = _number(values, "angle_min")
    return LearntZone(start, step, background, spread, returns, margin, path)


def _number(values: Mapping[str, Any], name: str) -> float:
    value = values[name]
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value)
    if not good:
        raise ZoneError(f"{name} = {value!r}: expected a number")
    return float(value)


def _numbers(values: Mapping[str, Any], name: str, open_beams: bool = False) -> np.ndarray:
    items = values[name]
    if not isinstance(items, list):
        raise ZoneError(f"{name}: expected a list of numbers")
    result = []
    for i, item in enumerate(items):
        if item is None and open_beams:
            result.append(np.inf)
            continue
        good = isinstance(item, (int, float)) and not isinstance(item, bool) and np.isfinite(item)
        if not good:
            raise ZoneError(f"{name}[{i}] = {item!r}: expected a number")
        result.append(float(item))
    return np.array(result)
