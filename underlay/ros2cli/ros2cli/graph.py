"""A node of our own for one command, and what it can see of the graph."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from signal import SIGINT, signal
from threading import Event, current_thread, main_thread

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter

from ros2cli.cli import CommandError
from ros2cli.interfaces import MessageClass, message_class

#: Names that begin so are hidden, as in the real tool.
NODE_NAME_PREFIX = "_ros2cli"
DEFAULT_SPIN_TIME = 0.5
#: Longest wait for the graph, or for a topic that is asked for by its name (s).
LONGEST_DISCOVERY = 3.0
#: Shortest look at a graph in which there is nobody but us (s).
_EMPTY_GRAPH = 2.0
_STEP = 0.05


def add_node_arguments(parser: ArgumentParser) -> None:
    """Arguments of every verb that looks at the graph."""
    parser.add_argument(
        "--spin-time",
        type=float,
        default=DEFAULT_SPIN_TIME,
        help="Spin time in seconds to wait for discovery",
    )
    parser.add_argument(
        "-s", "--use-sim-time", action="store_true", help="Enable ROS simulation time"
    )
    parser.add_argument("--no-daemon", action="store_true", help="There is no daemon here")


def add_list_arguments(parser: ArgumentParser, what: str, types: bool = True) -> None:
    """Arguments of a verb that lists what there is of something in the graph."""
    add_node_arguments(parser)
    if types:
        text = f"Additionally show the {what} type"
        parser.add_argument("-t", "--show-types", action="store_true", help=text)
    text = f"Only display the number of {what}s discovered"
    parser.add_argument("-c", f"--count-{what}s", action="store_true", help=text)


@contextmanager
def direct_node(args: Namespace, name: str | None = None, discover: bool = True) -> Iterator[Node]:
    """A node that has seen the graph settle; shut down at the end, Ctrl-C included."""
    interrupted = _noted_interrupts()
    rclpy.init(args=[])
    node = rclpy.create_node(
        name or f"{NODE_NAME_PREFIX}_{os.getpid()}",
        start_parameter_services=False,
        parameter_overrides=[
            Parameter("use_sim_time", value=bool(getattr(args, "use_sim_time", False))),
            Parameter("start_type_description_service", value=False),
        ],
        automatically_declare_parameters_from_overrides=True,
    )
    try:
        if discover:
            settle(node, getattr(args, "spin_time", DEFAULT_SPIN_TIME))
        yield node
    except ExternalShutdownException as error:
        raise KeyboardInterrupt from error
    except RuntimeError as error:
        # An interrupt in the midst of a call into C++ comes out as another error.
        if interrupted.is_set() or not rclpy.ok():
            raise KeyboardInterrupt from error
        raise
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def _noted_interrupts() -> Event:
    """Return what is set at Ctrl-C, which still raises KeyboardInterrupt."""
    noted = Event()

    def interrupt(_number: int, _frame: object) -> None:
        noted.set()
        raise KeyboardInterrupt

    if current_thread() is main_thread():
        signal(SIGINT, interrupt)
    return noted


def spin_until(node: Node, done: Callable[[], bool], seconds: float | None = None) -> bool:
    """Spin until a condition holds; False when the time runs out first (None: never)."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while not done():
        left = _STEP if deadline is None else deadline - time.monotonic()
        if left <= 0:
            return False
        rclpy.spin_once(node, timeout_sec=min(_STEP, left))
    return True


def settle(node: Node, quiet: float) -> None:
    """Spin until the graph has not changed for `quiet` seconds, longer while it is empty.

    The real tool asks a daemon that has long known the graph; we discover it each time, which may
    take seconds on a busy machine.
    """
    seen: object = None
    began = changed = time.monotonic()

    def is_quiet() -> bool:
        nonlocal seen, changed
        nodes = node.get_node_names_and_namespaces()
        if (nodes, now := node.get_topic_names_and_types()) != seen:
            seen, changed = (nodes, now), time.monotonic()
        patience = quiet if len(nodes) > 1 else max(quiet, began + _EMPTY_GRAPH - changed)
        if time.monotonic() - changed < patience:
            return False
        return all(_has_endpoints(node, *names) for names in nodes)

    spin_until(node, is_quiet, quiet + LONGEST_DISCOVERY)


def _has_endpoints(node: Node, name: str, namespace: str) -> bool:
    """Whether more is known of a node than its name, which is what arrives first."""
    try:
        return any(
            ask(name, namespace)
            for ask in (
                node.get_publisher_names_and_types_by_node,
                node.get_subscriber_names_and_types_by_node,
                node.get_service_names_and_types_by_node,
            )
        )
    except RuntimeError:  # it has just gone
        return True


def is_hidden(name: str) -> bool:
    """Whether any part of a name begins with an underscore."""
    return any(part.startswith("_") for part in name.split("/"))


def topics(node: Node, hidden: bool = False) -> list[tuple[str, list[str]]]:
    """Names and types of all topics, sorted."""
    found = node.get_topic_names_and_types()
    return sorted((name, types) for name, types in found if hidden or not is_hidden(name))


def services(node: Node, hidden: bool = False) -> list[tuple[str, list[str]]]:
    """Names and types of all services, sorted."""
    found = node.get_service_names_and_types()
    return sorted((name, types) for name, types in found if hidden or not is_hidden(name))


def node_names(node: Node, hidden: bool = False) -> list[str]:
    """Full names of all nodes, sorted; a name that two nodes share comes twice."""
    found = [f"{space.rstrip('/')}/{name}" for name, space in node.get_node_names_and_namespaces()]
    return sorted(name for name in found if hidden or not is_hidden(name))


def absolute(name: str) -> str:
    """The name with its leading slash."""
    return name if name.startswith("/") else f"/{name}"


def await_topic(node: Node, name: str) -> None:
    """Give a topic and all its endpoints time to be discovered."""

    def is_there() -> bool:
        return any(topic == name for topic, _ in node.get_topic_names_and_types())

    if not is_there() and spin_until(node, is_there, LONGEST_DISCOVERY):
        settle(node, DEFAULT_SPIN_TIME)


def topic_class(node: Node, topic: str, wait: bool = False) -> MessageClass:
    """Message class of a topic in the graph.

    Raises:
        CommandError: nobody publishes or subscribes it (and we do not wait), or it has two types.
    """
    name = absolute(topic)

    def types() -> list[str]:
        return dict(topics(node, hidden=True)).get(name, [])

    if not wait:
        await_topic(node, name)
    if not types():
        print(f"WARNING: topic [{topic}] does not appear to be published yet")
        if not wait:
            raise CommandError("Could not determine the type for the passed topic")
        spin_until(node, lambda: bool(types()))
    found = types()
    if len(found) > 1:
        raise CommandError(
            f"Cannot echo topic '{topic}', as it contains more than one type: [{', '.join(found)}]"
        )
    return message_class(found[0])
