"""Frames and the transforms between them over time, as a bag tells of them.

What tf2's buffer answers, in plain numbers: static parts of a way between two frames are put
together once, and moving ones are interpolated (positions linearly, rotations by SLERP) between
the poses before and after, never beyond them. Nothing is forgotten: a bag is finite.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from spatial_types.transforms import Transform

Values = tuple[float, ...]


class TransformError(ValueError):
    """A transform cannot be taken, or there is none between two frames at a time."""


@dataclass
class MovingFrame:
    """The poses of a frame in its parent: translations and quaternions x y z w by stamp (ns)."""

    parent: str
    stamps: list[int] = field(default_factory=list)
    poses: list[Values] = field(default_factory=list)

    def insert(self, stamp: int, pose: Values) -> None:
        """Add a pose; of two with one stamp the later told holds."""
        if not self.stamps or stamp > self.stamps[-1]:
            self.stamps.append(stamp)
            self.poses.append(pose)
            return
        place = bisect_left(self.stamps, stamp)
        if self.stamps[place] == stamp:
            self.poses[place] = pose
        else:
            self.stamps.insert(place, stamp)
            self.poses.insert(place, pose)

    def at(self, stamp: int) -> Transform:
        """Return parent_from_frame at a time; TransformError outside of what was told."""
        place = bisect_left(self.stamps, stamp)
        if place < len(self.stamps) and self.stamps[place] == stamp:
            return _transform(self.poses[place])
        if not 0 < place < len(self.stamps):
            first, last = (seconds_text(self.stamps[k]) for k in (0, -1))
            raise TransformError(f"at {seconds_text(stamp)} s: known from {first} to {last} s")
        begin, end = self.stamps[place - 1], self.stamps[place]
        part = (stamp - begin) / (end - begin)
        return _transform(interpolate(self.poses[place - 1], self.poses[place], part))


class TransformTree:
    """Parents of frames, static or moving."""

    def __init__(self) -> None:
        """Know no frames yet."""
        self._static: dict[str, tuple[str, Transform]] = {}
        self._moving: dict[str, MovingFrame] = {}
        self._ways: dict[tuple[str, str], list[Transform | tuple[MovingFrame, bool]]] = {}

    def set_static(self, parent: str, child: str, pose: Sequence[float]) -> None:
        """Tell of a pose x y z, qx qy qz qw that always holds; TransformError where unusable."""
        parent, child = _names(parent, child)
        self._static[child] = (parent, _transform(_checked(child, pose)))
        self._moving.pop(child, None)
        self._ways.clear()

    def set_moving(self, parent: str, child: str, stamp: int, pose: Sequence[float]) -> None:
        """Tell of a pose at a time (ns); TransformError where it is unusable."""
        parent, child = _names(parent, child)
        values = _checked(child, pose)
        frame = self._moving.get(child)
        if frame is None or frame.parent != parent:
            frame = self._moving[child] = MovingFrame(parent)
            self._static.pop(child, None)
            self._ways.clear()
        frame.insert(stamp, values)

    def is_fixed(self, target: str, source: str) -> bool:
        """Tell whether only static transforms lead from one frame to the other."""
        return all(isinstance(part, Transform) for part in self._way(target, source))

    def lookup(self, target: str, source: str, stamp: int) -> Transform:
        """Return target_from_source at a time (ns); TransformError where there is none."""
        result: Transform | None = None
        for part in self._way(target, source):
            if isinstance(part, Transform):
                here = part
            else:
                frame, backwards = part
                try:
                    here = frame.at(stamp)
                except TransformError as error:
                    raise TransformError(f"'{target}' from '{source}' {error}") from None
                here = here.inverse() if backwards else here
            result = here if result is None else result @ here
        return Transform() if result is None else result

    def _way(self, target: str, source: str) -> list[Transform | tuple[MovingFrame, bool]]:
        """Steps from the target's frame down to the source's, static ones put together."""
        known = self._ways.get((target, source))
        if known is not None:
            return known
        above_target, above_source = (list(self._climb(name)) for name in (target, source))
        shared = next((name for name in above_target if name in above_source), None)
        if shared is None:
            raise TransformError(self._why_apart(target, source))
        up = [(name, True) for name in above_target[: above_target.index(shared)]]
        down = [(name, False) for name in above_source[: above_source.index(shared)]]
        way: list[Transform | tuple[MovingFrame, bool]] = []
        for name, backwards in (*up, *reversed(down)):
            step = self._step(name, backwards)
            last = way[-1] if way else None
            if isinstance(step, Transform) and isinstance(last, Transform):
                way[-1] = last @ step
            else:
                way.append(step)
        self._ways[target, source] = way
        return way

    def _step(self, name: str, backwards: bool) -> Transform | tuple[MovingFrame, bool]:
        if name in self._moving:
            return self._moving[name], backwards
        pose = self._static[name][1]
        return pose.inverse() if backwards else pose

    def _climb(self, name: str) -> Iterator[str]:
        """Yield a frame and those above it."""
        seen = set()
        while name not in seen:
            seen.add(name)
            yield name
            if name in self._moving:
                name = self._moving[name].parent
            elif name in self._static:
                name = self._static[name][0]

    def _why_apart(self, target: str, source: str) -> str:
        parents = {item.parent for item in self._moving.values()}
        parents |= {parent for parent, _ in self._static.values()}
        known = {*self._moving, *self._static, *parents}
        for name in (target, source):
            if name not in known:
                listed = ", ".join(sorted(known)) or "none"
                return f"frame '{name}' does not exist; frames: {listed}"
        return f"'{target}' and '{source}' are not connected"


def seconds_text(stamp: int) -> str:
    """Write a stamp (ns) in seconds, exactly."""
    seconds, rest = divmod(stamp, 10**9)
    return f"{seconds}.{rest:09d}"


def interpolate(begin: Values, end: Values, part: float) -> Values:
    """Return the pose x y z, qx qy qz qw a part (0 to 1) of the way: SLERP, the shorter way."""
    position = [a + (b - a) * part for a, b in zip(begin[:3], end[:3], strict=True)]
    first, second = begin[3:], end[3:]
    cosine = sum(a * b for a, b in zip(first, second, strict=True))
    sign = math.copysign(1.0, cosine)
    sine = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    if sine < 1e-6:  # so close that a straight line does
        near, far = 1.0 - part, part * sign
    else:
        angle = math.atan2(sine, abs(cosine))
        near, far = math.sin((1.0 - part) * angle) / sine, sign * math.sin(part * angle) / sine
    return (*position, *(near * a + far * b for a, b in zip(first, second, strict=True)))


def _names(parent: str, child: str) -> tuple[str, str]:
    parent, child = parent.removeprefix("/"), child.removeprefix("/")
    if not child or not parent or parent == child:
        raise TransformError(f"transform from '{child}' to '{parent}': expected two frames")
    return parent, child


def _checked(child: str, pose: Sequence[float]) -> Values:
    """Return the pose with a quaternion of unit length."""
    norm = math.sqrt(sum(value * value for value in pose[3:]))
    if not math.isfinite(norm + sum(pose)) or norm < 1e-12:
        raise TransformError(f"transform of '{child}' is {tuple(pose)}: expected a pose")
    return (*pose[:3], *(value / norm for value in pose[3:]))


def _transform(pose: Values) -> Transform:
    return Transform.from_quaternion(pose[:3], pose[3:])
