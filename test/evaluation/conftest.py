from pathlib import Path

import pytest

from evaluation.bag_writing import BagRecorder
from evaluation.run_trial import run
from evaluation.trial import read_trial

SHORT_DRIVE = """\
trial: short
world: ground_truth_room.sdf
seed: 3
settle: 1.0
drive:
  start: [-0.5, 1.4, 20.0]
  moves:
    - stop: 0.4
    - {drive: 0.5, turning: 40.0}
    - stop: 0.4
memory_scans: 5
variants:
  - {name: laser_alone, estimate: laser}
"""


@pytest.fixture(scope="session")
def short_drive(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("trial") / "short.yaml"
    path.write_text(SHORT_DRIVE)
    return path


@pytest.fixture(scope="session")
def recorded(short_drive, tmp_path_factory):
    """A short drive in lock-step: its outcome, and the bag that was recorded of it."""
    bag = tmp_path_factory.mktemp("bags") / "short"
    with BagRecorder(bag) as recorder:
        outcome = run(read_trial(short_drive), observers=[recorder.see])
    return outcome, bag
