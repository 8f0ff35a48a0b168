"""The lean executor does what rclpy's does: each test holds for both."""

import os
import threading
from functools import partial
from itertools import pairwise

import pytest
import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import Int32
from std_srvs.srv import Trigger

from ros_interface import executors
from ros_interface.executors import LeanExecutor, ManyThreads, OneThread, new_executor
from ros_interface.wait_list import WaitList

os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
LIMIT = 20.0  # s, after which something hangs

pytestmark = pytest.mark.skipif(
    executors._rclpy_version() != executors._KNOWN, reason="made for another version of rclpy"
)


class Bench:
    """A node, its executor and a publisher of numbers, in a context of their own."""

    def __init__(self, kind):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=78)
        self.executor = kind(context=self.context)
        self.node = Node("bench", context=self.context, start_parameter_services=False)
        self.executor.add_node(self.node)
        self.publisher = self.node.create_publisher(Int32, "numbers", 100)
        self.heard = []

    def listen(self, callback=None, **options):
        callback = callback or (lambda message: self.heard.append(message.data))
        return self.node.create_subscription(Int32, "numbers", callback, 100, **options)

    def connect(self, count=1):
        self.until(lambda: self.publisher.get_subscription_count() == count, self.node)

    def send(self, *numbers):
        for number in numbers:
            self.publisher.publish(Int32(data=number))

    def until(self, condition, node=None):
        """Spin until a condition holds; a timer looks, so that nothing has to wake it."""
        done = Future()
        node = node or self.node
        watch = node.create_timer(0.005, lambda: condition() and done.set_result(None))
        give_up = node.create_timer(LIMIT, partial(done.set_exception, TimeoutError("in vain")))
        self.executor.spin_until_future_complete(done)
        node.destroy_timer(watch)
        node.destroy_timer(give_up)
        done.result()

    def close(self):
        self.executor.remove_node(self.node)
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)


@pytest.fixture(params=[LeanExecutor, SingleThreadedExecutor])
def bench(request):
    made = Bench(request.param)
    yield made
    made.close()


def test_messages_come_whole_raw_and_with_what_is_known_of_them(bench):
    whole, raw, infos = [], [], []
    bench.listen(whole.append)
    bench.listen(raw.append, raw=True)
    bench.listen(lambda message, info: infos.append((message.data, info["received_timestamp"])))
    bench.connect(3)
    bench.send(1, 2, 3)
    bench.until(lambda: len(whole) == len(raw) == len(infos) == 3)
    assert [message.data for message in whole] == [number for number, _ in infos] == [1, 2, 3]
    assert [data[4] for data in raw] == [1, 2, 3]
    assert all(received > 0 for _, received in infos)


def test_a_coroutine_may_wait_for_another_message(bench):
    answer, order = Future(), []

    async def ask(message):
        if message.data == 1:
            order.append("asked")
            order.append(await answer)
        else:
            answer.set_result("answered")

    bench.listen(ask, callback_group=ReentrantCallbackGroup())
    bench.connect()
    bench.send(1, 2)
    bench.until(lambda: len(order) == 2)
    assert order == ["asked", "answered"]
    bench.listen()
    bench.connect(2)
    bench.send(3)
    bench.until(lambda: bench.heard == [3])


def test_a_service_is_called_from_within_a_callback(bench):
    replies = []

    def answer(_, response):
        response.message = "here"
        return response

    def call(_):
        client.call_async(Trigger.Request()).add_done_callback(
            lambda future: replies.append(future.result().message)
        )

    bench.node.create_service(Trigger, "lamp", answer)
    client = bench.node.create_client(Trigger, "lamp")
    bench.until(client.service_is_ready)
    bench.listen(call)
    bench.connect()
    bench.send(1, 2)
    bench.until(lambda: len(replies) == 2)
    assert replies == ["here", "here"]


def test_timers_tell_when_they_were_due_if_asked_and_stop_when_cancelled(bench):
    plain, told = [], []

    def tell(info: rclpy.timer.TimerInfo):
        told.append(info.expected_call_time.nanoseconds)

    timer = bench.node.create_timer(0.002, lambda: plain.append(None) or timer.cancel())
    bench.node.create_timer(0.002, tell)
    bench.until(lambda: len(told) >= 3)
    assert len(plain) == 1
    assert [round(b - a, -3) for a, b in pairwise(told[:3])] == [2_000_000] * 2


def test_a_guard_condition_calls(bench):
    called = []
    guard = bench.node.create_guard_condition(lambda: called.append(None))
    guard.trigger()
    bench.until(lambda: called)
    guard.trigger()
    bench.until(lambda: len(called) == 2)


def test_events_of_the_middleware_are_told(bench):
    counts = []
    matched = rclpy.event_handler.SubscriptionEventCallbacks(
        matched=lambda info: counts.append(info.current_count)
    )
    bench.listen(event_callbacks=matched)
    bench.until(lambda: counts)
    assert counts[0] == 1


def test_what_is_made_while_it_spins_is_served_and_what_is_destroyed_is_not(bench):
    others = []

    def end_the_others(_):
        for other in others:
            bench.node.destroy_subscription(other)
        others.clear()

    bench.listen(end_the_others)
    others += [bench.listen() for _ in range(3)]
    bench.connect(4)
    bench.send(1)
    bench.until(lambda: not others)
    bench.send(2)
    late = []
    bench.listen(lambda message: late.append(message.data))
    bench.connect(2)
    bench.send(3)
    bench.until(lambda: 3 in late)
    assert bench.heard == []


@pytest.mark.parametrize("kind", ["subscription", "publisher", "timer", "client", "service"])
def test_anything_may_be_destroyed_by_a_timer_while_nothing_else_happens(bench, kind):
    node = bench.node
    make = {
        "subscription": bench.listen,
        "publisher": lambda: node.create_publisher(Int32, "others", 1),
        "timer": lambda: node.create_timer(LIMIT, print),
        "client": lambda: node.create_client(Trigger, "lamp"),
        "service": lambda: node.create_service(Trigger, "lamp", print),
    }[kind]
    things = [make() for _ in range(5)]
    destroy = getattr(node, f"destroy_{kind}")
    ticks = []

    def destroy_one():
        ticks.append(None)
        if things and len(ticks) % 2:
            destroy(things.pop())

    node.create_timer(0.01, destroy_one)
    bench.until(lambda: len(ticks) > 15)
    assert not things


def test_an_event_may_destroy_the_subscription_that_has_a_message(bench):
    def end_it(_):
        bench.node.destroy_subscription(subscription)

    matched = rclpy.event_handler.PublisherEventCallbacks(matched=end_it)
    bench.publisher = bench.node.create_publisher(Int32, "numbers", 100, event_callbacks=matched)
    subscription = bench.listen()
    heard = []
    witness = Node("witness", context=bench.context)
    witness.create_subscription(Int32, "numbers", heard.append, 1)
    meanwhile = SingleThreadedExecutor(context=bench.context)
    meanwhile.add_node(witness)
    while bench.publisher.get_subscription_count() < 2:
        meanwhile.spin_once(timeout_sec=0.01)
    bench.send(1)
    while not heard:
        meanwhile.spin_once(timeout_sec=0.01)
    witness.destroy_node()
    ticks = []
    bench.node.create_timer(0.02, lambda: ticks.append(None))
    bench.until(lambda: len(ticks) > 3)
    assert bench.heard == []


def test_callbacks_of_one_group_exclude_one_another(bench):
    answer, order = Future(), []

    async def ask(_):
        order.append("begins")
        await answer
        order.append("ends")

    for callback in [lambda _: order.append("other"), ask, lambda _: order.append("other")]:
        bench.listen(callback)
    apart = ReentrantCallbackGroup()
    bench.connect(3)
    bench.send(1)
    bench.node.create_timer(
        0.2, lambda: answer.done() or answer.set_result(None), callback_group=apart
    )
    done = Future()
    bench.node.create_timer(
        0.01, lambda: len(order) == 4 and done.set_result(None), callback_group=apart
    )
    bench.executor.spin_until_future_complete(done)
    assert order.index("ends") == order.index("begins") + 1


def test_a_guard_condition_is_served_although_another_callback_raised(bench):
    called = []
    guard = bench.node.create_guard_condition(lambda: called.append(None))
    bench.listen(lambda message: [][message.data])
    bench.connect()
    bench.send(1)
    guard.trigger()
    with pytest.raises(IndexError):
        bench.until(lambda: len(called) > 1)
    bench.until(lambda: called)


def test_an_error_in_a_callback_ends_the_spinning(bench):
    bench.listen(lambda message: [][message.data])
    bench.connect()
    bench.send(1)
    with pytest.raises(IndexError):
        bench.until(lambda: False)


def test_an_error_in_a_service_does_too(bench):
    bench.node.create_service(Trigger, "lamp", lambda *_: 1 / 0)
    client = bench.node.create_client(Trigger, "lamp")
    bench.until(client.service_is_ready)
    client.call_async(Trigger.Request())
    with pytest.raises(ZeroDivisionError):
        bench.until(lambda: False)


def test_the_contexts_end_ends_the_spinning(bench):
    bench.node.create_timer(0.01, bench.context.shutdown)
    bench.executor.spin()
    assert not bench.context.ok()


def test_the_contexts_end_in_the_midst_of_a_wait_is_told(bench):
    threading.Timer(0.3, bench.context.shutdown).start()
    with pytest.raises(ExternalShutdownException):
        bench.executor.spin()


def test_a_timeout_ends_a_wait_for_nothing(bench):
    bench.executor.spin_once(0.01)
    bench.executor.spin_until_future_complete(Future(), 0.01)


def test_what_it_waits_for_is_gathered_once_for_many_messages(monkeypatch):
    gathered = []

    class Counted(WaitList):
        def __init__(self, *arguments):
            gathered.append(None)
            super().__init__(*arguments)

    monkeypatch.setattr(executors, "WaitList", Counted)
    bench = Bench(LeanExecutor)
    bench.listen()
    bench.connect()
    bench.send(*range(80))
    bench.until(lambda: len(bench.heard) == 80)
    assert bench.heard == list(range(80))
    assert len(gathered) < 20
    bench.close()


def test_only_the_rclpy_that_it_knows_gets_it(monkeypatch):
    rclpy.init()
    try:
        assert type(new_executor(1)) is LeanExecutor
        assert type(new_executor(2)) is ManyThreads
        monkeypatch.setattr(executors, "version", lambda _: "7.1.5")
        assert type(new_executor(1)) is OneThread
        monkeypatch.setattr(executors, "version", lambda _: "unknown")
        assert type(new_executor(1)) is OneThread
    finally:
        rclpy.shutdown()
