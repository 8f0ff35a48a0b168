"""A bridge and a drone, over an emulated link on a simulated clock."""

from __future__ import annotations

from typing import Any

from plain_drone import PlainDrone

from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.links.thin import ThinLink, ThinOptions
from mavlink_bridge.piloting.drone_bridge import BridgeParameters, DroneBridge, Outlet
from mavlink_bridge.piloting.streams import StreamParameters
from spatial_types.transforms import Transform

START = 1_000_000_000_000_000  # ns: the bridge's clock at time 0


class Heard(Outlet):
    def __init__(self) -> None:
        self.products: list[tuple[int, Any]] = []
        self.changes: list[str] = []
        self.refusals: list[str] = []
        self.files: list[Any] = []

    def product(self, product: Any, stamp: int) -> None:
        self.products.append((stamp, product))

    def changed(self, what: str) -> None:
        self.changes.append(what)

    def refused(self, what: str, reason: str) -> None:
        self.refusals.append(f"{what}: {reason}")

    def file_ended(self, progress: Any, path: Any) -> None:
        self.files.append(progress)

    def last(self, kind: type) -> Any:
        return [product for _, product in self.products if isinstance(product, kind)][-1]


class Pair:
    def __init__(
        self,
        folder: Any,
        autopilot: int = 0,
        rates: tuple[float, float] | None = None,
        stream: StreamParameters | None = None,
        rate: float = 20.0,
        file_protocol: str = "parts",
        map_from_local: Transform | None = None,
        **conditions: float,
    ) -> None:
        there = dict(conditions, rate=rates[0]) if rates else conditions
        back = dict(conditions, rate=rates[1]) if rates else conditions
        emulator = LinkEmulator(Conditions(**there), Conditions(**back), 1)
        a, b = emulator.a, emulator.b
        if rates:
            a = ThinLink(a, ThinOptions(100, *rates))
            b = ThinLink(b, ThinOptions(100, rates[1], rates[0]))
        self.heard = Heard()
        parameters = BridgeParameters(
            stream=stream or StreamParameters(), file_protocol=file_protocol
        )
        self.bridge = DroneBridge(
            a, folder / "bridge", parameters, self.heard, map_from_local=map_from_local
        )
        self.drone = PlainDrone(b, folder / "drone", autopilot, rate)
        self.now = 0.0
        self.healthy = True
        self.clock_start = START
        self.given: Any = None

    def clock(self) -> int:
        return self.clock_start + round(self.now * 1e9)

    def run(self, seconds: float, until: Any = lambda: False) -> bool:
        end = self.now + seconds
        while self.now < end:
            self.now += 0.01
            if self.given is not None:
                self.bridge.give(self.given, self.now)
            self.bridge.poll(self.now, self.clock(), self.healthy)
            self.drone.step(self.now)
            if until():
                return True
        return bool(until())

    def ask(self, manoeuvre: Any, seconds: float = 30.0) -> tuple[bool, str]:
        outcome: list[tuple[bool, str]] = []
        manoeuvre(self.now, lambda success, text: outcome.append((success, text)))
        assert self.run(seconds, lambda: outcome), "no word"
        return outcome[0]


def ready(folder: Any, **options: Any) -> Pair:
    pair = Pair(folder, **options)
    assert pair.run(5.0, lambda: pair.bridge.peer is not None and pair.heard.products)
    return pair
