"""The headset as ROS topics: poses, what its eyes see, its controllers; and back, haptics."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, Vector3Stamped
from sensor_msgs.msg import CameraInfo, Joy
from std_msgs.msg import UInt16

from ros_interface.diagnostics import OK, status_message
from ros_interface.geometry_messages import message_from_pose
from ros_interface.qos import LATCHED, RELIABLE
from ros_interface.stamps import stamp_from_nanoseconds
from spatial_types.frustum import Frustum
from vr_view.eye_messages import camera_info_of_eye
from vr_view.hands.haptics import HapticsError, Pulse, pulse_from_strength, pulse_of
from vr_view.server.hub import Hub
from vr_view.server.protocol import Controller, Device, Eye, Eyes
from vr_view.viewpoints.device_axes import pose_from_y_up
from vr_view.viewpoints.eyes import SIDES
from vr_view.viewpoints.eyes import Eyes as ViewEyes

FRAME = "viewpoint_device"
RELEASED = Controller((0.0, 0.0), 0.0, 0.0, (False,) * 5)
BUTTONS = 5  # of docs/vr_hands.md: trigger, grip, stick, A or X, B or Y


class PageDevices:
    """Publishes what the one page with the device sends. May be called from any thread."""

    def __init__(self, node: Any, hub: Hub) -> None:
        self._node, self._hub = node, hub
        self._is_simulated_time = bool(node.get_parameter("use_sim_time").value)
        self._seen: set[str] = set()
        self._poses = {
            name: node.create_publisher(PoseStamped, f"/viewpoint/device/{name}", RELIABLE)
            for name in ("head", "left_hand", "right_hand")
        }
        self._joys: dict[str, Any] = {}
        self._infos: dict[str, Any] = {}
        for side in SIDES:
            hand = f"/viewpoint/{side}_hand"
            self._joys[side] = node.create_publisher(Joy, f"{hand}/joy", RELIABLE)
            self._infos[side] = node.create_publisher(
                CameraInfo, f"/viewpoint/device/{side}/camera_info", LATCHED
            )
            strength, pulse = partial(self._on_strength, side), partial(self._on_pulse, side)
            node.create_subscription(UInt16, f"{hand}/haptics", strength, RELIABLE)
            node.create_subscription(Vector3Stamped, f"{hand}/haptic_pulse", pulse, RELIABLE)
        self._latency = node.create_publisher(DiagnosticArray, "/viewpoint/latency", RELIABLE)

    def send(self, device: Device, age: float) -> None:
        """Publish poses that were measured `age` seconds ago, and the controllers.

        Simulated time stands still between two of its messages and may be paused, so an age in
        real seconds means nothing in it: stamps are those of arrival then.
        """
        now = self._node.get_clock().now().nanoseconds
        stamp = now if self._is_simulated_time else now - round(age * 1e9)
        for name in self._poses:
            numbers = getattr(device, name)
            if numbers is not None:
                self._send_pose(name, numbers, stamp)
        for side in SIDES:
            controller = getattr(device, side)
            if controller is not None:
                self._seen.add(side)
                self._send_joy(side, controller, stamp)

    def let_go(self) -> None:
        """The device is gone: its sticks and buttons are released, so that nothing drives on."""
        stamp = self._node.get_clock().now().nanoseconds
        for side in self._seen:
            self._send_joy(side, RELEASED, stamp)
        self._seen.clear()

    def set_eyes(self, eyes: Eyes) -> None:
        """Publish what the eyes see, latched."""
        cameras = {side: _frustum(getattr(eyes, side)) for side in SIDES}
        made = ViewEyes(distance=eyes.distance, **cameras)
        for side in SIDES:
            message = camera_info_of_eye(made, side, FRAME)
            message.header.stamp = self._node.get_clock().now().to_msg()
            self._infos[side].publish(message)

    def tell_latency(self) -> None:
        """Publish how old poses are when they come, and how pages draw."""
        statuses = []
        for session in list(self._hub.sessions.values()):
            values = {
                f"{name}{unit}": f"{value:.1f}"
                for name, unit, value in (
                    ("network", "_ms", session.network_age_ms),
                    ("round_trip", "_ms", session.report.round_trip),
                    ("render", "_ms", session.report.render),
                    ("frame_rate", "_hz", session.report.rate),
                    ("skipped_frames", "", session.report.skipped),
                )
                if value is not None
            }
            if values:
                statuses.append(status_message(f"page {session.name[:8]}", OK, "page", values))
        if statuses:
            message = DiagnosticArray(status=statuses)
            message.header.stamp = self._node.get_clock().now().to_msg()
            self._latency.publish(message)

    def _send_pose(self, name: str, numbers: Any, stamp: int) -> None:
        pose = pose_from_y_up(numbers[:3], numbers[3:])
        message = PoseStamped(pose=message_from_pose(pose))
        message.header.stamp, message.header.frame_id = stamp_from_nanoseconds(stamp), FRAME
        self._poses[name].publish(message)

    def _send_joy(self, side: str, controller: Controller, stamp: int) -> None:
        message = Joy(axes=joy_axes(controller), buttons=joy_buttons(controller))
        message.header.stamp = stamp_from_nanoseconds(stamp)
        message.header.frame_id = f"{FRAME}/{side}_hand"
        self._joys[side].publish(message)

    def _on_strength(self, side: str, message: UInt16) -> None:
        try:
            self._tell(side, pulse_from_strength(message.data))
        except HapticsError as error:
            self._hub.outside.refused("haptics", str(error))

    def _on_pulse(self, side: str, message: Vector3Stamped) -> None:
        try:
            self._tell(side, pulse_of(message.vector.x, message.vector.y))
        except HapticsError as error:
            self._hub.outside.refused("haptics", str(error))

    def _tell(self, side: str, pulse: Pulse) -> None:
        self._hub.tell("haptics", f"haptics {side}", hand=side, **dataclasses.asdict(pulse))


def joy_axes(controller: Controller) -> list[float]:
    """Return the axes of docs/vr_hands.md: stick left, stick forward, trigger, grip."""
    right, back = controller.stick
    return [-right, -back, controller.trigger, controller.grip]


def joy_buttons(controller: Controller) -> list[int]:
    """Return the buttons of docs/vr_hands.md; what a controller lacks is not pressed."""
    pressed = [int(button) for button in controller.buttons]
    return pressed + [0] * (BUTTONS - len(pressed))


def _frustum(eye: Eye) -> Any:
    width, height = (round(value) for value in eye.size)
    return Frustum(*eye.tangents).camera(width, height)
