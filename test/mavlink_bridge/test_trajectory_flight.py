"""A trajectory sent as a file and flown by a command, through a lossy link."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import pytest

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.files.trajectory_file import digest_parameters
from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.links.thin import ThinLink, ThinOptions
from mavlink_bridge.sending.command_result import CommandResult
from mavlink_bridge.trajectory_flight import FlightParameters, TrajectoryFlight

mavlink = load()
FLY = mavlink.MAV_CMD_FLY_TRAJECTORY
PEER = (1, 1)
STEP = 0.05
SQUARE = """\
speed: 1.0
points:
  - {position: [0, 0, 1.5], hold: 1}
  - position: [4, 0, 1.5]
  - position: [4, 4, 1.5]
"""


class Flight:
    """A ground station and a drone that flies to its setpoint at up to `speed`."""

    def __init__(self, folder: Path, loss: float = 0.0, speed: float = 3.0) -> None:
        conditions = Conditions(loss=loss, delay=0.05)
        link = LinkEmulator(conditions, conditions, 1)
        thin = ThinOptions(100, 1000.0, 8000.0), ThinOptions(100, 8000.0, 1000.0)
        self.folder = folder
        self.ground = Endpoint(ThinLink(link.a, thin[0]), 255, 1, folder / "ground")
        self.drone = Endpoint(ThinLink(link.b, thin[1]), 1, 1, folder / "drone")
        self.position: Any = (-2.0, 0.0, 1.0)
        self.speed = speed
        self.now = 0.0
        self.path: list[Any] = []
        self.texts: list[str] = []
        self.progress: list[int | None] = []
        self.ended: list[Any] = []
        self.flight = TrajectoryFlight(
            folder / "drone",
            lambda: self.position,
            self.texts.append,
            parameters=FlightParameters(patience=10.0),
        )
        self.drone.receiver.register(FLY, self.flight.execute)

    def fly(self, *parameters: float) -> Any:
        values = [*parameters, *[0.0] * (7 - len(parameters))]
        message = mavlink.MAVLink_command_long_message(*PEER, FLY, 0, *values)
        return self.ground.command(
            message,
            self.now,
            requeues=9,
            on_success=self.ended.append,
            on_failure=self.ended.append,
            on_progress=self.progress.append,
        )

    def write(self, text: str, name: str = "square.yaml") -> Path:
        path = self.folder / "drone" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def run(self, seconds: float, until: Any = lambda: False) -> None:
        for _ in range(int(seconds / STEP)):
            self.ground.poll(self.now)
            self.drone.poll(self.now)
            setpoint = self.flight.poll(self.now)
            if setpoint:
                self._move(setpoint.position)
            self.now += STEP
            if until():
                return

    def _move(self, goal: Any) -> None:
        distance = math.dist(self.position, goal)
        part = min(1.0, self.speed * STEP / distance) if distance else 1.0
        pairs = zip(self.position, goal, strict=True)
        self.position = tuple(a + part * (b - a) for a, b in pairs)
        self.path.append(self.position)


@pytest.mark.parametrize("loss", [0.0, 0.2])
def test_a_file_is_sent_and_flown(tmp_path, loss):
    flight = Flight(tmp_path, loss)
    path = tmp_path / "square.yaml"
    path.write_text(SQUARE)
    arrived: list[Any] = []
    flight.ground.files.send(path, PEER, 0.0).on_end = arrived.append
    flight.run(60.0, lambda: arrived)
    flight.fly(*digest_parameters(hashlib.sha256(SQUARE.encode()).digest()))
    flight.run(60.0, lambda: flight.ended)
    (outcome,) = flight.ended
    assert outcome.result == CommandResult.ACCEPTED
    assert 9.0 < outcome.duration < 20.0  # it ends when it is there, not before
    assert math.dist(flight.position, (4, 4, 1.5)) < 0.3
    for corner in [(0, 0, 1.5), (4, 0, 1.5)]:
        assert min(math.dist(position, corner) for position in flight.path) < 0.2
    known = [percent for percent in flight.progress if percent is not None]
    assert known == sorted(known)
    assert known[-1] > 50


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("points: []\n", "square.yaml:1: points: 0 points"),
        ("points:\n- position: [0, 0, -5]\n", "z = -5 m"),
    ],
)
def test_a_trajectory_that_breaks_a_rule_is_not_flown(tmp_path, text, said):
    flight = Flight(tmp_path)
    flight.write(text)
    flight.fly()
    flight.run(5.0, lambda: flight.ended)
    assert flight.ended[0].result == CommandResult.DENIED
    assert said in flight.texts[0]
    assert str(tmp_path) not in flight.texts[0]
    assert flight.path == []


def test_what_is_not_there_or_cannot_be_flown_is_refused(tmp_path):
    flight = Flight(tmp_path)
    flight.fly(1.0, 2.0, 3.0)
    flight.run(5.0, lambda: flight.ended)
    assert flight.ended[0].result == CommandResult.DENIED
    flight.write(SQUARE)
    flight.position = None
    flight.fly()
    flight.run(5.0, lambda: len(flight.ended) == 2)
    assert flight.ended[1].result == CommandResult.TEMPORARILY_REJECTED


def test_it_can_be_cancelled(tmp_path):
    flight = Flight(tmp_path)
    flight.write(SQUARE)
    pending = flight.fly()
    flight.run(4.0)
    assert flight.flight.flying
    flight.ground.commands.cancel(pending, flight.now)
    flight.run(5.0, lambda: flight.ended)
    assert flight.ended[0].result == CommandResult.CANCELLED
    assert not flight.flight.flying


def test_a_drone_that_does_not_come_along_fails_it(tmp_path):
    flight = Flight(tmp_path, speed=0.01)
    flight.write(SQUARE)
    flight.fly()
    flight.run(30.0, lambda: flight.ended)
    assert flight.ended[0].result == CommandResult.FAILED
    assert flight.texts == ["trajectory ended: the first point was not reached"]


def test_a_position_that_is_lost_fails_it(tmp_path):
    flight = Flight(tmp_path)
    flight.write(SQUARE)
    flight.fly()
    flight.run(3.0)
    flight.position = None
    flight.run(5.0, lambda: flight.ended)
    assert flight.ended[0].result == CommandResult.FAILED
    assert flight.flight.poll(flight.now) is None


def test_another_one_takes_over(tmp_path):
    flight = Flight(tmp_path)
    flight.write(SQUARE)
    flight.fly()
    flight.run(3.0)
    flight.flight.stop(flight.now)
    flight.run(3.0, lambda: flight.ended)
    assert flight.ended[0].result == CommandResult.CANCELLED
