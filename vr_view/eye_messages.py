"""Eyes and sensor_msgs/CameraInfo, as ROS has stereo: the right one's P[3] tells the distance."""

from __future__ import annotations

import math

from sensor_msgs.msg import CameraInfo

from ros_interface.errors import MessageError
from ros_interface.image_messages import camera_info_from_model
from vr_view.viewpoints.eyes import Eyes

LARGEST_DISTANCE = 1.0  # m


def camera_info_of_eye(eyes: Eyes, side: str, frame_id: str) -> CameraInfo:
    """Return the message of one eye, without a stamp: P[3] is -fx times the distance, right."""
    model = eyes.camera(side)
    message = camera_info_from_model(model, 0, frame_id)
    if side == "right":
        message.p[3] = -float(model.matrix[0, 0]) * eyes.distance
    return message


def eye_distance(right: CameraInfo) -> float | None:
    """Return the distance between the eyes (m) that the right one tells; None where it tells none.

    Raises MessageError for a distance that no eyes have.
    """
    if right.p[3] == 0.0 or right.p[0] == 0.0:
        return None
    distance = -right.p[3] / right.p[0]
    if not math.isfinite(distance) or not 0.0 < distance <= LARGEST_DISTANCE:
        raise MessageError(
            f"CameraInfo.p[3] = {right.p[3]} puts the eyes {distance} m apart: expected up to "
            f"{LARGEST_DISTANCE:g}, as -fx times the distance"
        )
    return float(distance)
