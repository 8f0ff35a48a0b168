"""What a trial, a live graph or a replayed bag leaves behind, ready to be scored."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluation.series import PoseSeries, Reference, Stamps

NO_IMAGE = -1


@dataclass(frozen=True)
class Samples:
    """The samples that count: a scan each, and the image nearest after it.

    `scan_stamps`, `image_stamps` (N,) ns, NO_IMAGE where no image followed; `point` (N,) index
    into `point_names`.
    """

    scan_stamps: Stamps
    image_stamps: Stamps
    point: NDArray[np.int64]
    point_names: tuple[str, ...]

    def stamps(self, estimate: str) -> Stamps:
        """Return the stamps at which an estimate of this kind is due."""
        return self.scan_stamps if estimate == "laser" else self.image_stamps

    def select(self, index: NDArray[np.bool_]) -> Samples:
        """Return the samples that a mask keeps."""
        return Samples(
            self.scan_stamps[index], self.image_stamps[index], self.point[index], self.point_names
        )


def pair_samples(
    scan_stamps: Stamps, image_stamps: Stamps, longest_wait: int = 100_000_000
) -> Samples:
    """Pair each scan with the first image at or after it, within `longest_wait` ns."""
    scans = np.asarray(scan_stamps, dtype=np.int64)
    images = np.sort(np.asarray(image_stamps, dtype=np.int64))
    paired = np.full(len(scans), NO_IMAGE, dtype=np.int64)
    if len(images):
        index = np.searchsorted(images, scans)
        found = index < len(images)
        following = images[np.minimum(index, len(images) - 1)]
        paired = np.where(found & (following - scans <= longest_wait), following, NO_IMAGE)
    return Samples(scans, paired, np.zeros(len(scans), dtype=np.int64), ("all",))


@dataclass(frozen=True)
class StateChange:
    """The tracker's state from `stamp` (ns) on, and why."""

    stamp: int
    state: str
    reason: str


@dataclass(frozen=True)
class RefusedTarget:
    """Something that was no target: where (x, y in map, m) and why."""

    stamp: int
    x: float
    y: float
    reason: str


@dataclass(frozen=True)
class Track:
    """One row of results: all estimates of one kind by one set of estimators.

    `unusable` counts why images gave no pose, `laser_stamps` are those of scans in which the target
    was seen, `targets` tells of each track that the laser followed, `all_targets` where it
    reported any target.
    """

    name: str
    estimate: str
    method: str
    poses: PoseSeries
    states: tuple[StateChange, ...] = ()
    refused: tuple[RefusedTarget, ...] = ()
    unusable: dict[str, int] = field(default_factory=dict)
    laser_stamps: Stamps = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    targets: tuple[dict[str, float], ...] = ()
    all_targets: PoseSeries | None = None


@dataclass(frozen=True)
class Recording:
    """Everything that is scored; the first track is the one whose figures stand at the top.

    `absent` are spans (ns) in which no target could be seen, `all_scans` the stamps of all scans.
    """

    trial: str
    seed: int | None
    samples: Samples
    tracks: tuple[Track, ...]
    reference: Reference | None
    description: str = ""
    notes: tuple[str, ...] = ()
    absent: tuple[tuple[int, int], ...] = ()
    all_scans: Stamps = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def begin(self) -> int:
        """Where its time counts from (ns): a simulation's clock from 0, others' from a scan."""
        stamps = self.samples.scan_stamps
        return 0 if self.seed is not None or not len(stamps) else int(stamps.min())
