"""ROS messages as what the page is sent (docs/vr_protocol.md): the border, and only conversion.

Each function returns the fields of a topic's message, or a header and bytes. Numbers that JSON does
not have become None. Raises MessageError where a message cannot be shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import cv2
import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Pose, PoseStamped, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, CompressedImage, Image, LaserScan
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from ros_interface.compressed_images import jpeg_bytes
from ros_interface.diagnostics import as_level
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import pose_from_message
from ros_interface.image_messages import array_from_image
from ros_interface.stamps import nanoseconds_from_stamp
from vr_view.server.marker_board import Marker as ShownMarker
from vr_view.server.marker_board import MarkerBoard
from vr_view.server.pose_error import PlanarPose, PoseError
from vr_view.server.topics import TransformRow

Json = dict[str, Any]
MOST_POINTS = 20_000
SHAPES = {
    Marker.ARROW: "arrow",
    Marker.CUBE: "box",
    Marker.SPHERE: "sphere",
    Marker.CYLINDER: "cylinder",
    Marker.LINE_STRIP: "line_strip",
    Marker.LINE_LIST: "line_list",
    Marker.POINTS: "points",
    Marker.TEXT_VIEW_FACING: "text",
}
TO_BGR = {
    "rgb8": cv2.COLOR_RGB2BGR,
    "rgba8": cv2.COLOR_RGBA2BGR,
    "bgra8": cv2.COLOR_BGRA2BGR,
}
FACTOR = re.compile(r"real-time factor ([\d.]+) \(wished ([\d.]+)\)")


def seconds(stamp: Any) -> float:
    """Return a stamp in seconds."""
    return float(stamp.sec) + 1e-9 * float(stamp.nanosec)


def finite(value: float) -> float | None:
    """Return the number, None where JSON does not have it."""
    return float(value) if math.isfinite(value) else None


def pose_numbers(pose: Pose) -> list[float]:
    """Return [x, y, z, qx, qy, qz, qw]; MessageError where one is not finite."""
    p, q = pose.position, pose.orientation
    numbers = [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
    if not all(map(math.isfinite, numbers)):
        raise MessageError(f"Pose has {numbers}: expected finite numbers")
    return numbers


def transform_rows(message: TFMessage) -> list[TransformRow]:
    """Return the transforms that are finite."""
    rows = []
    for item in message.transforms:
        t, q = item.transform.translation, item.transform.rotation
        numbers = (t.x, t.y, t.z, q.x, q.y, q.z, q.w)
        if all(map(math.isfinite, numbers)):
            stamp = seconds(item.header.stamp)
            rows.append((item.header.frame_id, item.child_frame_id, stamp, *numbers))
    return rows


def scan_value(message: LaserScan) -> tuple[Json, bytes]:
    """Return header and float32 ranges."""
    numbers = (message.angle_min, message.angle_increment, message.range_min, message.range_max)
    if not all(map(math.isfinite, numbers)):
        raise MessageError(f"LaserScan has angles and limits {numbers}: expected finite numbers")
    header = {
        "frame": message.header.frame_id,
        "stamp": seconds(message.header.stamp),
        "angle_min": numbers[0],
        "angle_increment": numbers[1],
        "range_min": numbers[2],
        "range_max": numbers[3],
        "count": len(message.ranges),
    }
    return header, np.asarray(message.ranges, dtype="<f4").tobytes()


def image_value(message: Image) -> tuple[Json, bytes]:
    """Return header and a JPEG of the image."""
    pixels = array_from_image(message)
    if pixels.dtype != np.uint8:
        raise MessageError(f"Image.encoding = '{message.encoding}': expected 8 bits a channel")
    conversion = TO_BGR.get(message.encoding)
    if conversion is not None:
        pixels = cv2.cvtColor(pixels, conversion)
    data = jpeg_bytes(pixels)
    header = {
        "frame": message.header.frame_id,
        "stamp": seconds(message.header.stamp),
        "width": int(message.width),
        "height": int(message.height),
        "format": "jpeg",
    }
    return header, data


def compressed_image_value(message: CompressedImage) -> tuple[Json, bytes]:
    """Return header and the image as it came; its size is in the file."""
    words = message.format.lower()
    kind = next((name for name in ("png", "webp") if name in words), "jpeg")
    header = {
        "frame": message.header.frame_id,
        "stamp": seconds(message.header.stamp),
        "width": None,
        "height": None,
        "format": kind,
    }
    return header, bytes(message.data)


def pose_value(message: PoseStamped) -> Json:
    """Return where something is."""
    return _stamped(message, message.pose)


def estimate_value(message: PoseWithCovarianceStamped) -> Json:
    """Return pose and covariance."""
    covariance = [finite(value) for value in message.pose.covariance]
    return {**_stamped(message, message.pose.pose), "covariance": covariance}


def odometry_value(message: Odometry) -> Json:
    """Return pose and velocity."""
    linear, angular = message.twist.twist.linear, message.twist.twist.angular
    return {
        **_stamped(message, message.pose.pose),
        "child": message.child_frame_id,
        "linear": [finite(value) for value in (linear.x, linear.y, linear.z)],
        "angular": [finite(value) for value in (angular.x, angular.y, angular.z)],
    }


def _stamped(message: Any, pose: Pose) -> Json:
    header = message.header
    return {
        "frame": header.frame_id,
        "stamp": seconds(header.stamp),
        "pose": pose_numbers(pose),
    }


def planar_pose(message: Any) -> PlanarPose:
    """Return the pose of a message with a pose and a covariance, flat; yaw where it is known."""
    pose = pose_from_message(message.pose.pose)
    known = message.pose.covariance[35] < 10.0
    x, y, _ = pose.translation
    stamp = nanoseconds_from_stamp(message.header.stamp)
    return PlanarPose(stamp, float(x), float(y), pose.yaw if known else None)


def error_value(error: PoseError) -> Json:
    """Return how far the estimate is off."""
    return {
        "stamp": 1e-9 * error.stamp,
        "x": error.x,
        "y": error.y,
        "distance": error.distance,
        "yaw": error.yaw,
    }


def status_value(message: DiagnosticStatus) -> Json:
    """Return a status with its values."""
    return {
        "name": message.name,
        "level": as_level(message.level)[0],
        "text": message.message,
        "values": {pair.key: pair.value for pair in message.values},
    }


def latency_values(message: DiagnosticArray) -> dict[str, str]:
    """Return the values of all statuses by name: `viewpoint head_age_ms`."""
    return {
        f"{status.name} {pair.key}": pair.value
        for status in message.status
        for pair in status.values
    }


def simulator_value(status: DiagnosticStatus, time: float | None) -> Json:
    """Return how the simulator runs, of its own diagnostics."""
    found = FACTOR.search(status.message)
    return {
        "time": time,
        "paused": status.message == "paused",
        "factor": float(found[1]) if found else None,
        "wished": float(found[2]) if found else None,
        "level": as_level(status.level)[0],
        "text": status.message,
    }


def battery_value(message: BatteryState) -> Json:
    """Return the battery."""
    return {
        "stamp": seconds(message.header.stamp),
        "voltage": finite(message.voltage),
        "current": finite(message.current),
        "remaining": finite(message.percentage),
    }


def text_value(message: String) -> Json:
    """Return a text."""
    return {"text": message.data}


def transfers_value(message: DiagnosticArray) -> Json:
    """Return the files that are sent or were sent last, the newest also by itself."""
    transfers = [_transfer(status) for status in message.status]
    newest = transfers[-1] if transfers else {"name": "", "state": "", "fraction": 0.0, "text": ""}
    return {**newest, "transfers": transfers}


def _transfer(status: DiagnosticStatus) -> Json:
    values = {pair.key: pair.value for pair in status.values}
    try:
        size, done = float(values.get("size", "")), float(values.get("done", ""))
    except ValueError:
        size = done = 0.0
    return {
        "name": status.name,
        "direction": values.get("direction", ""),
        "state": values.get("state", ""),
        "fraction": min(1.0, done / size) if size > 0.0 else 0.0,
        "text": status.message,
    }


def take_markers(message: MarkerArray, board: MarkerBoard, now: float) -> None:
    """Put markers on the board, or take them off; `now` (s) begins their lifetimes."""
    for mark in message.markers:
        key = (mark.ns, int(mark.id))
        if mark.action == Marker.DELETEALL:
            board.clear()
        elif mark.action == Marker.DELETE:
            board.delete(key)
        elif mark.type in SHAPES and len(mark.points) <= MOST_POINTS:
            life = seconds(mark.lifetime)
            until = now + life if life > 0.0 else math.inf
            board.add(ShownMarker(key, _marker_value(mark), until))


def _marker_value(mark: Marker) -> Json:
    points = [coordinate for point in mark.points for coordinate in (point.x, point.y, point.z)]
    if not all(map(math.isfinite, points)):
        raise MessageError(f"Marker {mark.ns}/{mark.id} has points that are not finite")
    return {
        "ns": mark.ns,
        "id": int(mark.id),
        "shape": SHAPES[mark.type],
        "frame": mark.header.frame_id,
        "pose": pose_numbers(mark.pose),
        "scale": _finite_list((mark.scale.x, mark.scale.y, mark.scale.z)),
        "colour": _colour(mark.color),
        "points": points,
        "colours": [part for colour in mark.colors for part in _colour(colour)],
        "text": mark.text,
    }


def _colour(colour: Any) -> list[float]:
    return _finite_list((colour.r, colour.g, colour.b, colour.a))


def _finite_list(values: Iterable[float]) -> list[float]:
    return [value if math.isfinite(value) else 0.0 for value in values]


def position_of(value: Sequence[float]) -> tuple[float, float, float]:
    """Return x, y, z of [x, y, z, qx, qy, qz, qw]."""
    return (value[0], value[1], value[2])
