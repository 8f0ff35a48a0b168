"""A drone for `bench_telemetry`: sends numbered telemetry at an even pace, and says when.

`python telemetry_source.py PORT SECONDS OUT` sends 1000 messages a second to 127.0.0.1:PORT once
somebody has answered its heartbeat. OUT gets a JSON list of (kind, number, monotonic seconds).
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import sys
import time
from pathlib import Path
from typing import Any

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.wire.frame_writer import FrameWriter

RATE = 1000
WARM_UP = 2.0  # seconds before what counts begins
DIALECT = load()


def kinds() -> list[str]:
    """One second's messages by kind: 500 imu, 200 attitude, 200 position, 50 fix, 50 battery."""
    twenty = ["imu", "attitude", "imu", "position", "imu"] * 4
    twenty[4], twenty[9] = "fix", "battery"
    return twenty * (RATE // len(twenty))


def message(kind: str, number: int, clock: float) -> Any:
    boot = round(clock * 1e3)
    if kind == "imu":
        zeros = (0.0,) * 9
        return DIALECT.MAVLink_highres_imu_message(
            round(clock * 1e6), 0.0, 0.0, 9.8, float(number), *zeros, 63
        )
    if kind == "attitude":
        return DIALECT.MAVLink_attitude_quaternion_message(boot, 1.0, 0, 0, 0, 0, 0, 0)
    if kind == "position":
        return DIALECT.MAVLink_local_position_ned_message(boot, 0.0, float(number), 0.0, 1, 0, 0)
    if kind == "fix":
        return DIALECT.MAVLink_global_position_int_message(boot, number, 0, 0, 0, 0, 0, 0, 0)
    cells = [number, *[65535] * 9]
    return DIALECT.MAVLink_battery_status_message(0, 0, 0, 0, cells, 100, -1, -1, 50)


def answered(link: socket.socket) -> bool:
    """Wait a little for a word from the bridge."""
    if not select.select([link], [], [], 0.2)[0]:
        return False
    with contextlib.suppress(ConnectionRefusedError):
        return bool(link.recv(1000))
    return False


def main() -> None:
    port, seconds, out = int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.connect(("127.0.0.1", port))
    writer = FrameWriter(1, 1)
    heartbeat = DIALECT.MAVLink_heartbeat_message(2, 12, 81, 0, 4, 3)
    while not answered(link):
        with contextlib.suppress(ConnectionRefusedError):  # the bridge is not there yet
            link.send(writer.write(heartbeat))
    pattern, sent = kinds(), []
    begin = time.monotonic()
    for k in range(round((seconds + WARM_UP) * RATE)):
        due = begin + k / RATE
        if k % RATE == 0:
            link.send(writer.write(heartbeat))
        frame = writer.write(message(pattern[k % RATE], k, due - begin + 10.0))
        wait = due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        now = time.monotonic()
        link.send(frame)
        if now - begin >= WARM_UP:
            sent.append((pattern[k % RATE], k, now))
    out.write_text(json.dumps(sent))


if __name__ == "__main__":
    main()
