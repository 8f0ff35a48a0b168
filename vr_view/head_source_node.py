"""Node `head_source`: a head, and hands, from SteamVR or from a script.

Publishes what a headset's page publishes too: /viewpoint/device/head, left_hand, right_hand, both
eyes' camera_info, /viewpoint/left_hand/joy, right_hand/joy; from SteamVR also a tf tree of its own
below `viewpoint_device`, which nothing joins to the map: only how a hand lies to the head counts.
"""

from __future__ import annotations

import importlib
import sys
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped, Vector3Stamped
from sensor_msgs.msg import CameraInfo, Joy
from std_msgs.msg import UInt16
from tf2_ros import TransformBroadcaster

from ros_interface.diagnostics import OK, WARN, NodeDiagnostics
from ros_interface.errors import ConfigurationError
from ros_interface.geometry_messages import message_from_pose, stamped_transform
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import LATCHED, RELIABLE
from ros_interface.quiet_node import QuietNode
from ros_interface.stamps import stamp_from_nanoseconds
from ros_interface.timers import wall_timer
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform
from vr_view.eye_messages import camera_info_of_eye
from vr_view.hands.haptics import HapticsError, Pulse, pulse_from_strength, pulse_of, strength_of
from vr_view.head_sources.openvr_device import HEAD, DeviceReading, OpenVrDevice
from vr_view.head_sources.scripted import ScriptedHead
from vr_view.unique_stamps import UniqueStamps
from vr_view.viewpoints.eyes import SIDES, Eyes

DEVICE = "viewpoint_device"


@dataclass(frozen=True)
class HeadSourceParameters:
    """Where the head comes from."""

    source: str = parameter("scripted", "What tells the head", choices=("scripted", "openvr"))
    rate: float = parameter(90.0, "Readings a second", unit="Hz", minimum=1.0, maximum=500.0)
    script: tuple[str, ...] = parameter(
        ["0 -60 10 0", "6 60 10 0", "12 -60 10 0"],
        "Lines of: seconds, yaw, pitch, roll (deg), and optionally x, y, z (m); begins again",
    )
    retry: float = parameter(
        2.0, "How often SteamVR is looked for", unit="s", minimum=0.1, maximum=60.0
    )
    grip_pitch: float = parameter(
        0.0, "SteamVR's pose of a controller to its grip, downward positive", unit="rad"
    )


class HeadSourceNode(QuietNode):
    """Read, convert, publish."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open topics; `node_options` go to rclpy's Node."""
        super().__init__("head_source", **node_options)
        options = self._options = declare_parameters(self, HeadSourceParameters)
        self._device = _openvr(options) if options.source == "openvr" else None
        self._script = ScriptedHead(options.script)
        self._diagnostics = NodeDiagnostics(self, self._summary)
        self._stamps = UniqueStamps()
        self._begin = time.monotonic()
        self._eyes: Eyes | None = None
        self._pulses: dict[str, tuple[float, Pulse]] = {}
        self._topics: dict[str, Any] = {}
        self._tf = TransformBroadcaster(self)
        wall_timer(self, 1.0 / options.rate, self._tick)
        if self._device is not None:
            wall_timer(self, 1.0, self._tell_eyes)
            self._subscribe()

    def _subscribe(self) -> None:
        for side in SIDES:
            hand = f"/viewpoint/{side}_hand"
            on_strength, on_pulse = partial(self._on_strength, side), partial(self._on_pulse, side)
            self.create_subscription(UInt16, f"{hand}/haptics", on_strength, RELIABLE)
            self.create_subscription(Vector3Stamped, f"{hand}/haptic_pulse", on_pulse, RELIABLE)

    def destroy_node(self) -> None:
        """Leave SteamVR too."""
        if self._device is not None:
            self._device.close()
        super().destroy_node()

    def _tick(self) -> None:
        now = time.monotonic()
        if self._device is None:
            reading = DeviceReading({HEAD: self._script.pose(now - self._begin)})
        else:
            found = self._device.read(now)
            if found is None:
                self._eyes = None
                self._diagnostics.lack("readings without SteamVR", self._device.reason)
                return
            reading = found
            self._drive_motors(now)
        self._send(reading)

    def _send(self, reading: DeviceReading) -> None:
        stamp = self._stamps.next(self.get_clock().now().nanoseconds)
        for name, pose in reading.poses.items():
            message = PoseStamped(pose=message_from_pose(pose))
            message.header.stamp = stamp_from_nanoseconds(stamp)
            message.header.frame_id = DEVICE
            self._publish(PoseStamped, f"/viewpoint/device/{name}", message)
            if self._device is not None:
                self._tf.sendTransform(stamped_transform(pose, stamp, DEVICE, f"{DEVICE}/{name}"))
        for side, controls in reading.controls.items():
            joy = Joy(axes=list(controls.axes), buttons=list(controls.buttons))
            joy.header.stamp = stamp_from_nanoseconds(stamp)
            joy.header.frame_id = f"{DEVICE}/{side}_hand"
            self._publish(Joy, f"/viewpoint/{side}_hand/joy", joy)
        self._diagnostics.count("readings")

    def _publish(self, kind: type, topic: str, message: Any, qos: Any = RELIABLE) -> None:
        """Publish; a topic is opened with its first message, so that none promises too much."""
        if topic not in self._topics:
            self._topics[topic] = self.create_publisher(kind, topic, qos)
        self._topics[topic].publish(message)

    def _tell_eyes(self) -> None:
        assert self._device is not None
        eyes = self._device.eyes()
        if eyes is None or (self._eyes is not None and _alike(eyes, self._eyes)):
            return
        self._eyes = eyes
        for side in SIDES:
            info = camera_info_of_eye(eyes, side, f"{DEVICE}/{side}_eye_optical")
            info.header.stamp = self.get_clock().now().to_msg()
            self._publish(CameraInfo, f"/viewpoint/device/{side}/camera_info", info, LATCHED)

    def _on_strength(self, side: str, message: UInt16) -> None:
        self._feel(side, pulse_from_strength, message.data)

    def _on_pulse(self, side: str, message: Vector3Stamped) -> None:
        self._feel(side, pulse_of, message.vector.x, message.vector.y)

    def _feel(self, side: str, make: Any, *values: float) -> None:
        try:
            pulse = make(*values)
        except HapticsError as error:
            self._diagnostics.refuse("bad pulses", error)
            return
        self._pulses[side] = time.monotonic() + pulse.seconds, pulse

    def _drive_motors(self, now: float) -> None:
        assert self._device is not None
        for side, (end, pulse) in list(self._pulses.items()):
            if now >= end:
                del self._pulses[side]
            else:
                self._device.drive_motor(side, strength_of(pulse))

    def _summary(self) -> tuple[object, str]:
        device = self._device
        if device is None:
            return OK, "scripted"
        if device.connected:
            return OK, "SteamVR"
        return WARN, f"waiting for SteamVR ({device.tries} tries): {device.reason}"


def _openvr(options: HeadSourceParameters) -> OpenVrDevice:
    try:
        module = importlib.import_module("openvr")
    except ImportError as error:
        raise ConfigurationError(
            f"source = 'openvr' needs the Python package openvr (pip install openvr): {error}"
        ) from None
    return OpenVrDevice(
        module, options.retry, Transform.from_rpy(rpy=(0.0, options.grip_pitch, 0.0))
    )


def _alike(one: Eyes, other: Eyes) -> bool:
    messages = [[camera_info_of_eye(eyes, side, "") for side in SIDES] for eyes in (one, other)]
    return messages[0] == messages[1]


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(HeadSourceNode, args)


if __name__ == "__main__":
    sys.exit(main())
