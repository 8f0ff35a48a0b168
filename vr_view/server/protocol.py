"""The messages between page and server, version 1. docs/vr_protocol.md tells their meaning.

What comes in is checked here, once: `parse_message` returns one of the dataclasses or raises
ProtocolError. What goes out is made by the functions below it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vr_view.server.checks import (
    FARTHEST,
    Check,
    ProtocolError,
    boolean,
    listing,
    number,
    optional,
    pose,
    record,
    text,
)

VERSION = 1
MOST_TOPICS = 64
MOST_POINTS = 1000
LONGEST_NAME = 200
HIGHEST_RATE = 120.0
LATEST = 1e12  # s or ms: any clock of a page or a server
ALIGNMENT = 4  # of the payload in a binary message: Float32Array can look at it in place

Pose = tuple[float, ...]


@dataclass(frozen=True)
class Subscribe:
    """Messages per second that the page wants of each topic; 0 is none."""

    rates: dict[str, float]


@dataclass(frozen=True)
class Ping:
    """The page's clock, in whatever unit: it comes back as it is."""

    t: float


@dataclass(frozen=True)
class Controller:
    """One hand's controller as WebXR has it: stick right and back positive, values 0 to 1.

    `buttons`: trigger, grip, stick, A or X, B or Y.
    """

    stick: tuple[float, float]
    trigger: float
    grip: float
    buttons: tuple[bool, ...]


@dataclass(frozen=True)
class Device:
    """A headset, or a phone that is turned about: poses in WebXR's axes of its floor space.

    `t` is when they were measured, in seconds of the server's clock as the page knows it.
    """

    t: float
    head: Pose
    left_hand: Pose | None = None
    right_hand: Pose | None = None
    left: Controller | None = None
    right: Controller | None = None


@dataclass(frozen=True)
class Eye:
    """What an eye sees: tangents of the angles to the left, right, up and down; pixels."""

    tangents: tuple[float, float, float, float]
    size: tuple[float, float]


@dataclass(frozen=True)
class Eyes:
    """Both eyes and the distance between them in metres."""

    left: Eye
    right: Eye
    distance: float


@dataclass(frozen=True)
class Vr:
    """A session in the headset has begun or ended; `rate` is its frames per second, accepted."""

    active: bool
    rate: float | None = None


@dataclass(frozen=True)
class Report:
    """How the page does: milliseconds, frames per second, frames that were skipped so far."""

    round_trip: float | None = None
    render: float | None = None
    rate: float | None = None
    skipped: float | None = None


@dataclass(frozen=True)
class Action:
    """Something to be done; the answer carries the same `id`."""

    id: int
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


Message = Subscribe | Ping | Device | Eyes | Vr | Report | Action

_COORDINATE = number(-FARTHEST, FARTHEST)
_UNIT = number(0.0, 1.0)
_POINT = listing(_COORDINATE, 3, 4)
_SWITCH: dict[str, Check] = {"on": boolean}

# Each action with its arguments. A guest may do none of them.
ACTIONS: dict[str, dict[str, Check]] = {
    "simulator.pause": _SWITCH,
    "simulator.step": {},
    "simulator.reset": {},
    "simulator.speed": {"factor": number(0.0, 100.0)},
    "drone.arm": _SWITCH,
    "drone.take_off": {},
    "drone.hover": {},
    "drone.land": {},
    "drone.return_home": {},
    "drone.cancel": {},
    "drone.follow_setpoints": _SWITCH,
    "drone.mode": {"name": text(64)},
    "drone.setpoint": {"position": listing(_COORDINATE, 3, 3), "yaw": optional(_COORDINATE)},
    "drone.release_setpoint": {},
    "drone.trajectory": {"points": listing(_POINT, 1, MOST_POINTS)},
    "drone.send_file": {"upload": text(64)},
    "drone.fly_file": {"upload": text(64)},
    "drone.fly_stored_file": {"name": text(64)},
    "drone.fetch_file": {"name": text(64)},
    "drone.cancel_file": {},
    "viewpoint.mode": {"name": text(64)},
    "viewpoint.recentre": {},
}


def parse_message(line: str) -> Message:
    """Return the message of one text frame; ProtocolError where it is none that we take."""
    try:
        data = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"no JSON: {str(error)[:80]}") from None
    if not isinstance(data, dict):
        raise ProtocolError("expected an object with a type")
    kind = data.get("type")
    parser = _PARSERS.get(kind) if isinstance(kind, str) else None
    if parser is None:
        raise ProtocolError(f"type: expected one of {', '.join(_PARSERS)}")
    return parser(data)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _subscribe(data: dict[str, Any]) -> Subscribe:
    topics = data.get("topics")
    if not isinstance(topics, dict) or len(topics) > MOST_TOPICS:
        raise ProtocolError(f"topics: expected an object of at most {MOST_TOPICS} rates")
    name, rate = text(LONGEST_NAME), number(0.0, HIGHEST_RATE)
    return Subscribe(
        {name(key, "topics"): rate(value, f"topics.{key[:40]}") for key, value in topics.items()}
    )


def _ping(data: dict[str, Any]) -> Ping:
    return Ping(number(-LATEST, LATEST)(data.get("t"), "t"))


def _controller(value: Any, name: str) -> Controller:
    fields: dict[str, Check] = {
        "stick": listing(number(-1.0, 1.0), 2, 2),
        "trigger": _UNIT,
        "grip": _UNIT,
        "buttons": listing(boolean, 0, 16),
    }
    return Controller(**record(value, fields, name))


def _device(data: dict[str, Any]) -> Device:
    fields: dict[str, Check] = {
        "t": number(-LATEST, LATEST),
        "head": pose,
        "left_hand": optional(pose),
        "right_hand": optional(pose),
        "left": optional(_controller),
        "right": optional(_controller),
    }
    return Device(**record(data, fields, ""))


def _eye(value: Any, name: str) -> Eye:
    fields: dict[str, Check] = {
        "tangents": listing(number(-100.0, 100.0), 4, 4),
        "size": listing(number(1.0, 16384.0), 2, 2),
    }
    eye = Eye(**record(value, fields, name))
    left, right, up, down = eye.tangents
    if left + right < 1e-3 or up + down < 1e-3:
        raise ProtocolError(f"{name}.tangents: left + right and up + down must be above 0")
    return eye


def _eyes(data: dict[str, Any]) -> Eyes:
    fields: dict[str, Check] = {"left": _eye, "right": _eye, "distance": number(0.0, 1.0)}
    return Eyes(**record(data, fields, ""))


def _vr(data: dict[str, Any]) -> Vr:
    fields: dict[str, Check] = {"active": boolean, "rate": optional(number(1.0, 1000.0))}
    return Vr(**record(data, fields, ""))


def _report(data: dict[str, Any]) -> Report:
    names = ("round_trip", "render", "rate", "skipped")
    return Report(**record(data, dict.fromkeys(names, optional(number(0.0, 1e9))), ""))


def _action(data: dict[str, Any]) -> Action:
    name = text(LONGEST_NAME)(data.get("name"), "name")
    if name not in ACTIONS:
        raise ProtocolError(f"name: expected one of {', '.join(ACTIONS)}")
    arguments = record(data.get("arguments") or {}, ACTIONS[name], "arguments")
    return Action(action_id(data), name, arguments)


def action_id(data: Mapping[str, Any]) -> int:
    """Return the number of an action; ProtocolError where it has none."""
    return int(number(0, 2**53)(data.get("id"), "id"))


_PARSERS: dict[str, Callable[[dict[str, Any]], Message]] = {
    "subscribe": _subscribe,
    "ping": _ping,
    "device": _device,
    "eyes": _eyes,
    "vr": _vr,
    "report": _report,
    "action": _action,
}


# What the server sends


def encode(kind: str, /, **values: Any) -> str:
    """Return a text message; ValueError for numbers that JSON does not have."""
    return json.dumps({"type": kind, **values}, separators=(",", ":"), allow_nan=False)


def encode_binary(header: Mapping[str, Any], payload: bytes | memoryview) -> bytes:
    """Return a binary message: length of the header (uint32, little-endian), header, payload.

    The header is JSON in UTF-8, filled up with spaces so that the payload begins at a multiple of
    four.
    """
    words = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    words += b" " * (-len(words) % ALIGNMENT)
    return b"".join((struct.pack("<I", len(words)), words, payload))
