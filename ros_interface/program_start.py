"""How `ros2 run truthbed PROGRAM` begins: Ctrl-C is quiet from the first moment.

Importing what a node needs takes a second or more, several at once on a small computer. Until the
program's own `main` takes over, an interrupt ends the process without a traceback.

The entry point of a program `p` whose module is `room.p_node` is
`ros_interface.program_start:main_of.room.p_node`.
"""

from __future__ import annotations

import os
import signal
import threading
from importlib import import_module
from types import FrameType

INTERRUPTED = 130  # as shells have it
NODE = "_node"  # how modules of nodes end, for which Ctrl-C is the ordinary end


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
    main = import_module(module).main
    if before is not None and code:  # a node's main has a handler of its own for it
        signal.signal(signal.SIGINT, before)
    return int(main() or 0)


main_of = _Main()
