"""Trajectories in YAML: what is sent to a drone as a file, checked there, and flown by a command.

    frame: map                  # optional; ENU, z up
    speed: 1.0                  # m/s between points that name none
    points:
      - position: [0, 0, 1.5]   # m
        yaw: 0.0                # rad, counter-clockwise from x; optional: as it is
        hold: 2.0               # s to stay there; optional
      - position: [4, 0, 1.5]
        speed: 0.5              # m/s on the way to this point, or
        time: 12.0              # s from the start, for all points or none

A file that breaks a rule is refused with its line and key, before anything flies.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from spatial_types.angles import wrap_scalar
from spatial_types.parameters import parameter
from spatial_types.yaml_file import FAST_LOADER, Section, read_yaml

_LARGEST_FILE = 256 * 1024
_SHORTEST_LEG = 1e-3


class TrajectoryError(ValueError):
    """A trajectory breaks a rule; the text names the file, the line and the key."""


@dataclass(frozen=True)
class TrajectoryLimits:
    """What a trajectory may ask for."""

    most_points: int = parameter(2000, "points of a trajectory", minimum=1)
    radius: float = parameter(
        200.0, "farthest point from the origin, over ground", unit="m", minimum=0.0
    )
    lowest: float = parameter(0.3, "lowest z", unit="m")
    highest: float = parameter(100.0, "highest z", unit="m")
    fastest: float = parameter(5.0, "largest speed", unit="m/s", minimum=0.01)
    longest: float = parameter(3600.0, "longest time", unit="s", minimum=1.0)


@dataclass(frozen=True)
class TrajectoryPoint:
    """Where to be when: metres, radians (None: any), seconds from the start, seconds to hold."""

    position: tuple[float, float, float]
    yaw: float | None
    time: float
    hold: float


@dataclass(frozen=True)
class Setpoint:
    """Where to be at one moment; the velocity is that of the leg."""

    position: tuple[float, float, float]
    velocity: tuple[float, float, float]
    yaw: float | None


@dataclass(frozen=True)
class Trajectory:
    """A checked trajectory. `digest` is the file's SHA-256."""

    name: str
    frame: str
    points: tuple[TrajectoryPoint, ...]
    digest: bytes

    @property
    def duration(self) -> float:
        """Seconds from the first point to the end of the last one's hold."""
        return self.points[-1].time + self.points[-1].hold

    def at(self, time: float) -> Setpoint:
        """Return where to be at `time` seconds from the start; the ends hold."""
        after = bisect_right([point.time for point in self.points], time)
        here = self.points[max(after - 1, 0)]
        if after == 0 or after == len(self.points) or time <= here.time + here.hold:
            return Setpoint(here.position, (0.0, 0.0, 0.0), here.yaw)
        there = self.points[after]
        length = there.time - here.time - here.hold
        part = (time - here.time - here.hold) / length
        pairs = list(zip(here.position, there.position, strict=True))
        x, y, z = (a + part * (b - a) for a, b in pairs)
        u, v, w = ((b - a) / length for a, b in pairs)
        return Setpoint((x, y, z), (u, v, w), _between(here.yaw, there.yaw, part))


def read_trajectory(path: Path, limits: TrajectoryLimits | None = None) -> Trajectory:
    """Read and check a trajectory. Raises TrajectoryError."""
    limits = limits or TrajectoryLimits()
    content = _content(path)
    root = read_yaml(path, failure=TrajectoryError)
    _refuse_aliases(path, content)
    frame = root.text("frame", "map", choices=("map",))
    speed = root.number("speed", 1.0, 0.01, limits.fastest)
    sections = root.sections("points")
    root.finish()
    if not 1 <= len(sections) <= limits.most_points:
        raise root.error("points", f"{len(sections)} points; expected 1 to {limits.most_points}")
    timed = ["time" in section for section in sections]
    if any(timed) and not all(timed):
        place = sections[timed.index(False)]
        raise place.error("time", "is missing; expected for all points or none")
    points: list[TrajectoryPoint] = []
    for section in sections:
        points.append(_point(section, points[-1] if points else None, speed, limits))
    return Trajectory(path.name, frame, tuple(points), hashlib.sha256(content).digest())


def digest_parameters(digest: bytes) -> tuple[float, float, float]:
    """Return params 1 to 3 of MAV_CMD_FLY_TRAJECTORY for a file's SHA-256."""
    first, second, third = (int.from_bytes(digest[at : at + 2], "big") for at in (0, 2, 4))
    return float(first), float(second), float(third)


def find_trajectory(folder: Path, parameters: tuple[float, float, float]) -> Path | None:
    """Return the file of a folder that MAV_CMD_FLY_TRAJECTORY names; the newest if all are 0."""
    files = [path for path in folder.glob("*.y*ml") if path.is_file()]
    if not any(parameters):
        return max(files, key=lambda path: path.stat().st_mtime, default=None)
    for path in files:
        if path.stat().st_size <= _LARGEST_FILE:
            digest = hashlib.sha256(path.read_bytes()).digest()
            if digest_parameters(digest) == tuple(parameters):
                return path
    return None


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise TrajectoryError(f"{path}: larger than {_LARGEST_FILE} bytes")
        return path.read_bytes()
    except OSError as error:
        raise TrajectoryError(f"{path}: cannot be read: {error}") from None


def _refuse_aliases(path: Path, content: bytes) -> None:
    """Refuse what repeats a part of the file: a few lines could stand for millions of points."""
    for event in yaml.parse(content, Loader=FAST_LOADER):
        if isinstance(event, yaml.AliasEvent):
            mark: Any = event.start_mark  # there in what was parsed from text
            raise TrajectoryError(f"{path}:{mark.line + 1}: aliases are not allowed")


def _point(
    section: Section, before: TrajectoryPoint | None, speed: float, limits: TrajectoryLimits
) -> TrajectoryPoint:
    x, y, z = section.numbers("position", 3)
    if math.hypot(x, y) > limits.radius:
        raise section.error("position", f"farther than {limits.radius:g} m from the origin")
    if not limits.lowest <= z <= limits.highest:
        raise section.error(
            "position", f"z = {z:g} m; expected {limits.lowest:g} to {limits.highest:g}"
        )
    yaw = None if section.value("yaw") is None else section.number("yaw", None, -7.0, 7.0)
    hold = section.number("hold", 0.0, 0.0, limits.longest)
    speed = section.number("speed", speed, 0.01, limits.fastest)
    if "speed" in section and "time" in section:
        raise section.error("speed", "expected speed or time, not both")
    time = _arrival(section, (x, y, z), before, speed, limits)
    section.finish()
    if time + hold > limits.longest:
        raise section.error("position", f"takes longer than {limits.longest:g} s in all")
    return TrajectoryPoint((x, y, z), yaw, time, hold)


def _arrival(
    section: Section,
    position: tuple[float, float, float],
    before: TrajectoryPoint | None,
    speed: float,
    limits: TrajectoryLimits,
) -> float:
    """Return when a point is reached, by its `time` or by the speed on the way to it."""
    if before is None:
        return section.number("time", 0.0, 0.0, limits.longest)
    leaving = before.time + before.hold
    length = math.dist(position, before.position)
    if section.value("time") is None:
        return leaving + max(length / speed, _SHORTEST_LEG)
    time = section.number("time", None, 0.0, limits.longest)
    if time < leaving + _SHORTEST_LEG:
        raise section.error("time", f"{time:g} s; expected after {leaving:g} s")
    needed = length / (time - leaving)
    if needed > limits.fastest * (1 + 1e-9):
        raise section.error("time", f"needs {needed:.3g} m/s; at most {limits.fastest:g}")
    return time


def _between(here: float | None, there: float | None, part: float) -> float | None:
    """Turn from one yaw to the other, the shorter way; where one is free, hold the other."""
    if here is None or there is None:
        return there if here is None else here
    return wrap_scalar(here + part * wrap_scalar(there - here))
