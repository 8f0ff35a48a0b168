"""Anything at all comes to the bridge: it goes on, and tells nothing that cannot be."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any

import pytest
from bridge_pair import START, Heard
from fuzzed import HEARTBEAT, anything, damaged

from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.piloting.drone_bridge import BridgeParameters, DroneBridge
from mavlink_bridge.piloting.drone_state import Odometry, Pose
from mavlink_bridge.wire.frame_writer import FrameWriter

COUNT = 15_000


def numbers(value: Any) -> list[float]:
    if isinstance(value, tuple):
        return [number for item in value for number in numbers(item)]
    return [] if value is None else [float(value)]


@pytest.mark.parametrize("frames", [anything, damaged])
def test_nothing_that_comes_breaks_it(tmp_path, frames):
    emulator = LinkEmulator(Conditions(), Conditions(), 1)
    heard = Heard()
    bridge = DroneBridge(emulator.a, tmp_path, BridgeParameters(), heard)
    now = 0.0
    emulator.b.send(FrameWriter(1, 1).write(HEARTBEAT), now)
    for frame in frames(COUNT, 3):
        now += 0.002
        emulator.b.send(frame, now)
        bridge.poll(now, START + round(now * 1e9))
        emulator.b.receive(now)
    assert bridge.endpoint.handlers.errors == 0
    assert bridge.peer is not None
    for stamp, product in heard.products:
        assert 0 <= stamp <= START + round(now * 1e9)
        if isinstance(product, (Pose, Odometry)):
            pose = product if isinstance(product, Pose) else product.pose
            assert all(map(math.isfinite, numbers(astuple(pose)[:2])))
            assert math.hypot(*pose.orientation) == pytest.approx(1.0, abs=0.1)
    if frames is anything:
        assert bridge.endpoint.connection.statistics.frames > 0.99 * COUNT
        assert len(heard.products) > 100
