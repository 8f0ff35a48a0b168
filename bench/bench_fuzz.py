"""100 000 frames of anything and 100 000 damaged ones: what breaks, and what passes wrongly."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent / "test" / "mavlink_bridge"))

from fuzzed import HEARTBEAT, anything, damaged

from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.piloting.drone_bridge import BridgeParameters, DroneBridge, Outlet
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter
from mavlink_bridge.wire.signing import Signing

CHECKSUMS = 65536
SEED = 5


def exceptions(count: int) -> int:
    """Give the whole bridge valid frames with anything inside; return what its handlers raised."""
    emulator = LinkEmulator(Conditions(), Conditions(), 1)
    with tempfile.TemporaryDirectory() as folder:
        bridge = DroneBridge(emulator.a, Path(folder), BridgeParameters(), Outlet())
        emulator.b.send(FrameWriter(1, 1).write(HEARTBEAT), 0.0)
        for k, frame in enumerate(anything(count, SEED)):
            emulator.b.send(frame, k * 0.002)
            bridge.poll(k * 0.002, 10**15 + k * 2_000_000)
            emulator.b.receive(k * 0.002)
        errors = bridge.endpoint.handlers.errors
        bridge.close()
    return errors


def accepted(frames: Any, signing: Signing | None = None) -> int:
    """Return how many of damaged frames the parser took; a whole one behind noise is none."""
    parser, taken = FrameParser(signatures=signing), 0
    for frame, whole in frames:
        got = [*parser.feed(frame), *parser.give_up()]
        taken += sum(item.raw != whole for item in got)
    return taken


def at_random(count: int) -> Any:
    """Yield damaged frames, and what they were."""
    return zip(damaged(count, SEED), anything(count, SEED + 1), strict=True)


def bursts(count: int) -> Any:
    """Yield frames with up to 16 bits in a row damaged, behind the header."""
    generator = random.Random(SEED)
    for frame in anything(count, SEED):
        whole = int.from_bytes(frame, "little")
        burst = generator.randrange(1, 1 << generator.randint(1, 16)) | 1
        first = generator.randrange(80, 8 * len(frame) - burst.bit_length() + 1)
        yield (whole ^ burst << first).to_bytes(len(frame), "little"), frame


def run(quick: bool) -> list[dict[str, Any]]:
    count = 10_000 if quick else 100_000
    rows = [
        ("anything inside, exceptions in the bridge", exceptions(count), 0),
        ("damaged at random, accepted", accepted(at_random(count)), 3 + 3 * count / CHECKSUMS),
        ("bursts up to 16 bits, accepted", accepted(bursts(count)), 0),
        ("damaged, signing on, accepted", accepted(at_random(count), Signing(bytes(32), 1, 1)), 0),
    ]
    return [
        {"name": f"{count} frames {name}", "value": float(value), "unit": "frames"}
        | {"required": float(most), "at_least": False}
        for name, value, most in rows
    ]
