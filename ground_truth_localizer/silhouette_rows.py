"""White rows made ready for the silhouette's fit: unit noise, doubtful columns weighed down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, hypot, sqrt

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.image_strips import Strip

Array = NDArray[np.float64]
# Columns of background kept beyond each edge.
BACKGROUND_COLUMNS = 3.5
SATURATED = 250.0


@dataclass(frozen=True)
class Rows:
    """Profiles on shared columns: `levels` (C, W) in units of one sigma, `borders` (W + 1,).

    `weight` (W,) is 0 for saturated columns, where brightness is no longer linear, and below 1
    where the edge's own error adds to the noise; `levels` hold it already.
    """

    levels: Array
    borders: Array
    centres: Array
    pixel: float
    weight: Array

    def window(self, offset: float, ratio: float, more: float = 0.0) -> Rows:
        """Columns on the target and a few beyond each edge, `more` (rad) wider."""
        reach = asin(min(ratio, 0.99)) + BACKGROUND_COLUMNS * self.pixel + more
        first, last = self.centres.searchsorted((offset - reach, offset + reach)).tolist()
        used = slice(first, last)
        borders = self.borders[first : last + 1]
        levels, centres = self.levels[:, used], self.centres[used]
        return Rows(levels, borders, centres, self.pixel, self.weight[used])


def gather(
    strips: Sequence[Strip], noise: float, model_error: float, edge_error: float
) -> list[Rows]:
    """Scale strips to unit noise and join those that share their columns as more channels."""
    groups: list[list[Strip]] = []
    for strip in strips:
        for group in groups:
            if strip.shares_columns(group[0]):
                group.append(strip)
                break
        else:
            groups.append([strip])
    return [_joined(group, noise, model_error, edge_error) for group in groups]


def _joined(group: Sequence[Strip], noise: float, model_error: float, edge_error: float) -> Rows:
    """Scale strips of the same columns to unit noise and stack them as channels."""
    first = group[0]
    raw = np.concatenate([s.colours for s in group], axis=1)
    scales = [1.0 / hypot(noise / sqrt(s.rows.sum() / len(s.rows)), model_error) for s in group]
    levels = raw * np.repeat(scales, 3)
    # What an edge shifted by its error would change in the columns to both sides of it.
    steps = np.abs(levels[1:] - levels[:-1]).max(axis=1) * (edge_error / first.pixel)
    shift = np.zeros(len(levels))
    shift[1:] = steps
    np.maximum(shift[:-1], steps, out=shift[:-1])
    weight = (raw.max(axis=1) < SATURATED) / np.sqrt(1.0 + shift * shift)
    return Rows(levels.T * weight, first.borders, first.centres, first.pixel, weight)
