"""Record all scans to a text file, one line each, and read them back.

The first line names the columns: stamp in ns, frame, angle_min, angle_increment, time_increment,
scan_time, range_min, range_max, then the ranges separated by spaces (nan and inf as such).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from spatial_types.scan import Scan

HEADER = (
    "stamp_ns,frame_id,angle_min,angle_increment,time_increment,scan_time,range_min,range_max,"
    "ranges"
)


class RecordingError(ValueError):
    """A recording cannot be read; the text names file and line."""


class ScanRecorder:
    """Writes scans as they come, to `PATH.part` until the recording is saved."""

    def __init__(self, path: str | Path) -> None:
        """Open the file; OSError where it cannot be written."""
        self.path = _unused(Path(path))
        self.scans = 0
        self._part = self.path.with_name(self.path.name + ".part")
        self._file = self._part.open("w", encoding="utf-8")
        self._file.write(HEADER + "\n")

    def add(self, scan: Scan) -> None:
        """Write one scan."""
        fields = [
            str(scan.stamp),
            scan.frame_id.replace(",", "_"),
            *(
                repr(float(value))
                for value in (
                    scan.angle_min,
                    scan.angle_increment,
                    scan.time_increment,
                    scan.scan_time,
                    scan.range_min,
                    scan.range_max,
                )
            ),
            " ".join(f"{value:.9g}" for value in scan.ranges),
        ]
        self._file.write(",".join(fields) + "\n")
        self.scans += 1

    def save(self) -> Path:
        """End the recording and return the finished file."""
        self._file.close()
        self._part.replace(self.path)
        return self.path


def read_recording(path: str | Path) -> Iterator[Scan]:
    """Yield the scans of a recording; RecordingError names the line that is wrong."""
    with Path(path).open(encoding="utf-8") as file:
        if file.readline().strip() != HEADER:
            raise RecordingError(f"{path} line 1: expected the header '{HEADER}'")
        for number, line in enumerate(file, start=2):
            yield _scan_from_line(line, f"{path} line {number}")


def _scan_from_line(line: str, where: str) -> Scan:
    fields = line.rstrip("\n").split(",")
    if len(fields) != 9:
        raise RecordingError(f"{where}: {len(fields)} fields: expected 9")
    try:
        stamp, numbers = int(fields[0]), [float(field) for field in fields[2:8]]
        ranges = np.array(fields[8].split(), dtype=float)
    except ValueError as error:
        raise RecordingError(f"{where}: {error}") from None
    first, step, beam_time, scan_time, range_min, range_max = numbers
    return Scan(stamp, fields[1], first, step, beam_time, scan_time, range_min, range_max, ranges)


def _unused(path: Path) -> Path:
    """Return the path, numbered where it exists: a recording never replaces another."""
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.stem}_{number}{path.suffix}")
    return candidate
