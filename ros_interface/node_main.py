"""How every node of Truthbed starts and ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.exceptions import NameValidationException
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from ros_interface.errors import ConfigurationError
from ros_interface.executors import new_executor
from ros_interface.process_memory import keep_freed_memory, spare_what_stays
from ros_interface.thread_priority import own_niceness, stop_yielding, yield_to_others
from ros_interface.timers import wall_timer
from spatial_types.parameters import ParameterError

CONFIGURATION_EXIT_CODE = 2
#: Longest time (s) that a node sleeps before it sees that it is to end.
_LONGEST_SLEEP = 0.5


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
    are 0, also while the node is still made. Callbacks run with `niceness` (thread_priority); the
    middleware's threads, which note when messages come, do not. With several `threads` callbacks of
    different groups run at once. With `last_words` a node can still publish in `destroy_node`.
    """
    end: Future[None] | None = Future() if last_words else None
    signals = _Signals(end)
    share = own_niceness()
    node = None
    try:
        _begin(args, SignalHandlerOptions.NO if last_words else None)
        node = factory()
        signals.is_made = True
        yield_to_others(niceness)
        _spin(node, threads, end)
    except (ConfigurationError, ParameterError, NameValidationException) as error:
        print(f"error: {error}", file=sys.stderr)
        return CONFIGURATION_EXIT_CODE
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if rclpy.ok():  # otherwise the context was taken away in the midst of something
            raise
    finally:
        stop_yielding(share)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
        signals.give_back()
    return 0


def _begin(args: list[str] | None, options: SignalHandlerOptions | None) -> None:
    """Begin rclpy; ConfigurationError for arguments that it refuses."""
    keep_freed_memory()
    try:
        rclpy.init(args=args, signal_handler_options=options)
    except Exception as error:  # rcl's own and RCLError, which have no public base
        raise ConfigurationError(str(error)) from None


def _spin(node: Node, threads: int, end: Future[None] | None) -> None:
    # At a signal rclpy wakes its executors first and shuts the context down then: one that goes to
    # sleep in between would sleep for ever.
    wall_timer(node, _LONGEST_SLEEP, lambda: None)
    spare_what_stays()
    executor = new_executor(threads)
    if end is None:
        rclpy.spin(node, executor)
    else:
        rclpy.spin_until_future_complete(node, end, executor)


class _Signals:
    """What SIGINT and SIGTERM do, from before rclpy begins, which has handlers of its own.

    While a node is made they end the process at once: reading a scene takes seconds, on a busy
    computer more than a launcher's patience, and nothing has been done yet that would be lost.

    Then rclpy's handlers shut the context down, and nothing else happens. Python's would also
    raise KeyboardInterrupt wherever the program is: in the midst of a call into C++, which turns
    it into another error, or, at a second Ctrl-C, while the node is being taken apart. With a
    future a signal to end is that future's, and the context lives on.
    """

    def __init__(self, end: Future[None] | None) -> None:
        self.is_made = False
        self._end = end
        self._terminate: Any = None
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._take)
            self._terminate = signal.signal(signal.SIGTERM, self._take)

    def _take(self, *_: object) -> None:
        if not self.is_made:
            os._exit(0)
        if self._end is not None and not self._end.done():
            self._end.set_result(None)

    def give_back(self) -> None:
        """Let SIGTERM end what may still be running; Ctrl-C stays quiet to the end."""
        self.is_made = True
        if self._terminate is not None:
            signal.signal(signal.SIGTERM, self._terminate)
