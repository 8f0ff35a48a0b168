"""What a recorded trial tells those who play it."""

from rosbags.interfaces import QosDurability
from rosbags.rosbag2 import Reader


def test_static_transforms_are_offered_to_those_who_come_late(recorded):
    with Reader(recorded[1]) as reader:
        offered = {item.topic: item.ext.offered_qos_profiles for item in reader.connections}
    (profile,) = offered["/tf_static"]
    assert profile.durability is QosDurability.TRANSIENT_LOCAL
    assert profile.depth == 1
