"""How `ros2 run truthbed PROGRAM` begins: Ctrl-C is quiet from the first moment.

Importing what a node needs takes a second or more, several at once on a small computer. Until the
program's own `main` takes over, an interrupt ends the process without a traceback. A program that
is no node, and takes no signals itself, is ended by SIGINT and SIGTERM without one too, at once and
after it has removed its temporary files.

The entry point of a program `p` whose module is `room.p_node` is
`ros_interface.program_start:main_of.room.p_node`.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any

INTERRUPTED = 130  # as shells have it
NODE = "_node"  # how modules of nodes end, for which Ctrl-C is the ordinary end


class _Terminated(BaseException):
    """SIGTERM has come: what runs is left, and what it has open is closed."""


class _Main:
    """`main` of the module whose dotted name is spelt by asking for attributes."""

    def __init__(self, module: str = "") -> None:
        self._module = module

    def __getattr__(self, name: str) -> _Main:
        return _Main(f"{self._module}.{name}".lstrip("."))

    def __call__(self) -> int:
        return run(self._module)


def run(module: str) -> int:
    """Import a program's module and run its `main`; return the exit code."""
    code = 0 if module.endswith(NODE) else INTERRUPTED

    def leave(_number: int, _frame: FrameType | None) -> None:
        os._exit(code)

    before = None
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGINT, leave)
    if module.endswith(NODE):
        # The matrices of a node are small: helper threads would only be waited for, on cores that
        # other nodes need. NumPy reads it when it is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main = import_module(module).main
    if before is None:
        return int(main() or 0)
    if code:
        return _run_program(main, before)
    try:
        return int(main() or 0)  # a node's main has handlers of its own
    finally:
        # Python takes them away before it ends, and at a terminal Ctrl-C comes twice, from there
        # and from the launcher.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run_program(main: Callable[[], int | None], on_interrupt: Any) -> int:
    """Run a `main` that leaves the signals to us; SIGTERM is then the end it would have been."""

    def terminate(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one waits for nothing
        raise _Terminated

    signal.signal(signal.SIGINT, on_interrupt)
    signal.signal(signal.SIGTERM, terminate)
    try:
        return int(main() or 0)
    except KeyboardInterrupt:
        return INTERRUPTED
    except _Terminated:
        os.kill(os.getpid(), signal.SIGTERM)
        return INTERRUPTED


main_of = _Main()
