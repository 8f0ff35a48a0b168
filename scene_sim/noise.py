"""Sensor noise as SDF describes it, from one random stream per sensor.

A stream depends on the seed and the sensor's name alone, so that what one sensor does (a camera
rendered on demand, say) never changes the noise of another.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from scene_sim.description.sensors import Axes3Noise, Noise

Array = NDArray[np.float64]
STORE = 256  # values drawn at once


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the random generator of the sensor `name` for this seed."""
    return np.random.default_rng([seed & 0xFFFFFFFF, zlib.crc32(name.encode())])


class NormalDraws:
    """Standard normal values one after the other; few of them cost less drawn from a store."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator
        self._store = np.empty(0)
        self._next = 0

    def take(self, count: int) -> Array:
        """Return the next `count` values; not to be written to."""
        if count > STORE // 4:
            return self._generator.standard_normal(count)
        last = self._next + count
        if last > len(self._store):
            self._store = self._generator.standard_normal(STORE)
            self._next, last = 0, count
        values = self._store[self._next : last]
        self._next = last
        return values


class NoiseTable:
    """Gaussian noise for images: each row is a stretch of one table from a place drawn anew.

    Drawing a normal value for every pixel would cost a fifth of the whole image. Within a row the
    values are independent; two rows or images share values at chance offsets only.
    """

    LENGTH = 1 << 20

    def __init__(self, generator: np.random.Generator, mean: float, stddev: float) -> None:
        self._generator, self._mean, self._stddev = generator, mean, stddev
        self._table = np.empty(0, dtype=np.float32)

    def rows(self, generator: np.random.Generator, count: int, length: int) -> NDArray[np.float32]:
        """Return new noise (count, length); `generator` draws the places."""
        if not len(self._table):
            size = self.LENGTH + length
            self._table = self._generator.standard_normal(size, dtype=np.float32)
            self._table *= np.float32(self._stddev)
            self._table += np.float32(self._mean)
        places = generator.integers(0, len(self._table) - length, count)
        return np.lib.stride_tricks.sliding_window_view(self._table, length)[places]


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
        self._draws = NormalDraws(generator)

    def apply(self, truth: Array, period: float = 0.0) -> Array:
        """Return `truth` (N,) with noise, as a new array; the drift moves on by `period` (s)."""
        noise = self._noise
        if noise.kind == "none":
            return truth.copy()
        reading = truth + (noise.mean + self._bias + self._drifted(period))
        if noise.stddev > 0.0:
            reading += noise.stddev * self._draws.take(len(truth))
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
        self._axes = tuple(NoiseSource(axis, generator) for axis in (noise.x, noise.y, noise.z))
        self._draws = NormalDraws(generator)
        axes = (noise.x, noise.y, noise.z)
        self._stddev = np.array([axis.stddev for axis in axes])
        self._plain = all(axis == Noise("gaussian", stddev=axis.stddev) for axis in axes)

    def apply(self, truth: Array, period: float) -> Array:
        """Return `truth` with noise; `period` (s) since the last call moves the drift."""
        if self._plain:
            return truth + self._stddev * self._draws.take(3)
        values = [axis.apply(truth[k : k + 1], period) for k, axis in enumerate(self._axes)]
        return np.concatenate(values)
