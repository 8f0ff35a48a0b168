"""Real scans of people walking: read, learn the room, follow them. Needs the recorded bag."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
BAG = Path(os.environ.get("TRUTHBED_REAL_BAG", ROOT.parent / "shared/data/real_room_scans"))
if not BAG.exists() and (ROOT.parents[1] / "shared/data/real_room_scans").exists():
    BAG = ROOT.parents[1] / "shared/data/real_room_scans"

pytestmark = pytest.mark.skipif(not BAG.exists(), reason=f"no recorded scans at {BAG}")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("real_room", ROOT / "docs" / "real_room.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_walking_people_are_followed(script):
    scans = script.read_scans(BAG, "/rear_scan")
    assert len(scans) == 330
    zone, results = script.track(scans)
    seen = [result for result in results if result.targets]
    assert len(seen) > 180
    paths = {}
    for result in results:
        for target in result.targets:
            paths.setdefault(target.track_id, []).append(target.state.position)
    assert 2 <= len(paths) <= 4
    for path in paths.values():
        steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
        assert np.quantile(steps, 0.9) < 0.2  # 2 m/s at 10 Hz
    assert sum(np.ptp(path, axis=0).max() > 1.0 for path in paths.values()) >= 2
    assert np.isfinite(zone.background).sum() > 200


def test_learnt_furniture_is_no_target(script):
    scans = script.read_scans(BAG, "/front_scan")
    _, results = script.track(scans)
    found = [target.state for result in results[30:90] for target in result.targets]
    assert found == []  # nobody is in view of the front sensor before the eleventh second
