"""The topics of a person's hands: part of the simulator's node.

Takes where each hand is wished and whether it grips, gives where physics let it go.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NamedTuple

from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Bool, Empty, String

from ros_interface.diagnostics import NodeDiagnostics
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import message_from_pose
from ros_interface.qos import LATCHED, RELIABLE
from ros_interface.stamps import stamp_from_nanoseconds
from scene_sim.hands import SIDES
from scene_sim.messages import pose_in_world
from scene_sim.simulator import Simulator
from spatial_types.transforms import Transform


class _Wish(NamedTuple):
    heard: float  # s, steady
    clock: int  # ns, simulated
    target: Transform


class HandTopics:
    """Takes `/scene_sim/<side>_hand/target`, `grip` and `let_go`, gives `pose` and `held`."""

    def __init__(
        self,
        node: Any,
        simulator: Simulator,
        timeout: float,
        diagnostics: NodeDiagnostics,
        while_context_lives: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """Take a hand away, and drop what it held, after `timeout` s without a target."""
        self._simulator, self._timeout, self._diagnostics = simulator, timeout, diagnostics
        self._while_context_lives = while_context_lives
        self._lock = threading.Lock()
        self._wishes: dict[str, _Wish | None] = dict.fromkeys(SIDES)
        self._closed = dict.fromkeys(SIDES, False)
        self._lets_go = dict.fromkeys(SIDES, False)
        self._told = dict.fromkeys(SIDES, "")
        self._poses, self._held = {}, {}
        for side in SIDES:
            name = f"/scene_sim/{side}_hand"
            self._poses[side] = node.create_publisher(PoseStamped, f"{name}/pose", RELIABLE)
            self._held[side] = node.create_publisher(String, f"{name}/held", LATCHED)
            self._held[side].publish(String())
            take, grip = partial(self._take_target, side), partial(self._take_grip, side)
            node.create_subscription(PoseStamped, f"{name}/target", take, RELIABLE)
            node.create_subscription(Bool, f"{name}/grip", grip, RELIABLE)
            let_go = partial(self._take_let_go, side)
            node.create_subscription(Empty, f"{name}/let_go", let_go, RELIABLE)

    def _take_target(self, side: str, message: PoseStamped) -> None:
        try:
            wish = _Wish(time.monotonic(), self._simulator.time, pose_in_world(message))
        except MessageError as error:
            self._diagnostics.refuse(f"target of the {side} hand refused", error)
            return
        with self._lock:
            self._wishes[side] = wish

    def _take_grip(self, side: str, message: Bool) -> None:
        with self._lock:
            self._closed[side] = message.data

    def _take_let_go(self, side: str, _: Empty) -> None:
        """Have the hand taken away, to appear at its next target: the viewpoint went elsewhere."""
        with self._lock:
            self._wishes[side], self._lets_go[side] = None, True

    def observe(self) -> None:
        """Pass the newest wishes on and tell where the hands are; call it on physics' thread."""
        with self._lock:
            wishes, closed = self._wishes.copy(), self._closed.copy()
            lets_go, self._lets_go = self._lets_go, dict.fromkeys(SIDES, False)
        hands = self._simulator.hands
        assert hands is not None
        for side in SIDES:
            wish = wishes[side]
            if lets_go[side]:
                hands.command(side, None, False)
            fresh = wish is not None and not self._is_old(wish)
            hands.command(side, wish.target if wish and fresh else None, closed[side] and fresh)
        with self._while_context_lives():
            for side in SIDES:
                self._tell(side)

    def _is_old(self, wish: _Wish) -> bool:
        """Tell whether none came since, by both clocks: a slow or a paused scene drops nothing."""
        passed = (self._simulator.time - wish.clock) * 1e-9
        waited = time.monotonic() - wish.heard
        return (waited if passed < 0.0 else min(waited, passed)) > self._timeout  # < 0: reset

    def _tell(self, side: str) -> None:
        hands = self._simulator.hands
        state = None if hands is None else hands.state(side)
        held = "" if state is None else state.held
        if held != self._told[side]:
            self._told[side] = held
            self._held[side].publish(String(data=held))
        if state is not None and self._poses[side].get_subscription_count():
            message = PoseStamped(pose=message_from_pose(state.pose))
            message.header.frame_id = "map"
            message.header.stamp = stamp_from_nanoseconds(self._simulator.time)
            self._poses[side].publish(message)
