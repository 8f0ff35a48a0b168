"""Averaging, the background behind what is drawn, and the noise table."""

import numpy as np
import pytest

from scene_sim.image_reading import before_background, reduced
from scene_sim.noise import NoiseTable


@pytest.mark.parametrize("factor", [1, 2, 3, 8])
def test_neighbours_of_a_row_are_averaged(factor):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7 * factor, 4), dtype=np.uint8)
    pixels[0] = 255
    mean = pixels.reshape(5, 7, factor, 4).mean(axis=2)
    assert np.abs(reduced(pixels, factor) - mean).max() <= 0.5


def test_background_shows_as_far_as_nothing_covers_it():
    covered = np.zeros((3, 1, 4), dtype=np.uint8)
    covered[1] = [100, 50, 0, 128]
    covered[2] = [10, 20, 30, 255]
    image = before_background(covered, np.array([200, 100, 255], dtype=np.uint16))
    assert image[:, 0].tolist() == [[200, 100, 255], [200, 100, 127], [10, 20, 30]]


def test_table_noise_is_gaussian_and_white_in_whole_levels():
    table = NoiseTable(np.random.default_rng(1), 0.5, 2.0)
    rows = table.rows(np.random.default_rng(2), 480, 960).astype(float)
    assert rows.mean() == pytest.approx(0.5, abs=0.01)
    assert rows.std() == pytest.approx(np.sqrt(4.0 + 1.0 / 12.0), rel=0.01)
    assert ((rows - 0.5) ** 4).mean() / rows.var() ** 2 == pytest.approx(3.0, abs=0.1)
    centred = rows - 0.5
    for shifted in (np.roll(centred, 3, axis=1), np.roll(centred, 1, axis=0)):
        assert abs((centred * shifted).mean()) / 4.0 < 0.01
    again = table.rows(np.random.default_rng(2), 480, 960)
    assert np.array_equal(rows, again)
