"""The transform buffer of a node: waiting, and forgetting when time jumps back."""

from __future__ import annotations

import time as wall
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.clock import Clock, JumpThreshold, TimeJump
from rclpy.duration import Duration
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.task import Future
from rclpy.time import Time
from tf2_msgs.srv import FrameGraph
from tf2_py import BufferCore
from tf2_py.buffer_core import nanoseconds

NO_WAIT = Duration()


class Buffer(BufferCore):
    """A BufferCore whose lookups may wait for data, on the wall clock."""

    def __init__(self, cache_time: Duration | None = None, node: Node | None = None) -> None:
        """Hold `cache_time` of history (10 s when None).

        With a node, its clock tells of jumps in time and its service `tf2_frames` lists the frames.
        """
        super().__init__(cache_time)
        self._watchers: list[Callable[[], None]] = []
        if node is not None:
            self.srv = node.create_service(FrameGraph, "tf2_frames", self._answer_frames)
            self.clock = node.get_clock()
        else:
            self.clock = Clock()
        self.jump_handle = self.clock.create_jump_callback(
            JumpThreshold(
                min_forward=None, min_backward=Duration(seconds=-1), on_clock_change=True
            ),
            post_callback=self.time_jump_callback,
        )

    def _answer_frames(
        self, request: FrameGraph.Request, response: FrameGraph.Response
    ) -> FrameGraph.Response:
        response.frame_yaml = self.all_frames_as_yaml()
        return response

    def time_jump_callback(self, time_jump: TimeJump) -> None:
        """Forget all: poses from before the jump would contradict what comes."""
        get_logger("tf2_buffer").warning("Detected jump back in time. Clearing tf buffer.")
        self.clear()

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Add the pose of `child_frame_id` in `header.frame_id`; a bad one is logged, not taken."""
        super().set_transform(transform, authority)
        self._tell_watchers()

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """The same for a pose that holds at every time."""
        super().set_transform_static(transform, authority)
        self._tell_watchers()

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration = NO_WAIT
    ) -> TransformStamped:
        """The transform from source_frame to target_frame at a time, 0 for the latest common one.

        With a timeout it waits so long for the data, in which another thread must fill the buffer.
        """
        self.can_transform(target_frame, source_frame, time, timeout)
        return self.lookup_transform_core(target_frame, source_frame, time)

    def lookup_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: Duration = NO_WAIT,
    ) -> TransformStamped:
        """From source_frame at one time to target_frame at another, by a frame that stays."""
        asked = (target_frame, target_time, source_frame, source_time, fixed_frame)
        self.can_transform_full(*asked, timeout)
        return self.lookup_transform_full_core(*asked)

    async def lookup_transform_async(
        self, target_frame: str, source_frame: str, time: Time
    ) -> TransformStamped:
        """lookup_transform that awaits the data."""
        await self.wait_for_transform_async(target_frame, source_frame, time)
        return self.lookup_transform_core(target_frame, source_frame, time)

    async def lookup_transform_full_async(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
    ) -> TransformStamped:
        """lookup_transform_full that awaits the data."""
        asked = (target_frame, target_time, source_frame, source_time, fixed_frame)
        await self.wait_for_transform_full_async(*asked)
        return self.lookup_transform_full_core(*asked)

    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Time,
        timeout: Duration = NO_WAIT,
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Whether the lookup would succeed within the timeout; as a tuple, also why not."""
        answer = self._wait(
            lambda: self.can_transform_core(target_frame, source_frame, time), timeout
        )
        return answer if return_debug_tuple else answer[0]

    def can_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: Duration = NO_WAIT,
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Whether the full lookup would succeed within the timeout; as a tuple, also why not."""
        asked = (target_frame, target_time, source_frame, source_time, fixed_frame)
        answer = self._wait(lambda: self.can_transform_full_core(*asked), timeout)
        return answer if return_debug_tuple else answer[0]

    def wait_for_transform_async(self, target_frame: str, source_frame: str, time: Time) -> Future:
        """A future that holds the transform as soon as there is one."""
        asked = (target_frame, source_frame, time)
        return self._promise(self.can_transform_core, self.lookup_transform_core, asked)

    def wait_for_transform_full_async(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
    ) -> Future:
        """The same for lookup_transform_full."""
        asked = (target_frame, target_time, source_frame, source_time, fixed_frame)
        return self._promise(self.can_transform_full_core, self.lookup_transform_full_core, asked)

    def _wait(self, ask: Callable[[], tuple[bool, str]], timeout: Duration) -> tuple[bool, str]:
        end = wall.monotonic() + nanoseconds(timeout) * 1e-9
        with self._changed:
            answer = ask()
            while not answer[0] and (remaining := end - wall.monotonic()) > 0.0:
                self._changed.wait(remaining)
                answer = ask()
            return answer

    def _promise(
        self,
        can: Callable[..., tuple[bool, str]],
        lookup: Callable[..., TransformStamped],
        asked: tuple[Any, ...],
    ) -> Future:
        future: Future = Future()

        def fulfil() -> None:
            if future.done():
                return
            try:
                if can(*asked)[0]:
                    future.set_result(lookup(*asked))
            except Exception as error:
                future.set_exception(error)

        with self._changed:
            fulfil()
            if not future.done():
                self._watchers.append(fulfil)
                future.add_done_callback(lambda _: self._forget(fulfil))
        return future

    def _forget(self, watcher: Callable[[], None]) -> None:
        with self._changed:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

    def _tell_watchers(self) -> None:
        with self._changed:
            watchers = list(self._watchers)
        for watcher in watchers:
            watcher()
