"""The embedded simulator as a node: sensors out, commands in, /clock.

    ros2 run truthbed scene_sim --ros-args -p world:=worlds/ground_truth_room.sdf

Topic names come from the bridge configuration, as with Gazebo. Stamps are times of acquisition;
the clock is published before the readings of the slice that ends with it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry as OdometryMessage
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, Imu, JointState, LaserScan
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

from ros_interface.diagnostics import ERROR, OK, WARN, NodeDiagnostics
from ros_interface.errors import ConfigurationError, MessageError
from ros_interface.image_messages import camera_info_from_model, image_from_array
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import RELIABLE, SENSOR_DATA
from ros_interface.scan_messages import message_from_scan
from ros_interface.share_folder import share_folder
from ros_interface.thread_priority import DRAWING, SIMULATOR, yield_to_others
from ros_interface.timers import wall_timer
from scene_sim.bridge import BridgedTopic, read_bridge
from scene_sim.camera import CameraShot
from scene_sim.eye_topics import EyeTopics
from scene_sim.hand_topics import HandTopics
from scene_sim.messages import (
    clock_message,
    imu_message,
    joint_state_message,
    odometry_message,
    pose_in_world,
)
from scene_sim.model_lists import files_from_text, find_file, model_from_text
from scene_sim.node_parameters import SceneSimParameters
from scene_sim.readings import (
    ImuReading,
    JointStates,
    Odometry,
    Reading,
    with_joints_joined,
)
from scene_sim.render_threads import RenderThreads
from scene_sim.runner import Runner
from scene_sim.schedule import SECOND
from scene_sim.simulator import Simulator
from spatial_types.camera import CameraFrame
from spatial_types.scan import Scan

RCLError = rclpy_implementation.RCLError

CONVERSIONS: dict[type, Callable[[Any], Any]] = {
    Scan: message_from_scan,
    ImuReading: imu_message,
    JointStates: joint_state_message,
    Odometry: odometry_message,
}
TYPES: dict[str, type] = {
    "sensor_msgs/LaserScan": LaserScan,
    "sensor_msgs/Imu": Imu,
    "sensor_msgs/JointState": JointState,
    "nav_msgs/Odometry": OdometryMessage,
    "sensor_msgs/Image": Image,
    "sensor_msgs/CameraInfo": CameraInfo,
    "rosgraph_msgs/Clock": Clock,
}
SENSOR_TYPES = (LaserScan, Imu, Image, CameraInfo)


def _opened(parameters: SceneSimParameters) -> tuple[Simulator, tuple[BridgedTopic, ...]]:
    """Read the scene and the names of its topics; ConfigurationError where that fails."""
    share = share_folder()
    try:
        files = files_from_text(parameters.bridge, share)
        bridge = tuple(topic for file in files for topic in read_bridge(file))
        models = [model_from_text(text, share) for text in parameters.models]
        world = find_file(parameters.world, share)
        return Simulator.load(world, models, parameters.options()), bridge
    except (ValueError, OSError) as error:
        raise ConfigurationError(str(error)) from None


class SceneSimNode(Node):
    """Publishes what the simulated sensors say, takes commands."""

    def __init__(self) -> None:
        super().__init__("scene_sim")
        factor = ParameterDescriptor(
            description="Simulated per wall time; 0: as fast as possible", dynamic_typing=True
        )
        self.declare_parameter("real_time_factor", 1.0, factor)
        parameters = declare_parameters(self, SceneSimParameters)
        initial = self._checked_factor(self.get_parameter("real_time_factor").value)
        self._simulator, bridge = _opened(parameters)
        for warning in self._simulator.warnings:
            self.get_logger().warning(warning)
        self._publishers_by_topic: dict[str, Any] = {}
        self._clock_publisher = self.create_publisher(Clock, "/clock", RELIABLE)
        self._clock_period = round(SECOND / parameters.clock_rate)
        self._clock_told = -self._clock_period
        self._connect(bridge)
        self.diagnostics = NodeDiagnostics(self, self._summary)
        self._drawing_error = ""
        company = (self.diagnostics, self._while_context_lives)
        self._eyes = EyeTopics(self, self._simulator, parameters.eyes, *company)
        self._hands: HandTopics | None = None
        if parameters.hands:
            timeout = parameters.hand_timeout
            self._hands = HandTopics(self, self._simulator, timeout, *company)
        self.runner = self._new_runner(initial, parameters.drawing_threads)
        self._offer_services()
        self.add_on_set_parameters_callback(self._on_parameters)
        self._watch = wall_timer(self, 0.5, self._look_around)
        self.runner.start(parameters.paused)
        pace = f"{initial:g} times real time" if initial else "as fast as it goes"
        pace += ", paused" if parameters.paused else ""
        self.diagnostics.ready(f"{parameters.world}, {pace}")

    def _new_runner(self, factor: float, drawers: int) -> Runner:
        """Return what steps and draws the scene, on threads that let others go first."""
        renderer = RenderThreads(
            self._simulator.new_painter,
            self._send_frame,
            self._cannot_draw,
            partial(yield_to_others, DRAWING),
            drawers,
        )
        return Runner(
            self._simulator,
            factor,
            self._send,
            renderer,
            partial(yield_to_others, SIMULATOR),
            self._observe,
        )

    # Topics

    def _connect(self, bridge: tuple[BridgedTopic, ...]) -> None:
        inputs = {servo.topic: self._servo_input(servo.joint) for servo in self._simulator.servos}
        inputs |= {drive.topic: self._drive_input(drive.model) for drive in self._simulator.drives}
        inputs |= {flyer.topic: self._flyer_input(flyer.model) for flyer in self._simulator.flyers}
        known = self._simulator.topics | {c.info_topic for c in self._simulator.cameras.values()}
        for topic in bridge:
            if topic.gz_topic == "clock":
                continue
            if topic.direction != "GZ_TO_ROS" and topic.gz_topic in inputs:
                kind, callback = inputs[topic.gz_topic]
                self.create_subscription(kind, topic.ros_topic, callback, RELIABLE)
            elif topic.direction != "ROS_TO_GZ" and topic.gz_topic in known:
                self._add_output(topic)
            else:
                self.get_logger().warning(
                    f"bridge: nothing in this scene has the topic '{topic.gz_topic}'"
                )
        for name in self._simulator.movable_models:
            self.create_subscription(
                PoseStamped, f"/scene_sim/{name}/set_pose", self._pose_input(name), RELIABLE
            )

    def _add_output(self, topic: BridgedTopic) -> None:
        if topic.ros_type not in TYPES:
            raise ConfigurationError(
                f"bridge: '{topic.ros_type}': expected one of {', '.join(TYPES)}"
            )
        kind = TYPES[topic.ros_type]
        qos = SENSOR_DATA if kind in SENSOR_TYPES else RELIABLE
        self._publishers_by_topic[topic.gz_topic] = self.create_publisher(
            kind, topic.ros_topic, qos
        )

    def _servo_input(self, joint: str) -> tuple[type, Callable[[Float64], None]]:
        def take(message: Float64) -> None:
            if not math.isfinite(message.data):
                self.diagnostics.refuse(f"command of {joint} refused", f"{message.data} rad")
                return
            self.runner.do(lambda: self._simulator.set_joint_target(joint, message.data))

        return Float64, take

    def _drive_input(self, model: str) -> tuple[type, Callable[[Twist], None]]:
        def take(message: Twist) -> None:
            linear, angular = message.linear.x, message.angular.z
            if not math.isfinite(linear + angular):
                self.diagnostics.refuse(f"cmd_vel of {model} refused", f"{linear}, {angular}")
                return
            self.runner.do(lambda: self._simulator.set_velocity(model, linear, angular))

        return Twist, take

    def _flyer_input(self, model: str) -> tuple[type, Callable[[Twist], None]]:
        def take(message: Twist) -> None:
            linear = (message.linear.x, message.linear.y, message.linear.z)
            angular = (message.angular.x, message.angular.y, message.angular.z)
            if not math.isfinite(sum(linear) + sum(angular)):
                self.diagnostics.refuse(f"cmd_vel of {model} refused", f"{linear}, {angular}")
                return
            self.runner.do(lambda: self._simulator.set_body_velocity(model, linear, angular))

        return Twist, take

    def _pose_input(self, model: str) -> Callable[[PoseStamped], None]:
        def take(message: PoseStamped) -> None:
            try:
                pose = pose_in_world(message)
            except MessageError as error:
                self.diagnostics.refuse(f"set_pose of {model} refused", error)
                return
            self.runner.do(lambda: self._simulator.set_model_pose(model, pose))

        return take

    def _send(self, clock: int, readings: list[Reading]) -> None:
        """Publish a slice; on the physics thread."""
        with self._while_context_lives():
            due = not 0 <= clock - self._clock_told < self._clock_period
            if due or self.runner.paused:
                self._clock_publisher.publish(clock_message(clock))
                self._clock_told = clock
            for reading in with_joints_joined(readings):
                publisher = self._heard(reading.topic)
                if publisher is not None:
                    publisher.publish(CONVERSIONS[type(reading.data)](reading.data))

    def _observe(self) -> None:
        """Let a person in the view see and act; on the physics thread, between slices."""
        self._eyes.observe()
        if self._hands is not None:
            self._hands.observe()

    def _send_frame(self, shot: CameraShot, frame: CameraFrame) -> None:
        """Publish an image and its CameraInfo; on the drawing thread."""
        sensor, stamp, frame_id = shot.sensor, frame.stamp, frame.frame_id
        with self._while_context_lives():
            image, info = self._heard(sensor.topic), self._heard(sensor.info_topic)
            if image is not None:
                image.publish(image_from_array(frame.pixels, "rgb8", stamp, frame_id))
            if info is not None:
                info.publish(camera_info_from_model(sensor.model, stamp, frame_id))

    def _heard(self, gz_topic: str) -> Any:
        """Return the publisher of a topic, or None where nobody listens: messages cost time."""
        publisher = self._publishers_by_topic.get(gz_topic)
        return publisher if publisher and publisher.get_subscription_count() else None

    @contextmanager
    def _while_context_lives(self) -> Iterator[None]:
        """Swallow what a Ctrl-C, which takes the context away, does to the other threads."""
        try:
            yield
        except RCLError:
            if self.context.ok():
                raise

    def _cannot_draw(self, reason: str) -> None:
        self._drawing_error = reason
        self.get_logger().error(f"no camera images: {reason}")

    # Services and parameters

    def _offer_services(self) -> None:
        self.create_service(SetBool, "~/pause", self._pause)
        self.create_service(Trigger, "~/step", self._step)
        self.create_service(Trigger, "~/reset", self._reset)

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self.runner.pause(request.data)
        response.success, response.message = True, "paused" if request.data else "running"
        return response

    def _step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if not self.runner.paused:
            response.success, response.message = False, "not paused: pause first"
            return response
        response.success = self.runner.do_and_wait(self.runner.step)
        response.message = f"time is {self._simulator.time / 1e9:.3f} s"
        return response

    def _reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self.runner.do_and_wait(self.runner.reset)
        response.message = "time is 0 s" if response.success else "not reset in time"
        return response

    @staticmethod
    def _checked_factor(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0.0:
            raise ConfigurationError(f"real_time_factor = {value!r}: expected 0 or more")
        return float(value)

    def _on_parameters(self, changed: list[Parameter]) -> SetParametersResult:
        for item in changed:
            if item.name == "real_time_factor":
                try:
                    self.runner.set_factor(self._checked_factor(item.value))
                except ConfigurationError as error:
                    return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    # Health

    def _summary(self) -> tuple[object, str]:
        measured, wished = self.runner.pacer.measured, self.runner.pacer.factor
        counts = self.diagnostics.counts
        counts["waits for drawing"] = self.runner.renderer.waits
        counts["times behind"] = self.runner.pacer.slips
        if self._drawing_error:
            return ERROR, f"no camera images: {self._drawing_error}"
        if self._simulator.has_broken_down:
            return ERROR, "physics became unstable and put the scene back: reset it"
        if self.runner.paused:
            return OK, "paused"
        if measured is None:
            return OK, "starting"
        text = f"real-time factor {measured:.2f} (wished {wished:g})"
        if wished > 0.0 and measured < 0.95 * wished:
            self.diagnostics.warn("cannot keep up", text)
            return WARN, f"cannot keep up: {text}"
        return OK, text

    def _look_around(self) -> None:
        """Begin or end what somebody listens to or not; end where something is broken."""
        self._eyes.watch()
        error = self.runner.error or self.runner.renderer.error
        if error is not None:
            raise RuntimeError("the simulator broke down") from error

    def destroy_node(self) -> None:
        """Stop the threads, then the node."""
        if hasattr(self, "runner"):
            self.runner.close()
            self._eyes.close()
        super().destroy_node()


def main(args: list[str] | None = None) -> int:
    """Run the node; see the module's text."""
    return run_node(SceneSimNode, args, niceness=SIMULATOR)


if __name__ == "__main__":
    sys.exit(main())
