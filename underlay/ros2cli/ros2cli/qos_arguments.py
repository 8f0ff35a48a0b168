"""`--qos-*` options, and the profile that suits the publishers of a topic."""

from __future__ import annotations

import copy
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSHistoryPolicy,
    QoSLivelinessPolicy,
    QoSPresetProfiles,
    QoSProfile,
    QoSReliabilityPolicy,
)

_POLICIES = {
    "history": QoSHistoryPolicy,
    "reliability": QoSReliabilityPolicy,
    "durability": QoSDurabilityPolicy,
    "liveliness": QoSLivelinessPolicy,
}
_LEASE = "liveliness_lease_duration_seconds"


def add_qos_arguments(parser: ArgumentParser, default: str) -> None:
    """Describe the options."""
    parser.add_argument(
        "--qos-profile",
        choices=QoSPresetProfiles.short_keys(),
        default=default,
        help=f"Quality of service preset profile (default: {default})",
    )
    parser.add_argument("--qos-depth", metavar="N", type=int, help="Queue size")
    for name, policy in _POLICIES.items():
        parser.add_argument(
            f"--qos-{name}",
            choices=policy.short_keys(),
            help=f"Quality of service {name} (overrides that of --qos-profile)",
        )
    parser.add_argument(
        "--qos-liveliness-lease-duration-seconds",
        type=float,
        help="Liveliness lease duration (overrides that of --qos-profile)",
    )


def is_chosen(args: Namespace) -> bool:
    """Whether any single policy was given."""
    names = ("depth", *_POLICIES, _LEASE)
    return any(getattr(args, f"qos_{name}") is not None for name in names)


def profile(args: Namespace) -> QoSProfile:
    """The preset with the given policies replaced."""
    chosen = copy.copy(QoSPresetProfiles.get_from_short_key(args.qos_profile))
    for name, policy in _POLICIES.items():
        key = getattr(args, f"qos_{name}")
        if key is not None:
            setattr(chosen, name, policy.get_from_short_key(key))
    if args.qos_liveliness_lease_duration_seconds is not None:
        chosen.liveliness_lease_duration = Duration(
            seconds=args.qos_liveliness_lease_duration_seconds
        )
    if args.qos_depth:
        chosen.depth = args.qos_depth
    elif chosen.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL and chosen.depth == 0:
        chosen.depth = 1
    return chosen


def matching(
    node: Node, topic: str, base: QoSProfile, tell: Callable[[str], None] = print
) -> QoSProfile:
    """`base` made to suit every publisher of a topic: reliable, or latched, only if all are."""
    chosen = copy.copy(base)
    publishers = [info.qos_profile for info in node.get_publishers_info_by_topic(topic)]
    if not publishers:
        return chosen
    reliable = [p.reliability == QoSReliabilityPolicy.RELIABLE for p in publishers]
    latched = [p.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL for p in publishers]
    for offers, strong, weak in (
        (reliable, QoSReliabilityPolicy.RELIABLE, QoSReliabilityPolicy.BEST_EFFORT),
        (latched, QoSDurabilityPolicy.TRANSIENT_LOCAL, QoSDurabilityPolicy.VOLATILE),
    ):
        if any(offers) and not all(offers):
            kind = type(strong).__name__
            tell(
                f"Some, but not all, publishers are offering {kind}.{strong.name}. Falling back "
                f"to {kind}.{weak.name} as it will connect to all publishers"
            )
    R, D = QoSReliabilityPolicy, QoSDurabilityPolicy
    chosen.reliability = R.RELIABLE if all(reliable) else R.BEST_EFFORT
    chosen.durability = D.TRANSIENT_LOCAL if all(latched) else D.VOLATILE
    return chosen
