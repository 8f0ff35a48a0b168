"""Sensor noise as SDF describes it, from one random stream per sensor.

A stream depends on the seed and the sensor's name alone, so that what one sensor does (a camera
rendered on demand, say) never changes the noise of another.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from scene_sim.description.sensors import Axes3Noise, Noise

Array = NDArray[np.float64]
Column = tuple[np.random.Generator, float, Array]
ROWS = 64  # how much noise is drawn at once


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the random generator of the sensor `name` for this seed."""
    return np.random.default_rng([seed & 0xFFFFFFFF, zlib.crc32(name.encode())])


class NoiseRows:
    """Plain Gaussian noise of several channels, a row at a time; many rows are drawn at once.

    Each column is (generator, mean, standard deviations (N,)), and draws from its own generator
    alone. The columns of a row stand beside each other.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._rows: Iterator[Array] = iter(())

    def following(self) -> Array:
        """Return the next row (N,); not to be written to."""
        row = next(self._rows, None)
        if row is None:
            self._rows = iter(np.hstack([_drawn(*column) for column in self._columns]))
            row = next(self._rows)
        return row


def _drawn(generator: np.random.Generator, mean: float, stddev: Array) -> Array:
    return mean + stddev * generator.standard_normal((ROWS, len(stddev)))


class NoiseTable:
    """Gaussian noise for images, in whole levels: each row is a stretch of one table.

    The places in the table are drawn anew, as drawing a normal value for every pixel would cost a
    fifth of the whole image. Within a row the values are independent; two rows or images share
    values at chance offsets only.
    """

    LENGTH = 1 << 20

    def __init__(self, generator: np.random.Generator, mean: float, stddev: float) -> None:
        self._generator, self._mean, self._stddev = generator, mean, stddev
        self._table = np.empty(0, dtype=np.int16)
        self._filling = threading.Lock()

    def rows(self, generator: np.random.Generator, count: int, length: int) -> NDArray[np.int16]:
        """Return new noise (count, length), rounded; `generator` draws the places."""
        with self._filling:
            if not len(self._table):
                self._fill(self.LENGTH + length)
        places = generator.integers(0, len(self._table) - length, count)
        return np.lib.stride_tricks.sliding_window_view(self._table, length)[places]

    def _fill(self, size: int) -> None:
        table = self._generator.standard_normal(size, dtype=np.float32)
        table *= np.float32(self._stddev)
        table += np.float32(self._mean)
        self._table = np.clip(np.rint(table), -255.0, 255.0).astype(np.int16)


class NoiseSource:
    """Noise of one scalar channel (or of many alike): truth in, reading out."""

    def __init__(self, noise: Noise, generator: np.random.Generator) -> None:
        self._noise = noise
        self._generator = generator
        self._bias = 0.0
        if noise.kind != "none" and (noise.bias_mean or noise.bias_stddev):
            sign = 1.0 if generator.random() < 0.5 else -1.0
            self._bias = sign * float(generator.normal(noise.bias_mean, noise.bias_stddev))
        self._drift = 0.0

    @property
    def is_plain(self) -> bool:
        """True where the noise is white and Gaussian, or none: a column of NoiseRows gives it."""
        noise = self._noise
        plain = Noise("gaussian", mean=noise.mean, stddev=noise.stddev)
        return noise.kind == "none" or noise == plain

    def column(self, count: int) -> Column:
        """Return the plain noise of `count` channels alike."""
        noise = self._noise if self._noise.kind != "none" else Noise()
        return self._generator, noise.mean, np.full(count, noise.stddev)

    def apply(self, truth: Array, period: float = 0.0) -> Array:
        """Return `truth` (N,) with noise, as a new array; the drift moves on by `period` (s)."""
        noise = self._noise
        if noise.kind == "none":
            return truth.copy()
        reading = truth + (noise.mean + self._bias + self._drifted(period))
        if noise.stddev > 0.0:
            reading += noise.stddev * self._generator.standard_normal(len(truth))
        if noise.kind == "gaussian_quantized" and noise.precision > 0.0:
            reading = np.round(reading / noise.precision) * noise.precision
        return reading

    def _drifted(self, period: float) -> float:
        """First-order Gauss-Markov bias, exact for the elapsed period."""
        noise = self._noise
        if noise.dynamic_bias_stddev <= 0.0 or noise.dynamic_bias_correlation_time <= 0.0:
            return 0.0
        keep = float(np.exp(-period / noise.dynamic_bias_correlation_time))
        spread = noise.dynamic_bias_stddev * float(np.sqrt(1.0 - keep * keep))
        self._drift = keep * self._drift + spread * float(self._generator.standard_normal())
        return self._drift


class VectorNoise:
    """Noise on a vector (3,), each axis with its own figures."""

    def __init__(self, noise: Axes3Noise, generator: np.random.Generator) -> None:
        axes = (noise.x, noise.y, noise.z)
        self._axes = [NoiseSource(axis, generator) for axis in axes]
        stddev = np.array([axis.stddev for axis in axes])
        plain = all(axis == Noise("gaussian", stddev=axis.stddev) for axis in axes)
        self._rows = NoiseRows([(generator, 0.0, stddev)]) if plain else None

    def apply(self, truth: Array, period: float) -> Array:
        """Return `truth` with noise; `period` (s) since the last call moves the drift."""
        if self._rows is not None:
            return truth + self._rows.following()
        values = [axis.apply(truth[k : k + 1], period) for k, axis in enumerate(self._axes)]
        return np.concatenate(values)
