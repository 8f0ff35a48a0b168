"""The trial file: what is placed or driven where, what the estimators are told, how much is taken.

docs/trials.md describes every key. Reading checks everything, so that a trial which starts is
whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.errors import TrialError
from evaluation.motion import MotionLimits, MotionPlan, Move, Pose, arc_to, plan_motion, pose_after
from evaluation.resources import find_resource
from evaluation.yaml_file import Section, read_yaml

METHODS = ("thesis", "model")
ESTIMATES = ("fused", "laser")
ROOMS = ("laser", "orientation", "tracker", "fusion")

# Of a move: m, degrees or s.
SHORTEST = 1e-4
LARGEST = {"drive": 1e4, "turn": 36e3, "stop": 36e3}


@dataclass(frozen=True)
class ModelPlace:
    """A model of the scene: its name, its file and its pose (x, y, z m, roll, pitch, yaw rad).

    `arguments` are those of its xacro file; `told` are those of the description that tf is made
    from, where that is to differ from how things stand.
    """

    name: str
    file: Path
    pose: tuple[float, ...] = (0.0,) * 6
    arguments: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Point:
    """A static pose of the robot: x, y (m), yaw (rad)."""

    name: str
    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class Light:
    """Where a light of the world is put, and its colour (0 to 1) where given."""

    name: str
    position: tuple[float, ...]
    diffuse: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Event:
    """A model put elsewhere at a time `at` (s of the drive).

    `pose` is x, y, z (m), roll, pitch, yaw (rad), None for where the last event took it from;
    `hides` says that the target cannot be seen from now on, `shows` that it can again.
    """

    at: float
    model: str
    pose: tuple[float, ...] | None
    hides: bool = False
    shows: bool = False


@dataclass(frozen=True)
class Variant:
    """One row of results: which estimate is scored, with which parameters of the estimators."""

    name: str
    estimate: str = "fused"
    method: str | None = None
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class BoundSetting:
    """Where the comparison with the exact Bayes estimate takes its scans."""

    bands: tuple[tuple[float, float], ...]
    clearance: float
    bearings: tuple[float, float]


@dataclass(frozen=True)
class Sensors:
    """Noise and kind of the sensors; None keeps what the robot's description says."""

    laser_noise: float | None = None
    camera_noise: float | None = None
    scan_mode: str = "instant"
    shadows: bool = True


@dataclass(frozen=True)
class Trial:
    """One trial; the points, the plan or the bound says of which kind it is.

    `learn_scans` scans of the room without the target are learnt as the acceptance zone first.
    """

    name: str
    path: Path
    world: Path
    models: tuple[ModelPlace, ...]
    description: str
    method: str
    seed: int
    samples: int
    settle: float
    learn_scans: int
    variants: tuple[Variant, ...]
    sensors: Sensors
    lights: tuple[Light, ...] = ()
    points: tuple[Point, ...] = ()
    plan: MotionPlan | None = None
    events: tuple[Event, ...] = ()
    bound: BoundSetting | None = None
    expect: dict[str, float] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """`points`, `driven` or `bound`."""
        if self.bound is not None:
            return "bound"
        return "driven" if self.plan is not None else "points"


def read_trial(path: Path, overrides: dict[str, Any] | None = None) -> Trial:
    """Read and check a trial file; `overrides` are dotted names put over the file's values.

    Raises TrialError naming the file, the line and the key.
    """
    root = read_yaml(path, overrides)
    world = _file(root, "world", "worlds")
    plan = _plan(root.section("drive"))
    trial = Trial(
        name=root.text("trial"),
        path=path,
        world=world,
        models=_models(root),
        description=root.text("description", ""),
        method=root.text("method", "model", METHODS),
        seed=root.whole("seed", 1, 0),
        samples=root.whole("samples", 0, 0),
        settle=root.number("settle", 1.5, 0.0, 60.0),
        learn_scans=root.whole("learn_scans", 0, 0),
        variants=_variants(root),
        sensors=_sensors(root.section("sensors")),
        lights=_lights(root),
        points=_points(root.section("points")),
        plan=plan,
        events=_events(root),
        bound=_bound(root.section("bound")),
        expect=_expectations(root.section("expect")),
    )
    root.finish()
    kinds = [key for key in ("points", "drive", "bound") if key in root]
    if len(kinds) != 1:
        found = ", ".join(kinds) or "none"
        raise TrialError(f"{path}:{root.line}: expected one of points, drive, bound; found {found}")
    _check_samples(root, trial)
    return trial


def _check_samples(root: Section, trial: Trial) -> None:
    if trial.kind == "driven":
        if trial.samples:
            raise root.error("samples", "a drive gives one sample a scan; there is none to choose")
    elif trial.samples == 0:
        found = "is 0" if "samples" in root else "is missing"
        raise root.error("samples", f"{found}; expected how many samples each point gets")


def _file(section: Section, key: str, kind: str, default: str | None = None) -> Path:
    name = section.text(key, default)
    found = find_resource(name, kind, section.path.resolve().parent)
    if found is None:
        raise section.error(key, f"file '{name}' is neither beside the trial nor in {kind}/")
    return found


DEFAULT_MODELS = (("station", "station.urdf.xacro"), ("phone_robot", "phone_robot.urdf.xacro"))


def _models(root: Section) -> tuple[ModelPlace, ...]:
    listed = root.sections("models")
    if not listed:
        return tuple(
            ModelPlace(name, _file(root, name, "urdf", file)) for name, file in DEFAULT_MODELS
        )
    models = []
    for item in listed:
        models.append(
            ModelPlace(
                item.text("name"),
                _file(item, "file", "urdf"),
                item.numbers("pose", 6, (0.0,) * 6),
                _arguments(item.section("arguments")) or {},
                _arguments(item.section("told")),
            )
        )
        item.finish()
    return tuple(models)


def _arguments(section: Section | None) -> dict[str, str] | None:
    if section is None:
        return None
    return {name: str(section.value(name)) for name in section.names()}


def _variants(root: Section) -> tuple[Variant, ...]:
    base = _row_parameters(root, {})
    first = Variant("main", root.text("estimate", "fused", ESTIMATES), None, base)
    variants = [first]
    for item in root.sections("variants"):
        merged = _row_parameters(item, base)
        method = item.text("method", "", ("", *METHODS)) or None
        variants.append(
            Variant(item.text("name"), item.text("estimate", "fused", ESTIMATES), method, merged)
        )
        item.finish()
    names = [variant.name for variant in variants]
    if len(set(names)) != len(names):
        raise root.error("variants", f"names are not unique: {', '.join(names)}")
    return tuple(variants)


def _parameters(section: Section | None) -> dict[str, dict[str, Any]]:
    if section is None:
        return {}
    result = {}
    for room in ROOMS:
        inner = section.section(room)
        if inner is not None:
            result[room] = dict(_flat(inner))
    section.finish()
    return result


def _flat(section: Section) -> Iterator[tuple[str, Any]]:
    """Dotted names and values of nested mappings."""
    for key in section.names():
        value = section.value(key)
        inner = section.section(key) if isinstance(value, dict) else None
        if inner is None:
            yield key, value
        else:
            yield from ((f"{key}.{name}", leaf) for name, leaf in _flat(inner))


def _row_parameters(section: Section, base: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The row's parameters over those of `base`; `memory_scans` stands for both filters'."""
    own = _parameters(section.section("parameters"))
    if "memory_scans" in section:
        scans = section.whole("memory_scans", None, 0)
        own["laser"] = {**own.get("laser", {}), "filter.memory_scans": scans}
        own["fusion"] = {"memory": scans, **own.get("fusion", {})}
    return {room: {**base.get(room, {}), **own.get(room, {})} for room in ROOMS}


def _sensors(section: Section | None) -> Sensors:
    if section is None:
        return Sensors()
    laser = section.number("laser_noise", -1.0, None, 1.0)
    camera = section.number("camera_noise", -1.0, None, 255.0)
    sensors = Sensors(
        laser if laser >= 0 else None,
        camera if camera >= 0 else None,
        section.text("scan_mode", "instant", ("instant", "swept")),
        section.flag("shadows", True),
    )
    section.finish()
    return sensors


def _lights(root: Section) -> tuple[Light, ...]:
    lights = []
    for item in root.sections("lights"):
        diffuse = item.numbers("diffuse", 3) if "diffuse" in item else None
        lights.append(Light(item.text("name"), item.numbers("position", 3), diffuse))
        item.finish()
    return tuple(lights)


def _points(section: Section | None) -> tuple[Point, ...]:
    if section is None:
        return ()
    points = []
    for name in section.names():
        x, y, yaw = section.numbers(name, 3)
        points.append(Point(name, x, y, float(np.radians(yaw))))
    if not points:
        raise TrialError(f"{section.path}:{section.line}: points: expected at least one point")
    return tuple(points)


def _plan(section: Section | None) -> MotionPlan | None:
    if section is None:
        return None
    x, y, yaw = section.numbers("start", 3)
    limits = MotionLimits(
        section.number("cruise", 0.5, 0.01, 3.0),
        section.number("acceleration", 0.5, 0.01, 10.0),
        float(np.radians(section.number("turn_rate", 90.0, 1.0, 720.0))),
        float(np.radians(section.number("turn_acceleration", 180.0, 1.0, 3600.0))),
    )
    start = (x, y, float(np.radians(yaw)))
    moves, pose = [], start
    for item in section.sections("moves"):
        moves.append(_move(item, pose))
        pose = pose_after(pose, moves[-1])
    if not moves:
        raise section.error("moves", "expected at least one move")
    section.finish()
    return plan_motion(start, moves, limits)


def _move(item: Section, pose: Pose) -> Move:
    kinds = [key for key in ("to", "drive", "turn", "stop") if key in item]
    if len(kinds) != 1:
        line = f"{item.path}:{item.line}: {item.name}"
        raise TrialError(f"{line}: expected one of to, drive, turn, stop; found {kinds or 'none'}")
    kind = kinds[0]
    if kind == "to":
        x, y = item.numbers("to", 2)
        if not SHORTEST < np.hypot(x - pose[0], y - pose[1]) < LARGEST["drive"]:
            raise item.error("to", f"({x}, {y}) is where the robot is, or out of reach")
        move = arc_to(pose, x, y, item.flag("backwards", False))
    else:
        value = item.number(kind)
        if abs(value) < SHORTEST or (kind == "stop" and value < 0.0):
            raise item.error(kind, f"{value} moves nothing")
        if abs(value) > LARGEST[kind]:
            raise item.error(kind, f"{value} is more than {LARGEST[kind]:.0f}")
        angle = np.radians(value if kind == "turn" else 0.0)
        if kind == "drive":
            angle = np.radians(item.number("turning", 0.0))
        move = Move(kind, 0.0 if kind == "turn" else value, float(angle))
    item.finish()
    return move


def _events(root: Section) -> tuple[Event, ...]:
    events = []
    for item in root.sections("events"):
        back = item.flag("back", False)
        if back == ("to" in item):
            raise item.error("to", "expected `to: [x, y, z, roll, pitch, yaw]` or `back: true`")
        event = Event(
            item.number("at", None, 0.0),
            item.text("move"),
            None if back else item.numbers("to", 6),
            item.flag("hides", False),
            item.flag("shows", False),
        )
        item.finish()
        events.append(event)
    return tuple(sorted(events, key=lambda event: event.at))


def _bound(section: Section | None) -> BoundSetting | None:
    if section is None:
        return None
    bands = section.value("distances")
    try:
        pairs = tuple((float(low), float(high)) for low, high in bands)
    except (TypeError, ValueError):
        raise section.error("distances", f"{bands!r} is not a list of [from, to] pairs") from None
    low, high = section.numbers("bearings", 2)
    setting = BoundSetting(
        pairs, section.number("clearance", 0.5, 0.0), (np.radians(low), np.radians(high))
    )
    section.finish()
    return setting


def _expectations(section: Section | None) -> dict[str, float]:
    if section is None:
        return {}
    return {key: section.number(key) for key in section.names()}
