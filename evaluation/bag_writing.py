"""Record a trial into a rosbag2 (MCAP): what `ros2 bag record` would have written of the graph."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.interfaces import (
    Connection,
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError
from rosbags.typesys import Stores, get_typestore

from evaluation.errors import BagError
from evaluation.lockstep import CAMERA_TOPIC, LockStep
from scene_sim.readings import JointStates, Odometry
from spatial_types.camera import CameraFrame, CameraModel
from spatial_types.scan import Scan
from spatial_types.transforms import Transform

FIXED_LINKS = (("map", "lrf_link"), ("map", "camera_base_link"))
PAN_LINKS = ("camera_base_link", "camera_pan_link")
OPTICAL_LINKS = ("camera_pan_link", "camera_optical_frame")
STATIC_TF = "/tf_static"
_ENDLESS = QosTime(9223372036, 854775807)
# As tf2's static broadcaster offers: a player that does not would not be heard by its listeners.
LATCHED = Qos(
    QosHistory.KEEP_LAST,
    1,
    QosReliability.RELIABLE,
    QosDurability.TRANSIENT_LOCAL,
    _ENDLESS,
    _ENDLESS,
    QosLiveliness.AUTOMATIC,
    _ENDLESS,
    False,
)


class BagRecorder:
    """Writes scans, images, CameraInfo, joint states, tf and the reference of a lock-step run."""

    def __init__(self, path: Path) -> None:
        """Make a new bag; BagError where the path is taken."""
        self._store = get_typestore(Stores.LATEST)
        self._types: Any = self._store.types
        try:
            self._writer = Writer(path, version=9, storage_plugin=StoragePlugin.MCAP)
            self._writer.open()
        except (WriterError, OSError) as error:
            raise BagError(f"{path}: cannot be written: {error}") from None
        self._connections: dict[str, Connection] = {}

    def __enter__(self) -> BagRecorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()

    def see(self, step: LockStep, topic: str, data: Any) -> None:
        """Write one thing that the lock-step run told of."""
        if STATIC_TF not in self._connections:
            self._write_static_transforms(step)
        if isinstance(data, Scan):
            self._write(f"/{topic}", data.stamp, self._scan(data), step.now)
        elif isinstance(data, CameraFrame) and topic == CAMERA_TOPIC:
            self._write(f"/{topic}", data.stamp, self._image(data), step.now)
            info = self._camera_info(step.camera, data)
            self._write("/station/camera/camera_info", data.stamp, info, step.now)
        elif isinstance(data, JointStates):
            self._write(f"/{topic}", data.stamp, self._joint_state(data), step.now)
            pan = self._moving(step, data)
            self._write("/tf", data.stamp, pan, step.now)
        elif isinstance(data, Odometry):
            self._write(f"/{topic}", data.stamp, self._odometry(data), step.now)

    def _write(self, topic: str, stamp: int, message: Any, now: int) -> None:
        connection = self._connections.get(topic)
        kind = message.__msgtype__
        if connection is None:
            offered = (LATCHED,) if topic == STATIC_TF else ()
            connection = self._writer.add_connection(
                topic, kind, typestore=self._store, offered_qos_profiles=offered
            )
            self._connections[topic] = connection
        self._writer.write(connection, max(stamp, now), self._store.serialize_cdr(message, kind))

    def _header(self, stamp: int, frame: str) -> Any:
        seconds, rest = divmod(stamp, 10**9)
        time = self._types["builtin_interfaces/msg/Time"](seconds, rest)
        return self._types["std_msgs/msg/Header"](time, frame)

    def _scan(self, scan: Scan) -> Any:
        last = scan.angle_min + scan.angle_increment * (len(scan.ranges) - 1)
        return self._types["sensor_msgs/msg/LaserScan"](
            self._header(scan.stamp, scan.frame_id),
            scan.angle_min,
            last,
            scan.angle_increment,
            scan.time_increment,
            scan.scan_time,
            scan.range_min,
            scan.range_max,
            scan.ranges.astype(np.float32),
            np.zeros(0, dtype=np.float32),
        )

    def _image(self, frame: CameraFrame) -> Any:
        height, width = frame.pixels.shape[:2]
        header = self._header(frame.stamp, frame.frame_id)
        return self._types["sensor_msgs/msg/Image"](
            header, height, width, "rgb8", 0, 3 * width, frame.pixels.ravel()
        )

    def _camera_info(self, camera: CameraModel, frame: CameraFrame) -> Any:
        projection = np.hstack([camera.matrix, np.zeros((3, 1))])
        region = self._types["sensor_msgs/msg/RegionOfInterest"](0, 0, 0, 0, False)
        return self._types["sensor_msgs/msg/CameraInfo"](
            self._header(frame.stamp, frame.frame_id),
            camera.height,
            camera.width,
            camera.distortion_model,
            camera.distortion,
            camera.matrix.ravel(),
            np.eye(3).ravel(),
            projection.ravel(),
            0,
            0,
            region,
        )

    def _joint_state(self, joints: JointStates) -> Any:
        return self._types["sensor_msgs/msg/JointState"](
            self._header(joints.stamp, ""),
            list(joints.names),
            joints.positions,
            joints.velocities,
            np.zeros(0),
        )

    def _odometry(self, odometry: Odometry) -> Any:
        types = self._types
        vector = types["geometry_msgs/msg/Vector3"]
        covariance = np.zeros(36)
        twist = types["geometry_msgs/msg/Twist"](
            vector(*_floats(odometry.linear_velocity)), vector(*_floats(odometry.angular_velocity))
        )
        pose = types["geometry_msgs/msg/Pose"](
            types["geometry_msgs/msg/Point"](*_floats(odometry.pose.translation)),
            types["geometry_msgs/msg/Quaternion"](*_floats(odometry.pose.quaternion)),
        )
        return types["nav_msgs/msg/Odometry"](
            self._header(odometry.stamp, odometry.frame_id),
            odometry.child_frame_id,
            types["geometry_msgs/msg/PoseWithCovariance"](pose, covariance),
            types["geometry_msgs/msg/TwistWithCovariance"](twist, covariance),
        )

    def _moving(self, step: LockStep, joints: JointStates) -> Any:
        positions = dict(zip(joints.names, joints.positions, strict=True))
        pose = step.kinematics.link_from_link(*PAN_LINKS, positions)
        return self._transforms(joints.stamp, [(*PAN_LINKS, pose)])

    def _write_static_transforms(self, step: LockStep) -> None:
        pairs = (*FIXED_LINKS, OPTICAL_LINKS)
        entries = [(a, b, step.kinematics.link_from_link(a, b, {})) for a, b in pairs]
        self._write(STATIC_TF, 0, self._transforms(0, entries), 0)

    def _transforms(self, stamp: int, entries: list[tuple[str, str, Transform]]) -> Any:
        types = self._types
        messages = []
        for parent, child, pose in entries:
            transform = types["geometry_msgs/msg/Transform"](
                types["geometry_msgs/msg/Vector3"](*_floats(pose.translation)),
                types["geometry_msgs/msg/Quaternion"](*_floats(pose.quaternion)),
            )
            header = self._header(stamp, parent)
            messages.append(types["geometry_msgs/msg/TransformStamped"](header, child, transform))
        return types["tf2_msgs/msg/TFMessage"](messages)


def _floats(values: NDArray[np.float64]) -> list[float]:
    return [float(value) for value in values]
