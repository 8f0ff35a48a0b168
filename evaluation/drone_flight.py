"""A drone in the embedded simulator, its simulated autopilot and a bridge to it, in lock-step.

As drone.launch.xml has them, without ROS and in simulated time: for tests and pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mavlink_bridge.files.trajectory_file import Trajectory, TrajectoryPoint
from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.piloting.drone_bridge import BridgeParameters, DroneBridge, Outlet
from mavlink_bridge.piloting.drone_state import Pose
from mavlink_bridge.piloting.streams import StreamParameters
from mavlink_bridge.simulated_autopilot.body_control import BodyLoop, BodyParameters
from mavlink_bridge.simulated_autopilot.vehicle import Vehicle, VehicleParameters
from scene_sim.simulator import Simulator
from spatial_types.transforms import Transform

STEP = 20_000_000  # ns
MODEL = "drone"


class DroneFlight(Outlet):
    """Advances all of them together; `poses` are what the bridge tells, in the drone's frame."""

    def __init__(self, simulator: Simulator, folder: Path, *, flavour: str = "px4") -> None:
        self.simulator = simulator
        self.poses: list[tuple[int, Pose]] = []
        self.changes: list[str] = []
        link = LinkEmulator(Conditions(delay=0.02), Conditions(delay=0.02))
        self.vehicle = Vehicle(link.b, folder / "drone", VehicleParameters(flavour=flavour))
        rates = StreamParameters(attitude=20.0, local_position=20.0)
        parameters = BridgeParameters(stream=rates)
        self.bridge = DroneBridge(link.a, folder / "bridge", parameters, self)
        pose = self._pose()
        self.map_from_home = Transform(translation=pose.translation.copy())
        self.vehicle.body.correct((0.0, 0.0, 0.0), pose.yaw)
        self._loop = BodyLoop(BodyParameters(), self.map_from_home)

    def product(self, product: Any, stamp: int) -> None:
        """Keep the poses."""
        if isinstance(product, Pose):
            self.poses.append((stamp, product))

    def changed(self, what: str) -> None:
        """Keep the lines."""
        self.changes.append(what)

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Advance until the condition holds; False if it never did."""
        end = self.simulator.time + round(seconds * 1e9)
        while self.simulator.time < end and not until():
            self._step()
        return until()

    def ask(self, manoeuvre: Callable[..., Any], seconds: float = 60.0) -> tuple[bool, str]:
        """Do what a service does: begin a manoeuvre and wait for its end."""
        outcome: list[tuple[bool, str]] = []
        manoeuvre(self._now, lambda success, text: outcome.append((success, text)))
        self.run(seconds, lambda: bool(outcome))
        return outcome[0] if outcome else (False, "no word")

    def start(self, points: Sequence[TrajectoryPoint]) -> None:
        """Begin to fly trajectory points of the local frame."""
        self.bridge.fly(Trajectory("flight", "map", tuple(points), b""), self._now)

    def fly(self, points: Sequence[TrajectoryPoint], seconds: float = 120.0) -> bool:
        """Fly trajectory points; True when the last one was reached."""
        self.start(points)
        return self.run(seconds, lambda: not self.bridge.setpoints.is_live)

    @property
    def _now(self) -> float:
        return self.simulator.time * 1e-9

    def _pose(self) -> Transform:
        return self.simulator.truth(MODEL)[0]

    def _step(self) -> None:
        for _ in self.simulator.advance(self.simulator.time + STEP):
            pass
        body, pose = self.vehicle.body, self._pose()
        self._loop.take_over(body, pose)
        self.vehicle.advance(self._now)
        self.bridge.poll(self._now, self.simulator.time)
        linear, angular = self._loop.velocity(body, pose, STEP * 1e-9)
        self.simulator.set_body_velocity(MODEL, linear.tolist(), angular.tolist())
