"""The recorded reference, thousands of odometry messages, decoded in one go.

Layout of nav_msgs/Odometry in CDR (OMG, little-endian, 8-byte alignment counted from the byte
after the 4-byte encapsulation): header stamp, frame_id, child_frame_id, then doubles: pose (7), its
covariance (36), twist (6), its covariance (36).
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluation.series import PoseSeries, Reference

ODOMETRY_TYPE = "nav_msgs/msg/Odometry"
DOUBLES = 7 + 36 + 6 + 36
# Those that are used: the pose and the twist.
USED = [*range(7), *range(43, 49)]
TWIST = 7
# Besides its length, what tells where a message's doubles lie: the encapsulation, and the length of
# `frame_id` (that of `child_frame_id` follows from the whole).
LAYOUT = [0, 1, 2, 3, 12, 13, 14, 15]
SHORTEST = 24 + 8 * DOUBLES


@dataclass
class ReferenceReader:
    """Holds raw odometry messages in `raw`; `reference` decodes them."""

    raw: list[bytes] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def reference(self) -> Reference | None:
        """Return the reference, None where there are fewer than two poses."""
        stamps, values, frame = decode_odometry(self.raw)
        broken = len(self.raw) - len(stamps)
        if broken:
            self.notes.append(f"the reference has {broken} messages that cannot be read")
        usable = np.all(np.isfinite(values[:, :7]), axis=1) & np.any(values[:, 3:7], axis=1)
        if not usable.all():
            self.notes.append(f"the reference has {np.sum(~usable)} poses that are none")
        stamps, first = np.unique(stamps[usable], return_index=True)
        if len(first) < 2:
            return None
        values = values[usable][first]
        x, y = values[:, 0], values[:, 1]
        qx, qy, qz, qw = values[:, 3:7].T
        yaw = np.arctan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy**2 + qz**2))
        poses = PoseSeries.build(stamps, x, y, yaw, frame=frame)
        speed = np.hypot(values[:, TWIST], values[:, TWIST + 1])
        return Reference.build(poses, speed, values[:, TWIST + 5])


def decode_odometry(
    messages: Sequence[bytes],
) -> tuple[NDArray[np.int64], NDArray[np.float64], str]:
    """Return stamps (N,) ns, pose and twist (N, 13) and frame_id; what is none is left out."""
    alike: dict[int, list[int]] = defaultdict(list)
    for k, data in enumerate(messages):
        alike[len(data)].append(k)
    rows, stamps, values = [np.zeros(0, int)], [np.zeros(0, np.int64)], [np.zeros((0, len(USED)))]
    for length, chosen in alike.items():
        index = np.array(chosen)
        joined = b"".join([messages[k] for k in chosen])
        table = np.frombuffer(joined, dtype=np.uint8).reshape(len(chosen), length)
        while len(index) and length >= SHORTEST:
            same = np.all(table[:, LAYOUT] == table[0, LAYOUT], axis=1)
            found = _decode(table if same.all() else table[same])
            if found is not None:
                rows.append(index[same])
                stamps.append(found[0])
                values.append(found[1])
            index, table = index[~same], table[~same]
    order = np.argsort(np.concatenate(rows))
    first = messages[int(np.concatenate(rows).min())] if len(order) else b""
    return np.concatenate(stamps)[order], np.concatenate(values)[order], _frame(first)


def _decode(
    table: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Stamps and numbers of messages (N, bytes) of one layout; None where they do not fit it."""
    order = "<" if table[0, 1] & 1 else ">"
    start = _doubles_start(table[0].tobytes(), order)
    end = start + 8 * DOUBLES
    if not end <= table.shape[1] <= end + 3:
        return None
    seconds = np.ascontiguousarray(table[:, 4:8]).view(f"{order}i4")[:, 0].astype(np.int64)
    rest = np.ascontiguousarray(table[:, 8:12]).view(f"{order}u4")[:, 0].astype(np.int64)
    values = np.ascontiguousarray(table[:, start:end]).view(f"{order}f8")
    return seconds * 10**9 + rest, values[:, USED].astype(float, copy=False)


def _frame(data: bytes) -> str:
    if not data:
        return ""
    (length,) = struct.unpack_from("<I" if data[1] & 1 else ">I", data, 12)
    return data[16 : 16 + length - 1].decode(errors="replace")


def _doubles_start(data: bytes, order: str) -> int:
    """Return where the doubles begin; the end of the data where the texts do not fit."""
    position = 12
    for _ in range(2):
        position += -(position - 4) % 4
        if position + 4 > len(data):
            return len(data)
        (length,) = struct.unpack_from(f"{order}I", data, position)
        position += 4 + length
    return position + -(position - 4) % 8
