"""Node `trial_runner`: a trial through the real graph.

Places or drives the robot as the trial says, listens to /ground_truth/* and /reference/*, writes
the same JSON and report as `run_trial`, and ends. The robot is steered by its own odometry; the
reference is only scored against.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rclpy
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry
from rclpy.client import Client
from std_srvs.srv import Trigger

from evaluation.environment import environment
from evaluation.errors import EvaluationError
from evaluation.graph_listener_node import GraphListenerNode
from evaluation.motion import PathFollower
from evaluation.recording import NO_IMAGE, Recording, Samples, Track, pair_samples
from evaluation.report import make_room, write_json, write_report
from evaluation.resources import trial_file
from evaluation.scoring import Score, score
from evaluation.tables import error_table
from evaluation.trial import Trial, read_trial
from ros_interface.errors import ConfigurationError, MessageError
from ros_interface.geometry_messages import message_from_pose, pose_from_message
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import RELIABLE, SENSOR_DATA
from ros_interface.thread_priority import WATCHER
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform

SECOND = 10**9
CONTROL_PERIOD = 0.02
PLACED = 0.05
OUT_OF_SIGHT = (0.0, -3.0)


@dataclass(frozen=True)
class RunnerParameters:
    """What the runner is told."""

    trial: str = parameter("", "trial file, or the name of one of ours")
    json: str = parameter("", "file for the figures (empty: none)")
    report: str = parameter("", "folder for report.html and plots (empty: none)")
    samples: int = parameter(0, "samples at each point (0: the trial's)", minimum=0)
    robot: str = parameter("phone_robot", "model that is placed and driven")
    patience: float = parameter(
        60.0, "give up when nothing happens for so long", unit="s", minimum=1.0, maximum=3600.0
    )


class TrialRunnerNode(GraphListenerNode):
    """Drive, listen, score, end."""

    def __init__(self) -> None:
        super().__init__("trial_runner")
        self._options = declare_parameters(self, RunnerParameters)
        self.trial = _read(self._options)
        self._odometry: Transform | None = None
        self._points: list[int] = []
        self._sampled: list[int] = []
        self._collecting: int | None = None
        self._command = self.create_publisher(Twist, f"/{self._options.robot}/cmd_vel", RELIABLE)
        self._placing = self.create_publisher(
            PoseStamped, f"/scene_sim/{self._options.robot}/set_pose", RELIABLE
        )
        self.create_subscription(
            Odometry, f"/{self._options.robot}/odom", self._on_odometry, SENSOR_DATA
        )
        steps = {"points": self._run_points, "driven": self._run_drive}
        self._script: Iterator[None] = steps[self.trial.kind]()
        self._timer = self.create_timer(CONTROL_PERIOD, self._tick)

    @property
    def now(self) -> int:
        """Time on the node's clock, ns."""
        return int(self.get_clock().now().nanoseconds)

    # Listening

    def _on_scan(self, stamp: int) -> None:
        if self._collecting is not None:
            self._sampled.append(stamp)
            self._points.append(self._collecting)

    def _on_odometry(self, message: Odometry) -> None:
        try:
            self._odometry = pose_from_message(message.pose.pose)
        except MessageError as error:
            topic = f"/{self._options.robot}/odom"
            self.get_logger().warning(f"{topic} refused: {error}", throttle_duration_sec=2.0)

    # Acting

    def _tick(self) -> None:
        if time.monotonic() - self.progress > self._options.patience:
            raise ConfigurationError(
                f"no scan or image for {self._options.patience:.0f} s: is the scene running?"
            )
        try:
            next(self._script)
        except StopIteration:
            self._finish()

    def _wait(self, seconds: float) -> Iterator[None]:
        until = self.now + round(seconds * SECOND)
        while self.now < until:
            yield

    def _until(self, done: Callable[[], object], what: str) -> Iterator[None]:
        """Wait for something that ought to come soon; ConfigurationError names it otherwise."""
        end = time.monotonic() + self._options.patience
        while not done():
            if time.monotonic() > end:
                seconds = self._options.patience
                raise ConfigurationError(f"waited {seconds:.0f} s in vain for {what}")
            yield

    def _ready(self) -> Iterator[None]:
        """Wait until the scene speaks."""
        robot = self._options.robot
        yield from self._until(lambda: self.log.scans.stamps, "scans on /lrf/scan")
        image_topic = "/station/camera/image_raw"
        yield from self._until(lambda: self.log.images.stamps, f"images on {image_topic}")
        yield from self._until(lambda: self.log.reference.stamps, "the truth on /reference/target")
        yield from self._until(lambda: self._odometry, f"odometry on /{robot}/odom")

    def _learn(self) -> Iterator[None]:
        """Let the localizer learn its zone from the room without the target."""
        if not self.trial.learn_scans:
            return
        yield from self._place(*OUT_OF_SIGHT, 0.0)
        name = "/laser_localizer/learn_zone"
        client: Client = self.create_client(Trigger, name)
        yield from self._until(client.service_is_ready, f"the service {name}")
        for _ in range(2):  # it asks back where something of the target's size stands in the room
            future = client.call_async(Trigger.Request())
            yield from self._until(future.done, f"the answer of {name}")
            answer = future.result()
            if answer is not None and answer.success:
                break
        else:
            raise ConfigurationError(f"the zone was not learnt: {answer and answer.message}")

    def _place(self, x: float, y: float, yaw: float) -> Iterator[None]:
        """Put the robot somewhere and wait until it is there."""
        message = PoseStamped()
        message.header.frame_id = "map"
        message.pose = message_from_pose(Transform.planar(x, y, yaw))
        sent, robot = 0.0, self._options.robot
        for _ in self._until(lambda: self._is_at(x, y), f"{robot} to stand at ({x:g}, {y:g})"):
            if time.monotonic() - sent > 0.5:
                self._placing.publish(message)
                sent = time.monotonic()
            yield

    def _is_at(self, x: float, y: float) -> bool:
        true_x, true_y = self.true_position()
        return bool(np.hypot(true_x - x, true_y - y) < PLACED)

    def _run_points(self) -> Iterator[None]:
        yield from self._ready()
        yield from self._learn()
        for index, point in enumerate(self.trial.points):
            yield from self._place(point.x, point.y, point.yaw)
            yield from self._wait(self.trial.settle)
            wanted = len(self._sampled) + self.trial.samples
            self._collecting = index
            while len(self._sampled) < wanted:
                yield
            self._collecting = None
            yield from self._wait(0.3)
        yield from self._wait(0.5)

    def _run_drive(self) -> Iterator[None]:
        plan = self.trial.plan
        assert plan is not None
        yield from self._ready()
        yield from self._learn()
        yield from self._place(*plan.at(0.0)[:3])
        yield from self._wait(self.trial.settle)
        follower, start = PathFollower(plan), self.now
        self._collecting = 0
        while self.now - start < plan.duration * SECOND:
            assert self._odometry is not None
            self._send(*follower.command((self.now - start) / SECOND, self._odometry))
            yield
        self._collecting = None
        self._send(0.0, 0.0)
        yield from self._wait(0.5)

    def _send(self, linear: float, angular: float) -> None:
        command = Twist()
        command.linear.x, command.angular.z = linear, angular
        self._command.publish(command)

    # Scoring

    def _finish(self) -> None:
        try:
            result = score(self.recording())
        except EvaluationError as error:
            raise ConfigurationError(str(error)) from None
        result.figures["graph"] = self.log.health()
        result.figures["environment"] = environment()
        self._write(result)
        self._timer.cancel()
        rclpy.try_shutdown()

    def _write(self, result: Score) -> None:
        print(error_table(result.figures), flush=True)
        if self._options.json:
            write_json(result.figures, Path(self._options.json))
        if self._options.report:
            write_report(result, Path(self._options.report))

    def recording(self) -> Recording:
        """Return what was heard, ready to be scored."""
        names = tuple(point.name for point in self.trial.points) or ("all",)
        images = np.array(self.log.images.stamps, dtype=np.int64)
        paired = pair_samples(np.array(self._sampled, dtype=np.int64), images)
        points = np.array(self._points, dtype=np.int64)
        samples = Samples(paired.scan_stamps, paired.image_stamps, points, names)
        samples = samples.select(samples.image_stamps != NO_IMAGE)
        states, method = tuple(self.log.states), self.trial.method
        fused = Track("main", "fused", method, self.fused(), states)
        laser = Track("laser_alone", "laser", method, self.laser(), states)
        tracks = (fused, laser) if self.trial.variants[0].estimate == "fused" else (laser, fused)
        reference = self.reference()
        description = f"{self.trial.description} Through the graph."
        return Recording(self.trial.name, None, samples, tracks, reference, description)


def _read(options: RunnerParameters) -> Trial:
    try:
        path = trial_file(options.trial)
        make_room(options.json, options.report)
        trial = read_trial(path, {"samples": options.samples} if options.samples else None)
    except EvaluationError as error:
        raise ConfigurationError(str(error)) from None
    if trial.kind == "bound":
        raise ConfigurationError(f"{path}: the trial 'bound' runs in run_trial only")
    return trial


def main(args: list[str] | None = None) -> int:
    """Run the node until the trial is over.

    It lets the nodes that it measures go first: the middleware notes when messages arrive.
    """
    return run_node(TrialRunnerNode, args, niceness=WATCHER)


if __name__ == "__main__":
    sys.exit(main())
