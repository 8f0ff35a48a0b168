"""A tree of frames with its history, asked for transforms between any two of them.

Names, arguments, results, exceptions and the wording of errors follow the real tf2_py.BufferCore,
which is C++; lookups here cost some ten microseconds per frame on the way. One lock guards all, so
that a listener's thread may fill the buffer while others read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from threading import Condition
from typing import Any

from geometry_msgs.msg import TransformStamped, Vector3
from rclpy.logging import get_logger
from rclpy.time import Time

from tf2_py.exceptions import (
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)
from tf2_py.rigid import IDENTITY, Rigid, compose, inverse, length_of, normalized
from tf2_py.time_cache import LATEST, Entry, StaticCache, TimeCache, seconds_text

DEFAULT_CACHE_TIME = 10_000_000_000
MAX_DEPTH = 1000


class BufferCore:
    """Stores transforms and combines them."""

    def __init__(self, cache_time: Any = None) -> None:
        """Hold `cache_time` (a duration; 10 s when none is given) of history per frame."""
        self._span = DEFAULT_CACHE_TIME if cache_time is None else nanoseconds(cache_time)
        self._caches: dict[str, TimeCache | StaticCache] = {}
        self._authorities: dict[str, str] = {}
        self._names: dict[str, None] = {}
        self._changed = Condition()

    def clear(self) -> None:
        """Forget all history; the frames' names and what is static stay known."""
        with self._changed:
            for cache in self._caches.values():
                cache.clear()

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Add the pose of `child_frame_id` in `header.frame_id`; a bad one is logged, not taken."""
        self._set(transform, authority, static=False)

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """The same for a pose that holds at every time."""
        self._set(transform, authority, static=True)

    def _set(self, transform: TransformStamped, authority: str, static: bool) -> None:
        check_type(transform)
        time = nanoseconds(transform.header.stamp)
        parent = transform.header.frame_id.removeprefix("/")
        child = transform.child_frame_id.removeprefix("/")
        pose = rigid_from_message(transform)
        objection = find_objection(parent, child, pose)
        if objection:
            get_logger("tf2").error(f'Ignoring transform from authority "{authority}": {objection}')
            return
        entry = Entry(parent, Rigid(pose.translation, normalized(pose.rotation)))
        with self._changed:
            accepted = self._cache_for(child, static).insert(time, entry)
            if accepted:
                self._names.setdefault(child)
                self._names.setdefault(parent)
                self._authorities[child] = authority
                self._changed.notify_all()
        if not accepted:
            get_logger("tf2").warning(
                f"TF_OLD_DATA ignoring data from the past for frame {child} at time "
                f"{seconds_text(time)} according to authority {authority}",
                throttle_duration_sec=1.0,
            )

    def _cache_for(self, frame: str, static: bool) -> TimeCache | StaticCache:
        cache = self._caches.get(frame)
        if cache is None or isinstance(cache, StaticCache) != static:
            cache = StaticCache() if static else TimeCache(self._span)
            self._caches[frame] = cache
        return cache

    def lookup_transform_core(
        self, target_frame: str, source_frame: str, time: Any
    ) -> TransformStamped:
        """The transform that takes coordinates in source_frame to target_frame, at a time.

        Raises:
            LookupException, ConnectivityException, ExtrapolationException,
            InvalidArgumentException: see there.
        """
        with self._changed:
            pose, found = self._lookup(target_frame, source_frame, nanoseconds(time))
        return message_from_rigid(target_frame, source_frame, pose, found)

    def lookup_transform_full_core(
        self,
        target_frame: str,
        target_time: Any,
        source_frame: str,
        source_time: Any,
        fixed_frame: str,
    ) -> TransformStamped:
        """From the source frame at one time to the target frame at another, by a fixed frame."""
        with self._changed:
            for argument, frame in (
                ("target_frame", target_frame),
                ("source_frame", source_frame),
                ("fixed_frame", fixed_frame),
            ):
                self._validate(f"lookupTransform argument {argument}", frame)
            first, _ = self._lookup(fixed_frame, source_frame, nanoseconds(source_time))
            second, found = self._lookup(target_frame, fixed_frame, nanoseconds(target_time))
        return message_from_rigid(target_frame, source_frame, compose(second, first), found)

    def can_transform_core(
        self, target_frame: str, source_frame: str, time: Any
    ) -> tuple[bool, str]:
        """Whether the lookup would succeed, and if not, why."""
        with self._changed:
            return self._can(target_frame, source_frame, nanoseconds(time))

    def can_transform_full_core(
        self,
        target_frame: str,
        target_time: Any,
        source_frame: str,
        source_time: Any,
        fixed_frame: str,
    ) -> tuple[bool, str]:
        """Whether the full lookup would succeed, and if not, why."""
        with self._changed:
            can, why = self._can(target_frame, fixed_frame, nanoseconds(target_time))
            if not can:
                return can, why
            return self._can(fixed_frame, source_frame, nanoseconds(source_time))

    def get_latest_common_time(self, target_frame: str, source_frame: str) -> Time:
        """The newest time at which the lookup succeeds; 0 when only static frames lie between."""
        with self._changed:
            for frame in (target_frame, source_frame):
                self._validate("get_latest_common_time", frame)
            if target_frame == source_frame:
                return Time(nanoseconds=self._latest(target_frame))
            return Time(nanoseconds=self._latest_common_time(target_frame, source_frame))

    def all_frames_as_string(self) -> str:
        """One line per frame: its name and its parent's."""
        with self._changed:
            return self._describe_frames()

    def all_frames_as_yaml(self) -> str:
        """Per frame: parent, broadcaster, mean rate, times of the newest and the oldest pose."""
        with self._changed:
            described = [text for frame in self._names for text in self._describe_yaml(frame)]
            return "\n".join(described) + "\n" if described else "[]"

    def _frameExists(self, frame: str) -> bool:  # noqa: N802 - the real name
        return frame in self._names

    def _getFrameStrings(self) -> list[str]:  # noqa: N802 - the real name
        return list(self._names)

    def _can(self, target: str, source: str, time: int) -> tuple[bool, str]:
        if target == source:
            return True, ""
        for argument, frame in (("target_frame", target), ("source_frame", source)):
            flaw = flaw_of_name(frame) or ("" if frame in self._names else "frame does not exist")
            if flaw:
                place = f"canTransform argument {argument}"
                return False, f'Invalid frame ID "{frame}" passed to {place} - {flaw}'
        try:
            self._lookup(target, source, time)
        except TransformException as error:
            return False, str(error)
        return True, ""

    def _validate(self, place: str, frame: str) -> None:
        flaw = flaw_of_name(frame)
        if flaw:
            raise InvalidArgumentException(f'Invalid argument "{frame}" passed to {place} - {flaw}')
        if frame not in self._names:
            raise LookupException(f'"{frame}" passed to {place} does not exist. ')

    def _latest(self, frame: str) -> int:
        cache = self._caches.get(frame)
        return cache.latest if cache is not None else LATEST

    def _lookup(self, target: str, source: str, time: int) -> tuple[Rigid, int]:
        """target_from_source, and the time at which it holds."""
        if target == source:
            return IDENTITY, self._latest(target) if time == LATEST else time
        self._validate("lookupTransform argument target_frame", target)
        self._validate("lookupTransform argument source_frame", source)
        if time == LATEST:
            time = self._latest_common_time(target, source)
        # Climb from the source until the target or the end; then from the target to where that was.
        from_source = IDENTITY
        top, missing = source, None
        for top, missing in self._climb(source, time):
            if isinstance(missing, Entry):
                from_source = compose(missing.pose, from_source)
            if top == target:
                return from_source, time
        return self._climb_from_target(target, source, time, top, from_source, missing)

    def _climb(
        self, frame: str, time: int
    ) -> Iterator[tuple[str, Entry | ExtrapolationException | None]]:
        """Each ancestor with the step that led to it; the last again with what ended the climb."""
        for _ in range(MAX_DEPTH + 1):
            cache = self._caches.get(frame)
            if cache is None:
                yield frame, None
                return
            try:
                entry = cache.at(time)
            except ExtrapolationException as error:
                yield frame, error
                return
            frame = entry.parent
            yield frame, entry
        raise LookupException(
            "The tf tree is invalid because it contains a loop.\n" + self._describe_frames()
        )

    def _climb_from_target(
        self,
        target: str,
        source: str,
        time: int,
        top: str,
        top_from_source: Rigid,
        missing: Entry | ExtrapolationException | None,
    ) -> tuple[Rigid, int]:
        from_target = IDENTITY
        if target == top:
            return top_from_source, time
        asked = f", when looking up transform from frame [{source}] to frame [{target}]"
        for frame, step in self._climb(target, time):
            if isinstance(step, ExtrapolationException):
                raise ExtrapolationException(f"{step}{asked}")
            if step is None:
                break
            from_target = compose(step.pose, from_target)
            if frame == source:
                return inverse(from_target), time
            if frame == top:
                return compose(inverse(from_target), top_from_source), time
        if isinstance(missing, ExtrapolationException):
            raise ExtrapolationException(f"{missing}{asked}")
        raise self._unconnected(target, source)

    def _unconnected(self, target: str, source: str) -> ConnectivityException:
        return ConnectivityException(
            f"Could not find a connection between '{target}' and '{source}' because they are not "
            "part of the same tree.Tf has two or more unconnected trees."
        )

    def _latest_common_time(self, target: str, source: str) -> int:
        newest_from_source = self._newest_on_the_way(source, until=target)
        if target in newest_from_source:
            return newest_from_source[target]
        newest_from_target = self._newest_on_the_way(target, until=source)
        if source in newest_from_target:
            return newest_from_target[source]
        for meeting, newest in newest_from_target.items():
            if meeting in newest_from_source:
                times = [time for time in (newest, newest_from_source[meeting]) if time != LATEST]
                return min(times, default=LATEST)
        raise self._unconnected(target, source)

    def _newest_on_the_way(self, frame: str, until: str) -> dict[str, int]:
        """Per ancestor the newest time that all steps to it have; 0 for static steps only."""
        newest: dict[str, int] = {}
        common = LATEST
        for _ in range(MAX_DEPTH + 1):
            cache = self._caches.get(frame)
            if cache is None or cache.parent is None:
                return newest
            if cache.latest != LATEST:
                common = cache.latest if common == LATEST else min(common, cache.latest)
            frame = cache.parent
            newest[frame] = common
            if frame == until:
                return newest
        raise LookupException(
            "The tf tree is invalid because it contains a loop.\n" + self._describe_frames()
        )

    def _describe_frames(self) -> str:
        return "".join(
            f"Frame {frame} exists with parent {self._caches[frame].parent or 'NO_PARENT'}.\n"
            for frame in self._names
            if frame in self._caches
        )

    def _describe_yaml(self, frame: str) -> Iterator[str]:
        cache = self._caches.get(frame)
        if cache is None or cache.parent is None:
            return
        length = cache.latest - cache.oldest
        yield f"{frame}: "
        yield f"  parent: '{cache.parent}'"
        yield f"  broadcaster: '{self._authorities[frame]}'"
        yield f"  rate: {len(cache) * 1e9 / max(length, 100_000):.3f}"
        yield f"  most_recent_transform: {seconds_text(cache.latest)}"
        yield f"  oldest_transform: {seconds_text(cache.oldest)}"
        yield f"  buffer_length: {length * 1e-9:.3f}"


def nanoseconds(time: Any) -> int:
    """Of a Time or Duration, message or rclpy's."""
    if hasattr(time, "sec") and hasattr(time, "nanosec"):
        return int(time.sec) * 1_000_000_000 + int(time.nanosec)
    if hasattr(time, "nanoseconds"):
        return int(time.nanoseconds)
    raise TypeError("time must have sec and nanosec, or nanoseconds.")


def flaw_of_name(frame: str) -> str:
    """Why this cannot be a frame's name; empty when it can."""
    if not frame:
        return "in tf2 frame_ids cannot be empty"
    return "in tf2 frame_ids cannot start with a '/'" if frame.startswith("/") else ""


def check_type(transform: TransformStamped) -> None:
    """Refuse what only looks like a transform, as the real one does."""
    if not isinstance(transform.transform.translation, Vector3):
        raise TypeError("transform.translation must be of type Vector3")


def find_objection(parent: str, child: str, pose: Rigid) -> str:
    """Why a transform is not taken; empty when it is."""
    if parent == child:
        return f'TF_SELF_TRANSFORM: frame_id and child_frame_id are both "{child}"'
    if not child:
        return "TF_NO_CHILD_FRAME_ID: child_frame_id not set"
    if not parent:
        return f'TF_NO_FRAME_ID: frame_id not set for child_frame_id "{child}"'
    numbers = (*pose.translation, *pose.rotation)
    if any(math.isnan(number) for number in numbers):
        return f'TF_NAN_INPUT: a nan value for child_frame_id "{child}": {numbers}'
    length = length_of(pose.rotation)
    if not 0.0 < length < math.inf:
        return f'TF_DENORMALIZED_QUATERNION: length {length} for child_frame_id "{child}"'
    return ""


def rigid_from_message(message: TransformStamped) -> Rigid:
    """The numbers of a transform message."""
    moved, turned = message.transform.translation, message.transform.rotation
    return Rigid((moved.x, moved.y, moved.z), (turned.x, turned.y, turned.z, turned.w))


def message_from_rigid(target: str, source: str, pose: Rigid, time: int) -> TransformStamped:
    """The message that says target_from_source."""
    message = TransformStamped()
    message.header.frame_id = target
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(time, 1_000_000_000)
    message.child_frame_id = source
    moved, turned = message.transform.translation, message.transform.rotation
    moved.x, moved.y, moved.z = pose.translation
    turned.x, turned.y, turned.z, turned.w = normalized(pose.rotation)
    return message
