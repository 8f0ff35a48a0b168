"""A node that spends little time on each message."""

from __future__ import annotations

from typing import Any

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSCompatibility, qos_check_compatible
from rclpy.subscription import Subscription


class QuietNode(Node):
    """A Node without rclpy's handlers for events of the middleware.

    rclpy adds several to each topic and looks through all of them at every message, which is a
    third of the time that a node of ours takes. Their use is to warn where the qualities of
    service do not fit: ask `mismatches` for that now and then instead.
    """

    def create_publisher(
        self, *args: Any, event_callbacks: PublisherEventCallbacks | None = None, **options: Any
    ) -> Publisher:
        """Return rclpy's publisher; handlers of events only where they are given."""
        chosen = event_callbacks or PublisherEventCallbacks(use_default_callbacks=False)
        return super().create_publisher(*args, event_callbacks=chosen, **options)

    def create_subscription(
        self, *args: Any, event_callbacks: SubscriptionEventCallbacks | None = None, **options: Any
    ) -> Subscription:
        """Return rclpy's subscription; handlers of events only where they are given."""
        chosen = event_callbacks or SubscriptionEventCallbacks(use_default_callbacks=False)
        return super().create_subscription(*args, event_callbacks=chosen, **options)

    def mismatches(self) -> list[str]:
        """Name each publisher whose messages cannot come, for its quality of service."""
        found = []
        for subscription in self.subscriptions:
            topic = subscription.topic_name
            for publisher in self.get_publishers_info_by_topic(topic):
                fits, reason = qos_check_compatible(publisher.qos_profile, subscription.qos_profile)
                if fits == QoSCompatibility.ERROR:
                    found.append(f"{topic} of node {publisher.node_name}: {reason}")
        return found
