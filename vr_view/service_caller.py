"""Services called from the page server's loop, on the executor's thread."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

DISCOVERY = 3.0  # s until a service that nobody was seen to offer is given up
LOOK_AGAIN = 0.1  # s


class NoAnswerError(RuntimeError):
    """A service did not answer; the text says which, and why."""


class ServiceCaller:
    """Clients of a node, each made when it is needed first and then kept."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self._errands: deque[Callable[[], None]] = deque()
        self._guard = node.create_guard_condition(self._run_errands)
        self._made: dict[str, Any] = {}

    async def call(self, kind: Any, name: str, request: Any, patience: float) -> Any:
        """Return the response; NoAnswerError where nobody offers it or none comes in time (s)."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        answer = None
        while answer is None:
            if loop.time() - start > min(DISCOVERY, patience):
                raise NoAnswerError(f"nobody offers {name}")
            try:
                left = start + patience - loop.time()
                answer = await asyncio.wait_for(self._ask(kind, name, request), left)
            except asyncio.TimeoutError:
                raise NoAnswerError(f"{name} did not answer within {patience:g} s") from None
            if answer is None:
                await asyncio.sleep(LOOK_AGAIN)
        return answer

    def _ask(self, kind: Any, name: str, request: Any) -> asyncio.Future[Any]:
        """Return what will be the response, or None where nobody is seen to offer it yet."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Any] = loop.create_future()

        def give(value: Any) -> None:
            loop.call_soon_threadsafe(_set, answered, value)

        def ask() -> None:
            client = self._made.get(name)
            if client is None:
                client = self._made[name] = self._node.create_client(kind, name)
            if not client.service_is_ready():
                give(None)
                return
            client.call_async(request).add_done_callback(lambda future: give(future.result()))

        self._errands.append(ask)
        self._guard.trigger()
        return answered

    def _run_errands(self) -> None:
        while self._errands:
            self._errands.popleft()()


def _set(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)
