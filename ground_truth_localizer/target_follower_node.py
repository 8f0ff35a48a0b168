"""What the camera's nodes have in common: transforms, and the target as the laser tells it."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

import tf2_ros
from diagnostic_msgs.msg import DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.time import Time

from ground_truth_localizer.laser_messages import check_frame, state_from_odometry
from ground_truth_localizer.target_state import TargetState, TrackingState
from ros_interface.diagnostics import NodeDiagnostics
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import transform_from_message
from ros_interface.parameters import declare_parameters
from ros_interface.qos import LATCHED, RELIABLE
from ros_interface.quiet_node import QuietNode
from ros_interface.time_jumps import RestartingBuffer, StampWatch, is_anew
from spatial_types.transforms import Transform

LASER_TOPIC = "/ground_truth/laser_odometry"
STATUS_TOPIC = "/ground_truth/status"


class HasMapFrame(Protocol):
    """Parameters of such a node."""

    @property
    def map_frame(self) -> str:
        """Frame in which the laser tells the target."""


P = TypeVar("P", bound=HasMapFrame)


class TargetFollowerNode(QuietNode, Generic[P]):
    """A node that knows the newest state of the target, None while it is lost."""

    def __init__(self, name: str, parameters: type[P], **node_options: Any) -> None:
        """Declare the parameters, listen to tf and to the laser."""
        super().__init__(name, **node_options)
        self._options = declare_parameters(self, parameters)
        self._diagnostics = NodeDiagnostics(self, self._summary)
        self._target: TargetState | None = None
        self._tf = RestartingBuffer()
        self._listener = tf2_ros.TransformListener(self._tf, self)
        self._watch = StampWatch(self._tf)
        self.create_subscription(Odometry, LASER_TOPIC, self._on_target, RELIABLE)
        self.create_subscription(DiagnosticStatus, STATUS_TOPIC, self._on_status, LATCHED)

    def _summary(self) -> tuple[object, str]:
        raise NotImplementedError

    def _on_lost(self) -> None:
        """Called whenever the laser does not follow the target."""

    def _on_target(self, message: Odometry) -> None:
        try:
            check_frame(message.header.frame_id, self._options.map_frame)
            self._target = state_from_odometry(message)
        except MessageError as error:
            self._target = None
            self._diagnostics.refuse("bad positions", error)

    def _on_status(self, message: DiagnosticStatus) -> None:
        if not message.message.startswith(TrackingState.TRACKING.value):
            self._target = None
            self._on_lost()

    def _begins_anew(self, stamp: int) -> bool:
        """Take in the stamp (ns) of own data; where time began anew, forget the time before."""
        if not self._watch.see(stamp):
            return False
        if self._target is not None and is_anew(stamp, self._target.stamp):
            self._target = None
        return True

    def _lookup(self, target: str, source: str, stamp: int | None = None) -> Transform:
        """Return target_from_source at a time (ns), the newest without one.

        Raises tf2_ros.TransformException where it is not known, MessageError where it is none.
        """
        time = Time() if stamp is None else Time(nanoseconds=stamp)
        return transform_from_message(self._tf.lookup_transform(target, source, time).transform)
