"""replay.launch.xml: the estimators on a recording, and its figures."""

import json

import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped

from evaluation.bag_writing import BagRecorder
from evaluation.run_trial import run
from evaluation.trial import read_trial
from ros_interface.qos import RELIABLE

TRIAL = """\
trial: short
world: ground_truth_room.sdf
seed: 3
settle: 1.0
drive:
  start: [-0.5, 1.4, 20.0]
  moves:
    - stop: 2.0
memory_scans: 5
variants:
  - {name: laser_alone, estimate: laser}
"""


@pytest.fixture(scope="module")
def bag(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replay")
    (folder / "trial.yaml").write_text(TRIAL)
    with BagRecorder(folder / "bag") as recorder:
        run(read_trial(folder / "trial.yaml"), observers=[recorder.see])
    return folder / "bag"


def test_a_recording_is_located_and_scored(launched, bag, tmp_path):
    figures = tmp_path / "figures.json"
    scene = launched(88, "replay.launch.xml", f"bag:={bag}", f"json:={figures}", "rate:=0.5")
    poses = scene.watch(PoseWithCovarianceStamped, "/ground_truth/position", RELIABLE)
    scene.wait_for(lambda: len(poses) >= 3 and figures.exists() and figures.read_text())
    found = poses[-1].pose.pose.position
    assert (found.x, found.y) == pytest.approx((-0.5, 1.4), abs=0.05)
    assert json.loads(figures.read_text())
    assert scene.stop() == 0
    assert scene.left_behind() == []
    assert "Traceback" not in scene.text
    assert "incompatible" not in scene.text, "a topic is played as nobody can hear it"
