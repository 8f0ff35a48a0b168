import threading

import pytest
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage
from tf2_msgs.srv import FrameGraph
from tf2_ros import Buffer, StaticTransformBroadcaster, TransformBroadcaster, TransformListener
from transforms import at, pose, xyz_of

LATEST = at(0.0)


def test_broadcasts_arrive_in_the_buffer(graph):
    sender, receiver = graph.node("sender"), graph.node("receiver")
    broadcaster = TransformBroadcaster(sender)
    buffer = Buffer(node=receiver)
    listener = TransformListener(buffer, receiver)

    def arrived() -> bool:
        broadcaster.sendTransform(pose("map", "one", 1.0, (1.0, 0.0, 0.0)))
        broadcaster.sendTransform([pose("map", "two", 1.0), pose("two", "three", 1.0)])
        return buffer.can_transform("three", "one", at(1.0))

    assert graph.spin_until(arrived)
    assert xyz_of(buffer.lookup_transform("map", "one", at(1.0))) == (1.0, 0.0, 0.0)
    listener.unregister()


def test_static_broadcasts_reach_those_who_come_late(graph):
    broadcaster = StaticTransformBroadcaster(graph.node("sender"))
    broadcaster.sendTransform(pose("map", "one", xyz=(1.0, 0.0, 0.0)))
    broadcaster.sendTransform([pose("map", "two", xyz=(2.0, 0.0, 0.0))])

    receiver = graph.node("receiver")
    buffer = Buffer(node=receiver)
    listener = TransformListener(buffer, receiver)

    assert graph.spin_until(lambda: buffer.can_transform("one", "two", at(123.0)))
    assert xyz_of(buffer.lookup_transform("one", "two", at(123.0))) == (1.0, 0.0, 0.0)
    listener.unregister()


def test_static_messages_hold_all_poses_sent_so_far(graph):
    node = graph.node("sender")
    heard: list[TFMessage] = []
    graph.node("receiver").create_subscription(
        TFMessage,
        "/tf_static",
        heard.append,
        QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
    )
    broadcaster = StaticTransformBroadcaster(node)
    broadcaster.sendTransform(pose("map", "one"))
    broadcaster.sendTransform(pose("map", "two"))

    assert graph.spin_until(lambda: bool(heard) and len(heard[-1].transforms) == 2)
    assert [one.child_frame_id for one in heard[-1].transforms] == ["one", "two"]


def test_a_waiting_lookup_ends_when_the_data_comes():
    buffer = Buffer()
    asking = threading.Event()

    def answer() -> None:
        asking.wait()
        buffer.set_transform(pose("map", "robot", 1.0, (7.0, 0.0, 0.0)), "test")

    thread = threading.Thread(target=answer)
    thread.start()
    asking.set()
    found = buffer.lookup_transform("map", "robot", at(1.0), timeout=Duration(seconds=60))
    thread.join()

    assert xyz_of(found) == (7.0, 0.0, 0.0)


def test_a_waiting_lookup_gives_up_after_its_timeout():
    assert not Buffer().can_transform("map", "robot", at(1.0), timeout=Duration(seconds=0.05))


def test_a_listener_with_its_own_thread_needs_no_spinning(graph):
    sender = graph.node("sender")
    StaticTransformBroadcaster(sender).sendTransform(pose("map", "one"))
    receiver = graph.node("receiver")
    graph.executor.remove_node(receiver)
    buffer = Buffer()

    listener = TransformListener(buffer, receiver, spin_thread=True)
    arrived = buffer.can_transform("map", "one", LATEST, timeout=Duration(seconds=60))
    del listener

    assert arrived


def test_other_topics_may_be_listened_to(graph):
    node = graph.node("both")
    buffer = Buffer()
    listener = TransformListener(
        buffer, node, tf_topic="/other_tf", tf_static_topic="/other_tf_static"
    )
    publisher = node.create_publisher(TFMessage, "/other_tf", 10)

    def arrived() -> bool:
        publisher.publish(TFMessage(transforms=[pose("map", "robot", 1.0)]))
        return buffer.can_transform("map", "robot", at(1.0))

    assert graph.spin_until(arrived)
    listener.unregister()


def test_frames_are_listed_by_a_service(graph):
    buffer = Buffer(node=graph.node("holder"))
    buffer.set_transform(pose("map", "robot", 1.0), "test")
    client = graph.node("asker").create_client(FrameGraph, "tf2_frames")

    assert graph.spin_until(client.service_is_ready)
    answer = client.call_async(FrameGraph.Request())

    assert graph.spin_until(answer.done)
    assert "parent: 'map'" in answer.result().frame_yaml


@pytest.mark.parametrize(("later", "kept"), [(1.0, False), (101.0, True)])
def test_forgets_when_simulated_time_jumps_back(graph, later, kept):
    node = graph.node("simulated", parameter_overrides=[Parameter("use_sim_time", value=True)])
    buffer = Buffer(node=node)
    clock = graph.node("simulator").create_publisher(Clock, "/clock", 10)

    def tick(seconds: float) -> bool:
        clock.publish(Clock(clock=at(seconds).to_msg()))
        return node.get_clock().now().nanoseconds == round(seconds * 1e9)

    assert graph.spin_until(lambda: tick(100.0))
    buffer.set_transform(pose("map", "robot", 100.0), "test")
    assert graph.spin_until(lambda: tick(later))

    assert buffer.can_transform("map", "robot", at(100.0)) == kept
