"""The bridge's services: each answers when the manoeuvre that it asks for has ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from std_srvs.srv import SetBool, Trigger

from mavlink_bridge.links.link_thread import LinkThread
from mavlink_bridge.piloting.drone_bridge import DroneBridge

Manoeuvre = Callable[[float, Callable[[bool, str], None]], None]

LOOK_PERIOD = 0.2  # s: how often one who waits looks at the bridge's clock


class DroneServices:
    """Offers arm, take_off, land, hover, return_home, cancel and follow_setpoints."""

    def __init__(
        self,
        node: Any,
        name: str,
        group: Any,
        bridge: DroneBridge,
        thread: LinkThread,
        timeout: float,
    ) -> None:
        """`timeout` seconds of the bridge's clock is as long as a caller may have to wait.

        `group` is the callback group of all services, one in which several may run at once: each
        waits for its end, and `cancel` must get through meanwhile.
        """
        self._node, self._name, self._group = node, name, group
        self._bridge, self._thread, self._timeout = bridge, thread, timeout
        commander = bridge.commander
        for service, manoeuvre in (
            ("take_off", commander.take_off),
            ("land", commander.land),
            ("hover", commander.hover),
            ("return_home", commander.return_home),
            ("cancel", commander.cancel),
        ):
            self._offer(Trigger, service, partial(_chosen, self._instead(service, manoeuvre)))
        self._offer(SetBool, "arm", lambda request: _with(commander.arm, request.data))
        hover = self._instead("hover", commander.hover)
        self._offer(
            SetBool,
            "follow_setpoints",
            lambda request: bridge.follow_setpoints if request.data else hover,
        )

    def _instead(self, service: str, manoeuvre: Manoeuvre) -> Manoeuvre:
        """Stop whatever steers, so that its end cannot interrupt the manoeuvre."""

        def run(now: float, done: Callable[[bool, str], None]) -> None:
            self._bridge.stop(now, f"{service} was asked for")
            manoeuvre(now, done)

        return run

    def _offer(self, kind: Any, service: str, choose: Callable[[Any], Manoeuvre]) -> None:
        """Offer one. It waits on a thread of its own for the link's, which waits for nobody."""

        def serve(request: Any, response: Any) -> Any:
            response.success, response.message = self._wait_for(choose(request))
            return response

        name = f"/{self._name}/{service}"
        self._node.create_service(kind, name, serve, callback_group=self._group)

    def _wait_for(self, manoeuvre: Manoeuvre) -> tuple[bool, str]:
        ended = threading.Event()
        outcome: list[tuple[bool, str]] = []
        begun: list[float] = []

        def begin(now: float) -> None:
            begun.append(now)
            manoeuvre(now, done)

        def done(success: bool, text: str) -> None:
            outcome.append((success, text))
            ended.set()

        self._thread.do(begin)
        while not ended.wait(LOOK_PERIOD):
            if begun and self._bridge.endpoint.now - begun[0] > self._timeout:
                return False, f"no end after {self._timeout:g} s"
            if not self._node.context.ok() or self._thread.error is not None:
                return False, "the bridge ends"
        return outcome[0]


def _chosen(manoeuvre: Manoeuvre, _request: Any) -> Manoeuvre:
    return manoeuvre


def _with(arm: Callable[..., None], on: bool) -> Manoeuvre:
    return lambda now, done: arm(on, now, done)
