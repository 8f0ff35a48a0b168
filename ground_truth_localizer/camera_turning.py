"""How fast the camera has been turning over the last images.

A pan follows its commands in jerks, and tf interpolates linearly between joint states: the faster
it turns, the worse the camera's direction at an image's stamp is known.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from spatial_types.transforms import Transform

Array = NDArray[np.float64]
SECOND = 10**9


class CameraTurning:
    """Watches the camera's viewing direction from image to image."""

    def __init__(self, span: float = 0.12) -> None:
        """Look back over `span` seconds."""
        self._span = span
        self._seen: deque[tuple[int, Array]] = deque()

    def update(self, stamp: int, map_from_camera: Transform) -> float:
        """Note the pose at `stamp` (ns); return the largest rate (rad/s) within the span."""
        if self._seen and not 0 < stamp - self._seen[-1][0] < SECOND:
            self._seen.clear()
        self._seen.append((stamp, map_from_camera.rotation[:, 2].copy()))
        while len(self._seen) > 2 and (stamp - self._seen[1][0]) / SECOND >= self._span:
            self._seen.popleft()
        rates = (
            sqrt(float((after - before) @ (after - before))) * SECOND / (later - earlier)
            for (earlier, before), (later, after) in pairwise(self._seen)
        )
        return max(rates, default=0.0)
