"""How every node of Truthbed starts and ends."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable

import rclpy
from rclpy.exceptions import NameValidationException
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from ros_interface.errors import ConfigurationError
from ros_interface.thread_priority import yield_to_others
from spatial_types.parameters import ParameterError

CONFIGURATION_EXIT_CODE = 2


def run_node(
    factory: Callable[[], Node],
    args: list[str] | None = None,
    niceness: int = 0,
    threads: int = 1,
    last_words: bool = False,
) -> int:
    """Start the node that `factory` makes, spin until Ctrl-C, and return the exit code.

    A ConfigurationError or ParameterError, a parameter file that cannot be read and a name that no
    topic may have are a message on standard error and exit code 2; Ctrl-C and an external shutdown
    are 0. Callbacks run with `niceness` (thread_priority); the middleware's threads, which note
    when messages come, do not. With several `threads` callbacks of different groups run at once.
    With `last_words` a node that has a timer can still publish in `destroy_node`.
    """
    end: Future[None] | None = Future() if last_words else None
    try:
        _begin(args, end)
    except Exception as error:  # rcl's own and RCLError, which have no public base
        print(f"error: {error}", file=sys.stderr)
        return CONFIGURATION_EXIT_CODE
    node = None
    try:
        node = factory()
        yield_to_others(niceness)
        executor = MultiThreadedExecutor(threads) if threads > 1 else None
        if end is None:
            rclpy.spin(node, executor)
        else:
            rclpy.spin_until_future_complete(node, end, executor)
    except (ConfigurationError, ParameterError, NameValidationException) as error:
        print(f"error: {error}", file=sys.stderr)
        return CONFIGURATION_EXIT_CODE
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if rclpy.ok():  # otherwise the context was taken away in the midst of something
            raise
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _begin(args: list[str] | None, end: Future[None] | None) -> None:
    """Start rclpy; with a future a signal to end is that future's, and the context lives on."""
    if end is None:
        _leave_interrupts_to_rclpy()
        rclpy.init(args=args)
        return

    def stop(*_: object) -> None:
        if not end.done():
            end.set_result(None)

    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def _leave_interrupts_to_rclpy() -> None:
    """Let Ctrl-C end the spinning, and nothing else.

    rclpy's own handler shuts the context down. Python's would also raise KeyboardInterrupt
    wherever the program is: in the midst of a call into C++, which turns it into another error,
    or, at a second Ctrl-C, while the node is being taken apart.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda _number, _frame: None)
