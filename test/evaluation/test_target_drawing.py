"""The drawing to print: lengths in the PDF are what they are to be on paper."""

import re

import numpy as np
import pytest

from evaluation.target_drawing import INCH, PAPERS, main

NUMBER = r"(-?[\d.]+)"
MM = INCH / 72.0  # of one unit of a PDF


def pages(path):
    """Each page's size (mm) and the closed outlines and lines drawn in it, (K, 2) mm."""
    text = path.read_bytes().decode("latin-1")
    boxes = re.findall(rf"/MediaBox \[ ?0 0 {NUMBER} {NUMBER} ?\]", text)
    found = []
    for box, stream in zip(boxes, re.findall(r"stream\n(.*?)endstream", text, re.S), strict=False):
        paths, points = [], []
        for x, y, kind in re.findall(rf"^{NUMBER} {NUMBER} ([ml])$", stream, re.M):
            if kind == "m" and points:
                paths.append(np.array(points) * MM)
                points = []
            points.append((float(x), float(y)))
        paths.append(np.array(points) * MM)
        found.append((np.array(box, dtype=float) * MM, paths))
    return found


def spans(paths):
    return np.array([np.ptp(path, axis=0) for path in paths])


def has(paths, width, height):
    return np.any(np.all(np.abs(spans(paths) - (width, height)) < 0.01, axis=1))


@pytest.mark.parametrize(("paper", "count"), [("A4", 4), ("A3", 3)])
def test_a_print_is_to_scale(tmp_path, paper, count):
    out = tmp_path / "new" / "target.pdf"
    assert main(["--out", str(out), "--paper", paper]) == 0
    found = pages(out)
    assert len(found) == count
    arc = 100.0 * np.radians(30.0)
    markers = 0
    for number, (size, paths) in enumerate(found):
        assert size == pytest.approx(PAPERS[paper], abs=0.01)
        assert has(paths, 100.0, 0.0)
        assert has(paths, 0.0, 50.0)
        if number:
            markers += np.sum(np.all(np.abs(spans(paths) - (arc, 60.0)) < 0.01, axis=1))
    assert markers == 6


def test_the_pieces_make_one_ring(tmp_path):
    out = tmp_path / "target.pdf"
    assert main(["--out", str(out), "--set", "target.radius=0.08"]) == 0
    total = 0.0
    for _, paths in pages(out)[1:]:
        edges = spans(paths)
        lines = edges[(edges[:, 1] < 0.01) & (edges[:, 0] > 101.0)]
        total += lines[:, 0].max() - 10.0
    assert total == pytest.approx(2 * np.pi * 80.0, abs=0.02)


def test_other_sizes_are_the_estimators(tmp_path, capsys):
    out = tmp_path / "target.pdf"
    assert main(["--out", str(out), "--set", "target.marker_height=0.05"]) == 0
    assert any(has(paths, 100.0 * np.radians(30.0), 50.0) for _, paths in pages(out)[1:])
    assert main(["--out", str(out), "--set", "target.radios=0.08"]) == 2
    assert "did you mean 'target.radius'" in capsys.readouterr().err
    tall = ["--set", "target.marker_height=0.3"]
    assert main(["--out", str(out), *tall]) == 2
    assert "marker_height" in capsys.readouterr().err
