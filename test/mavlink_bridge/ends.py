"""Two ends of an emulated link on a simulated clock, for tests of what runs over it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.sending.budget import Budget, BudgetParameters
from mavlink_bridge.sending.sender import Sender
from mavlink_bridge.wire.frame import Frame
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter

GROUND, DRONE = 255, 1
COMPONENT = 1


class End:
    """One end: whatever is in `handlers` gets each frame, whatever is in `pollers` the time."""

    def __init__(self, link: Any, system: int, rate: float) -> None:
        self.link = link
        self.system = system
        self.sender = Sender(
            FrameWriter(system, COMPONENT).write, Budget(BudgetParameters(rate=rate))
        )
        self.parser = FrameParser()
        self.handlers: list[Callable[[Frame, float], Any]] = []
        self.pollers: list[Callable[[float], Any]] = []
        self.received: list[Frame] = []

    def step(self, now: float) -> None:
        for chunk in self.link.receive(now):
            for frame in self.parser.feed(chunk):
                self.received.append(frame)
                for handler in self.handlers:
                    handler(frame, now)
        for poll in self.pollers:
            poll(now)
        for packet in self.sender.poll(now):
            self.link.send(packet, now)

    def got(self, kind: str) -> list[Any]:
        return [frame.message for frame in self.received if frame.message.get_type() == kind]


class Ends:
    """A ground station and a drone; `up` is what the ground station sends."""

    def __init__(self, seed: int = 0, rate: float = 0.0, **conditions: float) -> None:
        queue = max(1000.0, rate)
        self.emulator = LinkEmulator(
            Conditions(rate=rate, queue=queue, **conditions),
            Conditions(rate=8 * rate, queue=queue, **conditions),
            seed,
        )
        self.ground = End(self.emulator.a, GROUND, rate)
        self.drone = End(self.emulator.b, DRONE, 8 * rate)
        self.now = 0.0

    def run(
        self, seconds: float, until: Callable[[], Any] = lambda: False, step: float = 0.02
    ) -> bool:
        """Advance the clock until the condition holds; False if it never did."""
        end = self.now + seconds
        while self.now < end:
            self.ground.step(self.now)
            self.drone.step(self.now)
            self.now += step
            if until():
                return True
        return bool(until())
