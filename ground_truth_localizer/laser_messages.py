"""Messages of the laser localizer, built from plain results, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point, Pose, PoseArray, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from ground_truth_localizer.laser_result import LaserResult, TrackedTarget
from ground_truth_localizer.target_state import TargetState, TrackingState
from ros_interface.diagnostics import ERROR, OK, WARN, status_message
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import planar_covariance
from ros_interface.stamps import nanoseconds_from_stamp, stamp_from_nanoseconds

LEVELS = {
    TrackingState.TRACKING: OK,
    TrackingState.SEARCHING: WARN,
    TrackingState.LOST: ERROR,
}
MARKER_LIFETIME_NS = 500_000_000


def header(stamp: int, frame_id: str) -> Header:
    """Return a header of a time in ns."""
    return Header(stamp=stamp_from_nanoseconds(stamp), frame_id=frame_id)


def position_message(state: TargetState, frame_id: str) -> PoseWithCovarianceStamped:
    """Return the position; the covariance says that the orientation is unknown."""
    message = PoseWithCovarianceStamped(header=header(state.stamp, frame_id))
    message.pose.pose = _pose(state.position)
    message.pose.covariance = planar_covariance(state.covariance[:2, :2])
    return message


def odometry_message(state: TargetState, frame_id: str, child_frame_id: str) -> Odometry:
    """Return position and velocity.

    The laser knows no orientation: the pose's is the identity with unknown variance, and so the
    twist, which nav_msgs wants in the child's axes, is in those of `frame_id`. A target that stands
    has velocity zero with covariance zero.
    """
    message = Odometry(header=header(state.stamp, frame_id), child_frame_id=child_frame_id)
    message.pose.pose = _pose(state.position)
    message.pose.covariance = planar_covariance(state.covariance[:2, :2])
    message.twist.twist.linear.x = float(state.velocity[0])
    message.twist.twist.linear.y = float(state.velocity[1])
    message.twist.covariance = planar_covariance(state.covariance[2:, 2:])
    return message


def state_from_odometry(message: Odometry) -> TargetState:
    """Return the state told by `odometry_message` (without position-velocity covariance).

    Raises MessageError where a number is not finite or a covariance is none.
    """
    position, twist = message.pose.pose.position, message.twist.twist.linear
    covariance = np.zeros((4, 4))
    covariance[:2, :2] = _planar_block("pose", message.pose.covariance)
    covariance[2:, 2:] = _planar_block("twist", message.twist.covariance)
    velocity = np.array([twist.x, twist.y])
    numbers = [position.x, position.y, *velocity]
    if not np.all(np.isfinite(numbers)):
        raise MessageError(f"Odometry has x, y, vx, vy = {numbers}: expected finite numbers")
    stationary = not np.any(velocity) and not np.any(covariance[2:, 2:])
    return TargetState(
        nanoseconds_from_stamp(message.header.stamp),
        np.array([position.x, position.y]),
        velocity,
        covariance,
        stationary,
    )


def check_frame(found: str, expected: str) -> None:
    """Refuse a message that tells of another frame; MessageError."""
    if found != expected:
        raise MessageError(f"header.frame_id = '{found}': expected '{expected}'")


def _planar_block(name: str, covariance: Any) -> Any:
    """Covariance (2, 2) of x and y out of the 36 numbers of a message."""
    block = np.reshape(covariance, (6, 6))[:2, :2]
    if not np.all(np.isfinite(block)) or np.linalg.eigvalsh(block).min() < -1e-12:
        raise MessageError(
            f"Odometry.{name}.covariance of x, y = {block.tolist()}: expected a covariance"
        )
    return block


def targets_message(result: LaserResult, frame_id: str) -> PoseArray:
    """Return all targets of a scan, ordered by track."""
    message = PoseArray(header=header(result.stamp, frame_id))
    message.poses = [_pose(target.state.position) for target in result.targets]
    return message


def status_of(result: LaserResult) -> DiagnosticStatus:
    """Return the tracking state with its reason and what each target and refusal is."""
    values: dict[str, object] = {"state": result.state.value, "targets": len(result.targets)}
    for target in result.targets:
        values[f"target {target.track_id}"] = (
            f"{target.beams} beams, standing with probability {target.standing:.2f}"
        )
    for i, refusal in enumerate(result.refused[:10]):
        x, y = refusal.position
        values[f"refused {i + 1}"] = f"({x:.2f}, {y:.2f}) {refusal.reason}"
    level = LEVELS[result.state]
    text = f"{result.state.value}: {result.reason}"
    return status_message("ground_truth", level, text, values, "laser_localizer")


def markers_message(
    result: LaserResult, frame_id: str, heights: tuple[float, float]
) -> MarkerArray:
    """Return what RViz draws: cylinders, their two-sigma ellipses, velocities, and refusals."""
    markers: list[Marker] = []
    for target in result.targets:
        markers += _target_markers(target, frame_id, heights)
    for i, refusal in enumerate(result.refused[:20]):
        mark = _marker("refused", i, Marker.TEXT_VIEW_FACING, result.stamp, frame_id)
        mark.pose = _pose(refusal.position, heights[1])
        mark.scale.z = 0.08
        mark.color = _colour(0.9, 0.3, 0.2, 0.9)
        mark.text = refusal.reason
        markers.append(mark)
    return MarkerArray(markers=markers)


def zone_marker(corners: Any, stamp: int, frame_id: str, height: float) -> Marker:
    """Return the outer limit of the acceptance zone, corners (N, 2) in map, as a line."""
    mark = _marker("zone", 0, Marker.LINE_STRIP, stamp, frame_id)
    mark.lifetime.sec, mark.lifetime.nanosec = 0, 0
    mark.scale.x = 0.01
    mark.color = _colour(0.2, 0.6, 0.9, 0.8)
    mark.points = [Point(x=float(x), y=float(y), z=height) for x, y in corners]
    return mark


def _target_markers(
    target: TrackedTarget, frame_id: str, heights: tuple[float, float]
) -> list[Marker]:
    state, (bottom, top) = target.state, heights
    body = _marker("targets", target.track_id, Marker.CYLINDER, state.stamp, frame_id)
    body.pose = _pose(state.position, 0.5 * (bottom + top))
    body.scale.x = body.scale.y = 2.0 * target.radius
    body.scale.z = top - bottom
    body.color = _colour(0.2, 0.8, 0.3, 0.6)
    name = _marker("names", target.track_id, Marker.TEXT_VIEW_FACING, state.stamp, frame_id)
    name.pose = _pose(state.position, top + 0.1)
    name.scale.z = 0.12
    name.color = _colour(1.0, 1.0, 1.0, 1.0)
    name.text = f"{target.track_id} {'stands' if state.stationary else 'drives'}"
    arrow = _marker("velocity", target.track_id, Marker.ARROW, state.stamp, frame_id)
    arrow.scale.x, arrow.scale.y = 0.02, 0.05
    arrow.color = _colour(0.9, 0.8, 0.2, 0.9)
    tip = state.position + state.velocity
    arrow.points = [_point(state.position, top), _point(tip, top)]
    return [body, name, arrow, _ellipse(target, frame_id, top)]


def _ellipse(target: TrackedTarget, frame_id: str, height: float) -> Marker:
    state = target.state
    values, axes = np.linalg.eigh(state.covariance[:2, :2])
    yaw = float(np.arctan2(axes[1, 1], axes[0, 1]))
    mark = _marker("uncertainty", target.track_id, Marker.CYLINDER, state.stamp, frame_id)
    mark.pose = _pose(state.position, height + 0.005)
    mark.pose.orientation.z, mark.pose.orientation.w = np.sin(yaw / 2), np.cos(yaw / 2)
    mark.scale.x, mark.scale.y = (max(4.0 * float(np.sqrt(v)), 1e-4) for v in values[::-1])
    mark.scale.z = 0.005
    mark.color = _colour(0.9, 0.2, 0.9, 0.7)
    return mark


def _marker(namespace: str, number: int, kind: int, stamp: int, frame_id: str) -> Marker:
    mark = Marker(header=header(stamp, frame_id), ns=namespace, id=number, type=kind)
    mark.action = Marker.ADD
    mark.pose.orientation.w = 1.0
    mark.lifetime.nanosec = MARKER_LIFETIME_NS
    return mark


def _pose(position: Any, height: float = 0.0) -> Pose:
    pose = Pose(position=_point(position, height))
    pose.orientation.w = 1.0
    return pose


def _point(position: Any, height: float) -> Point:
    return Point(x=float(position[0]), y=float(position[1]), z=float(height))


def _colour(r: float, g: float, b: float, a: float) -> ColorRGBA:
    return ColorRGBA(r=r, g=g, b=b, a=a)
