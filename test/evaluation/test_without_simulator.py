"""Bags are evaluated on machines that have no MuJoCo: it is not needed, nor imported."""

import json
import subprocess
import sys

BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("mujoco", "scene_sim"):
            raise ModuleNotFoundError(f"{name} is blocked")

sys.meta_path.insert(0, Blocker())
"""
ESTIMATORS = "laser_localizer, orientation_estimator, pose_fusion, camera_tracker, zone_files"


def run(code, *arguments):
    command = [sys.executable, "-c", BLOCKED + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_simulator_is_blocked():
    assert "mujoco is blocked" in run("import mujoco").stderr


def test_a_bag_is_evaluated_with_a_report(recorded, tmp_path):
    _, bag = recorded
    out = tmp_path / "figures.json"
    code = "from evaluation.evaluate_bag import main\nsys.exit(main(sys.argv[1:]))"
    done = run(code, bag, "--json", out, "--report", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_text())["availability"] > 0.9
    assert (tmp_path / "report" / "report.html").exists()


def test_estimators_are_imported():
    done = run(f"from ground_truth_localizer import {ESTIMATORS}")
    assert done.returncode == 0, done.stderr


def test_a_station_is_calibrated_and_a_target_drawn():
    for name in ("calibrate_station", "target_drawing"):
        done = run(f"from evaluation.{name} import main\nmain(['--help'])")
        assert done.returncode == 0, done.stderr
