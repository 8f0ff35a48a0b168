"""Items of missions, and the text files in which ground stations keep them (QGC WPL 110)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADER = "QGC WPL 110"
COLUMNS = 12
MOST_ITEMS = 10_000
DEGREE = 10**7  # MISSION_ITEM_INT has 1e-7 degrees
# The same frames, with places as integers or as floats: 0 and 5 above the sea, 3 and 6 above home.
_SAME_FRAMES = {5: 0, 6: 3, 11: 10}
_HEIGHT_TOLERANCE = 0.01  # m; some vehicles keep centimetres


class MissionError(ValueError):
    """A mission's file breaks a rule; the text names the file and the line."""


@dataclass(frozen=True)
class MissionItem:
    """One item as MISSION_ITEM_INT has it: `x` and `y` 1e-7 degrees (or 1e-4 m), `z` metres."""

    frame: int
    command: int
    parameters: tuple[float, float, float, float]
    x: int
    y: int
    z: float
    autocontinue: bool = True

    def is_kept_as(self, other: MissionItem) -> bool:
        """Whether a vehicle that tells `other` has this one: numbers that it rounds may differ."""
        frames = [_SAME_FRAMES.get(item.frame, item.frame) for item in (self, other)]
        return (
            frames[0] == frames[1]
            and self.command == other.command
            and max(abs(self.x - other.x), abs(self.y - other.y)) <= 1
            and abs(self.z - other.z) <= _HEIGHT_TOLERANCE
            and all(map(_same, self.parameters, other.parameters))
        )


def item_of(message: Any) -> MissionItem:
    """Return the item of a MISSION_ITEM_INT, or of the older MISSION_ITEM with floats."""
    x, y = message.x, message.y
    if message.get_type() == "MISSION_ITEM":
        x, y = _tenth_microdegrees(x), _tenth_microdegrees(y)
    numbers = (message.param1, message.param2, message.param3, message.param4)
    return MissionItem(
        message.frame, message.command, numbers, x, y, message.z, bool(message.autocontinue)
    )


def item_message(
    dialect: Any,
    peer: tuple[int, int],
    number: int,
    item: MissionItem,
    mission_type: int,
    is_current: bool = False,
) -> Any:
    """Return the MISSION_ITEM_INT of item `number`, to a peer's system and component."""
    return dialect.MAVLink_mission_item_int_message(
        *(*peer, number, item.frame, item.command, int(is_current)),
        *(int(item.autocontinue), *item.parameters, item.x, item.y, item.z, mission_type),
    )


def _tenth_microdegrees(degrees: float) -> int:
    """Return degrees in 1e-7; what is no angle becomes one that no place has."""
    return round(degrees * DEGREE) if abs(degrees) <= 180.0 else 2**31 - 1


def read_mission(path: Path) -> list[MissionItem]:
    """Read a file of QGroundControl, Mission Planner or MAVProxy. Raises MissionError."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise MissionError(f"{path}: cannot be read: {error}") from None
    if not lines or lines[0].strip() != HEADER:
        raise MissionError(f"{path}:1: expected '{HEADER}'")
    items = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        try:
            items.append(_item(line.split()))
        except (ValueError, OverflowError) as error:
            raise MissionError(f"{path}:{number}: {error}") from None
    if not 1 <= len(items) <= MOST_ITEMS:
        raise MissionError(f"{path}: {len(items)} items; expected 1 to {MOST_ITEMS}")
    return items


def write_mission(path: Path, items: list[MissionItem]) -> None:
    """Write such a file. Raises OSError."""
    lines = [HEADER]
    for number, item in enumerate(items):
        place = (f"{item.x / DEGREE:.7f}", f"{item.y / DEGREE:.7f}", f"{item.z:.6f}")
        parameters = (f"{value:.8g}" for value in item.parameters)
        start = (number, int(number == 0), item.frame, item.command)
        lines.append("\t".join(map(str, (*start, *parameters, *place, int(item.autocontinue)))))
    draft = path.with_name(f".{path.name}.part")
    draft.write_text("\n".join(lines) + "\n")
    draft.replace(path)


def _item(words: list[str]) -> MissionItem:
    if len(words) != COLUMNS:
        raise ValueError(f"{len(words)} columns; expected {COLUMNS}")
    frame, command = int(words[2]), int(words[3])
    if not (0 <= frame <= 255 and 0 <= command <= 65535):
        raise ValueError(f"frame {frame}, command {command}: expected at most 255 and 65535")
    first, second, third, fourth = (float(word) for word in words[4:8])
    latitude, longitude, height = (float(word) for word in words[8:11])
    if not (abs(latitude) <= 90.0 and abs(longitude) <= 180.0 and math.isfinite(height)):
        raise ValueError(f"place {words[8:11]}: expected degrees and metres")
    x, y = round(latitude * DEGREE), round(longitude * DEGREE)
    return MissionItem(
        frame, command, (first, second, third, fourth), x, y, height, words[11] != "0"
    )


def _same(ours: float, theirs: float) -> bool:
    return math.isnan(ours) or math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-6)
