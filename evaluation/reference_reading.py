"""The recorded reference, thousands of odometry messages, decoded in one go.

Layout of nav_msgs/Odometry in CDR (OMG, little-endian, 8-byte alignment counted from the byte
after the 4-byte encapsulation): header stamp, frame_id, child_frame_id, then doubles: pose (7), its
covariance (36), twist (6), its covariance (36).
"""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluation.bag_reading import BagMessage
from evaluation.errors import BagError
from evaluation.series import PoseSeries, Reference

ODOMETRY_TYPE = "nav_msgs/msg/Odometry"
DOUBLES = 7 + 36 + 6 + 36
TWIST = 43


@dataclass
class ReferenceReader:
    """Collects raw odometry messages; `reference` decodes them."""

    raw: list[bytes] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, message: BagMessage) -> None:
        """Take in one message; BagError for another type."""
        if message.type != ODOMETRY_TYPE:
            kind = message.type
            raise BagError(f"{message.topic}: reference of type {kind}; expected {ODOMETRY_TYPE}")
        self.raw.append(message.data)

    def reference(self) -> Reference | None:
        """Return the reference, None where there are fewer than two poses."""
        stamps = decode_stamps(self.raw)
        _, first = np.unique(stamps, return_index=True)
        if len(first) < 2:
            return None
        values = decode_odometry([self.raw[k] for k in first])
        usable = np.all(np.isfinite(values[:, :7]), axis=1) & np.any(values[:, 3:7], axis=1)
        if not usable.all():
            self.notes.append(f"the reference has {np.sum(~usable)} poses that are none")
            first, values = first[usable], values[usable]
            if len(first) < 2:
                return None
        x, y = values[:, 0], values[:, 1]
        qx, qy, qz, qw = values[:, 3:7].T
        yaw = np.arctan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy**2 + qz**2))
        poses = PoseSeries.build(stamps[first], x, y, yaw, frame=_frame(self.raw[first[0]]))
        speed = np.hypot(values[:, TWIST], values[:, TWIST + 1])
        return Reference.build(poses, speed, values[:, TWIST + 5])


def decode_stamps(messages: list[bytes]) -> NDArray[np.int64]:
    """Return the header stamps (N,) ns of messages that begin with a header."""
    joined = b"".join(data[4:12] for data in messages)
    order = "<" if not messages or messages[0][1] & 1 else ">"
    pairs = np.frombuffer(joined, dtype=f"{order}i4").reshape(-1, 2).astype(np.int64)
    return np.asarray(pairs[:, 0] * 10**9 + pairs[:, 1])


def _frame(data: bytes) -> str:
    order = "<" if data[1] & 1 else ">"
    (length,) = struct.unpack_from(f"{order}I", data, 12)
    return bytes(data[16 : 16 + length - 1]).decode()


def decode_odometry(messages: list[bytes]) -> NDArray[np.float64]:
    """Return the doubles (N, 85) of odometry messages; BagError for one that is too short."""
    result = np.empty((len(messages), DOUBLES))
    alike: dict[tuple[int, bytes, bytes], list[int]] = defaultdict(list)
    for k, data in enumerate(messages):
        alike[len(data), data[:4], data[12:16]].append(k)
    for (length, _, _), rows in alike.items():
        start, order = _doubles_start(messages[rows[0]])
        end = start + 8 * DOUBLES
        if length < end:
            raise BagError("an odometry message of the reference is cut off")
        joined = b"".join([messages[k] for k in rows])
        table = np.frombuffer(joined, dtype=np.uint8).reshape(len(rows), length)
        result[rows] = np.ascontiguousarray(table[:, start:end]).view(f"{order}f8")
    return result


def _doubles_start(data: bytes) -> tuple[int, str]:
    """Return where the doubles begin, and the byte order."""
    order = "<" if data[1] & 1 else ">"
    position = 12
    for _ in range(2):
        position += -(position - 4) % 4
        (length,) = struct.unpack_from(f"{order}I", data, position)
        position += 4 + length
    return position + -(position - 4) % 8, order
