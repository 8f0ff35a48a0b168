"""The estimators in a row, with the images measured on other processors.

An image is measured by itself: only the laser's state goes in, and what it says comes back to the
fusion, in order. So a replay, which needs no answer at once, hands images out and goes on reading.
The results are those of the plain chain, to the last digit.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import NamedTuple

from evaluation.errors import EvaluationError
from evaluation.estimator_chain import EstimatorChain
from evaluation.recording import Track
from evaluation.trial import Variant
from ground_truth_localizer.acceptance_zone import AcceptanceZone
from ground_truth_localizer.orientation_estimator import OrientationEstimator
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.orientation_result import OrientationResult
from ground_truth_localizer.target_state import TargetState
from spatial_types.camera import CameraFrame, CameraModel
from spatial_types.transforms import Transform

# Images that one message to a worker holds, and how many such messages wait for each worker.
BATCH = 8
AHEAD = 3


def processors() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Image(NamedTuple):
    """What measuring one image takes."""

    frame: CameraFrame
    camera: CameraModel
    map_from_camera: Transform
    target: TargetState
    turning: float


class _Batch(NamedTuple):
    """Targets and stamps of images in order, None where the fusion begins anew; their results."""

    entries: Sequence[tuple[int, TargetState] | None]
    results: Future[list[OrientationResult | Exception]]


class DeferredChain(EstimatorChain):
    """An estimator chain that measures its images in `jobs` processes.

    `fused` tells nothing here.
    """

    def __init__(
        self, variant: Variant, method: str, zone: AcceptanceZone | None, jobs: int
    ) -> None:
        """Build the estimators as EstimatorChain does; the processes start with the first image."""
        super().__init__(variant, method, zone)
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._entries: list[tuple[int, TargetState] | None] = []
        self._images: list[_Image] = []
        self._waiting: deque[_Batch] = deque()

    def on_image(self, frame: CameraFrame, camera: CameraModel, map_from_camera: Transform) -> None:
        """Hand out one image, unless only the laser is scored."""
        if self.variant.estimate == "laser":
            return
        if self._target is None:
            self._entries.append(None)
            return
        turning = self._orientation.turning(frame.stamp, map_from_camera)
        self._entries.append((frame.stamp, self._target))
        self._images.append(_Image(frame, camera, map_from_camera, self._target, turning))
        if len(self._images) >= BATCH:
            self._hand_out()
            if len(self._waiting) > AHEAD * self._jobs:
                self._take_in()

    def track(self, frame: str = "map") -> Track:
        """Wait for what is still out, end the processes and return the record."""
        try:
            self._hand_out()
            while self._waiting:
                self._take_in()
        finally:
            self.close()
        return super().track(frame)

    def close(self) -> None:
        """End the processes; images that are still out are forgotten."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _hand_out(self) -> None:
        if self._pool is None:
            method = "fork" if sys.platform == "linux" else None  # by far the quickest
            self._pool = ProcessPoolExecutor(
                self._jobs,
                multiprocessing.get_context(method),
                _prepare_worker,
                (self.orientation_parameters,),
            )
        with _told_when_ended():
            results = self._pool.submit(_measure, self._images)
        self._waiting.append(_Batch(self._entries, results))
        self._entries, self._images = [], []

    def _take_in(self) -> None:
        batch = self._waiting.popleft()
        with _told_when_ended():
            results = iter(batch.results.result())
        for entry in batch.entries:
            if entry is None:
                self._fusion.reset()
                continue
            result = next(results)
            if isinstance(result, Exception):
                self.failures.append(result)
            else:
                self._fuse(entry[0], result, entry[1])


@contextmanager
def _told_when_ended() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool as error:
        raise EvaluationError(f"a process that measures images was ended: {error}") from None


_estimators: list[OrientationEstimator] = []


def _prepare_worker(parameters: OrientationParameters) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    _estimators[:] = [OrientationEstimator(parameters)]


def _measure(images: Sequence[_Image]) -> list[OrientationResult | Exception]:
    return [_measured(image) for image in images]


def _measured(image: _Image) -> OrientationResult | Exception:
    try:
        return _estimators[0].measure(*image)
    except ValueError as error:  # an image or a camera that cannot be used
        return error
