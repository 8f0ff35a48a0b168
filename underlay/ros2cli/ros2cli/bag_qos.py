"""QoS profiles between rclpy and bags."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.duration import Duration
from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSHistoryPolicy,
    QoSLivelinessPolicy,
    QoSProfile,
    QoSReliabilityPolicy,
)
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

#: Depth of a publisher whose recorded depth is unknown, as rosbag2 takes it.
DEFAULT_DEPTH = 10
#: What the wire format calls endless.
_ENDLESS = QosTime(9223372036, 854775807)
_NANO = 1_000_000_000


def recorded(profile: QoSProfile) -> Qos:
    """The profile of a publisher, as a bag keeps it."""
    return Qos(
        QosHistory(profile.history.value),
        profile.depth,
        QosReliability(profile.reliability.value),
        QosDurability(profile.durability.value),
        _time(profile.deadline),
        _time(profile.lifespan),
        QosLiveliness(profile.liveliness.value),
        _time(profile.liveliness_lease_duration),
        bool(profile.avoid_ros_namespace_conventions),
    )


def _time(duration: Duration) -> QosTime:
    seconds, nanoseconds = divmod(duration.nanoseconds, _NANO)
    return min(QosTime(seconds, nanoseconds), _ENDLESS)


def offered(profiles: Sequence[Qos]) -> tuple[QoSProfile, bool]:
    """The profile to play a topic with.

    Returns:
        The recorded profile, or the default one when the publishers' profiles differed; and
        whether they differed.
    """
    if not profiles:
        return QoSProfile(depth=DEFAULT_DEPTH), False
    first = profiles[0]
    differ = any(profile._replace(depth=0) != first._replace(depth=0) for profile in profiles)
    if differ:
        return QoSProfile(depth=DEFAULT_DEPTH), True
    keep_all = first.history == QosHistory.KEEP_ALL
    latched = first.durability == QosDurability.TRANSIENT_LOCAL
    best_effort = first.reliability == QosReliability.BEST_EFFORT
    profile = QoSProfile(
        history=QoSHistoryPolicy.KEEP_ALL if keep_all else QoSHistoryPolicy.KEEP_LAST,
        depth=first.depth or DEFAULT_DEPTH,
        reliability=(
            QoSReliabilityPolicy.BEST_EFFORT if best_effort else QoSReliabilityPolicy.RELIABLE
        ),
        durability=(
            QoSDurabilityPolicy.TRANSIENT_LOCAL if latched else QoSDurabilityPolicy.VOLATILE
        ),
    )
    if first.liveliness == QosLiveliness.MANUAL_BY_TOPIC:
        profile.liveliness = QoSLivelinessPolicy.MANUAL_BY_TOPIC
    for name in ("deadline", "lifespan", "liveliness_lease_duration"):
        limit: QosTime = getattr(first, name)
        if QosTime(0, 0) < limit < _ENDLESS:
            setattr(profile, name, Duration(seconds=limit.sec, nanoseconds=limit.nsec))
    return profile, False
