import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from evaluation import run_trial
from evaluation.bag_reading import open_bag
from evaluation.bag_salvage import Cut, salvage, storage_files
from evaluation.evaluate_bag import main
from evaluation.replay import Replay

ROOM_SCANS = Path(__file__).resolve().parents[3] / "shared/data/real_room_scans"


def run(tmp_path, *arguments):
    out = tmp_path / "figures.json"
    code = main([*map(str, arguments), "--json", str(out)])
    return code, json.loads(out.read_text()) if out.exists() else None


def storage(bag):
    (file,) = storage_files(bag)
    return file


def test_a_replay_gives_the_figures_of_the_run_it_was_recorded_from(recorded, tmp_path):
    outcome, bag = recorded
    code, figures = run(tmp_path, bag, "--memory-scans", 5)
    assert code == 0
    everything = outcome.figures["every_estimate"]
    replayed = figures["every_estimate"]
    assert replayed["samples"] >= everything["samples"]
    for key in ("position_rmse_m", "angle_mae_deg"):
        assert replayed[key] == pytest.approx(everything[key], rel=0.25)
    assert figures["availability"] > 0.9


def test_two_replays_are_the_same(recorded, tmp_path):
    _, bag = recorded
    first, second = (run(tmp_path, bag)[1] for _ in range(2))
    for figures in (first, second):
        del figures["run"]
    assert first == second


def test_thresholds_decide_the_exit_code(recorded, tmp_path, capsys):
    _, bag = recorded
    assert run(tmp_path, bag, "--max-rmse", 0.5, "--min-availability", 0.5)[0] == 0
    assert run(tmp_path, bag, "--max-rmse", 1e-5)[0] == 1
    assert "not met: position_rmse_m" in capsys.readouterr().err


def test_a_truncated_bag_is_evaluated_up_to_the_cut(recorded, tmp_path):
    _, bag = recorded
    cut = tmp_path / "cut"
    shutil.copytree(bag, cut)
    data = storage(cut).read_bytes()
    storage(cut).write_bytes(data[: int(0.6 * len(data))])
    (cut / "metadata.yaml").unlink()
    code, figures = run(tmp_path, cut)
    assert code == 0
    assert figures["samples"] >= 3
    assert any("truncated" in text and "up to the cut" in text for text in figures["warnings"])


def test_a_bag_without_its_metadata_is_read(recorded, tmp_path):
    _, bag = recorded
    file = tmp_path / "alone.mcap"
    shutil.copy(storage(bag), file)
    assert "/lrf/scan" in open_bag(file).topics
    assert run(tmp_path, file)[0] == 0


def test_nothing_to_read_is_said_so(tmp_path, capsys):
    assert main([str(tmp_path / "none")]) == 2
    assert "no such bag" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main([str(tmp_path / "empty")]) == 2
    assert "holds no .mcap and no .db3" in capsys.readouterr().err
    (tmp_path / "noise.mcap").write_bytes(b"not a bag at all")
    assert main([str(tmp_path / "noise.mcap")]) == 2
    assert "nothing can be read" in capsys.readouterr().err


def test_results_that_cannot_be_written_are_refused_before_the_work(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    for arguments in (["--json", tmp_path / "file/out.json"], ["--report", tmp_path / "file"]):
        for command, first in ((main, tmp_path / "no_bag"), (run_trial.main, "static_points")):
            assert command([str(first), *map(str, arguments)]) == 2
            assert f"{tmp_path / 'file'}: results cannot be written" in capsys.readouterr().err
    assert main([str(tmp_path / "no_bag"), "--json", str(tmp_path)]) == 2
    assert "expected a file" in capsys.readouterr().err


def test_a_missing_topic_names_those_there_are(recorded, tmp_path, capsys):
    _, bag = recorded
    assert main([str(bag), "--image-topic", "/nowhere", "--estimate", "fused"]) == 2
    error = capsys.readouterr().err
    assert "no images on /nowhere (--image-topic)" in error
    assert "/lrf/scan (sensor_msgs/msg/LaserScan)" in error


def test_troubles_that_differ_in_numbers_are_told_once():
    replay = object.__new__(Replay)
    replay.trouble, replay.examples = {}, {}
    for stamp in ("45.2", "45.3", "45.4"):
        replay._note(f"/image: no data at {stamp}")
    assert replay._troubles() == ["/image: no data at 45.2 (3 times)"]


def test_without_tf_every_scan_is_refused_by_name(recorded, tmp_path):
    _, bag = recorded
    _, figures = run(tmp_path, bag, "--map-frame", "nowhere", "--estimate", "laser")
    assert any("no transform" in text and "nowhere" in text for text in figures["warnings"])
    assert figures["samples"] == 0


def test_a_mounting_pose_stands_in_for_tf(recorded, tmp_path):
    _, bag = recorded
    pose = ["--lrf-pose", 0, 0, 0.5, 0, 0, 0]
    _, figures = run(tmp_path, bag, "--map-frame", "map", "--estimate", "laser", *pose)
    assert figures["availability"] > 0.9
    assert figures["position_rmse_m"] < 0.05


def test_recorded_estimates_alone_are_scored(recorded, tmp_path):
    _, bag = recorded
    topics = ["--estimate-topic", "/reference/target"]
    code, figures = run(tmp_path, bag, "--recorded", *topics, "--max-rmse", 1e-9)
    assert code == 0
    assert figures["method"] == "recorded"
    assert figures["position_max_m"] < 1e-9


def test_the_radius_reaches_both_estimators(recorded, tmp_path):
    _, bag = recorded
    code, figures = run(tmp_path, bag, "--radius", 0.1)
    assert code == 0
    assert figures["availability"] > 0.8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--recorded", "--estimate-topic", "/lrf/scan"],
            "/lrf/scan (--estimate-topic) is of type",
        ),
        (["--scan-topic", "/tf"], "expected sensor_msgs/msg/LaserScan"),
        (["--info-topic", "/lrf/scan"], "expected sensor_msgs/msg/CameraInfo"),
    ],
)
def test_a_topic_of_another_type_is_refused(recorded, capsys, arguments, words):
    _, bag = recorded
    assert main([str(bag), *arguments]) == 2
    assert words in capsys.readouterr().err


def write_poses(bag, estimates, references, recorded_at=lambda stamp: stamp):
    """Write a bag of recorded estimates and their reference, x in metres every 0.1 s."""
    store, zeros = get_typestore(Stores.LATEST), [0.0] * 36
    with Writer(bag, version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        for topic, make, values in (
            ("/ground_truth/pose", pose_message, estimates),
            ("/reference/target", odometry_message, references),
        ):
            kind = make(store, 0, 0.0, zeros).__msgtype__
            connection = writer.add_connection(topic, kind, typestore=store)
            for k, x in enumerate(values):
                data = store.serialize_cdr(make(store, 10**8 * k, x, zeros), kind)
                writer.write(connection, recorded_at(10**8 * k), data)
    return bag


def test_poses_that_are_none_are_left_out_and_counted(tmp_path):
    truth = [0.1 * k for k in range(20)]
    nan = float("nan")
    estimates = [nan if k in (5, 12) else x for k, x in enumerate(truth)]
    references = [nan if k == 7 else x for k, x in enumerate(truth)]
    code, figures = run(tmp_path, write_poses(tmp_path / "bag", estimates, references))
    assert code == 0
    assert figures["position_max_m"] < 1e-6
    warnings = " ".join(figures["warnings"])
    assert "/ground_truth/pose: Pose has position" in warnings
    assert "(2 times)" in warnings
    assert "the reference has 1 poses that are none" in warnings


def test_nothing_is_aligned_unless_asked(tmp_path):
    truth = [0.1 * k for k in range(20)]
    bag = write_poses(tmp_path / "bag", [x + 0.5 for x in truth], truth)
    _, figures = run(tmp_path, bag)
    assert figures["alignment"] is None
    assert figures["x_bias_m"] == pytest.approx(0.5)
    _, figures = run(tmp_path, bag, "--align")
    assert figures["alignment"]
    assert figures["position_max_m"] < 1e-6


def test_recording_times_do_not_matter(tmp_path):
    truth = [0.1 * k for k in range(20)]
    estimates = [x + 0.01 * (k % 3) for k, x in enumerate(truth)]
    simulated = run(tmp_path, write_poses(tmp_path / "bag", estimates, truth))[1]

    def wall(stamp):
        return 1_700_000_000 * 10**9 + 3 * stamp

    shifted = run(tmp_path, write_poses(tmp_path / "wall", estimates, truth, wall))[1]
    for key in ("samples", "position_rmse_m", "x_bias_m", "time_offset_s"):
        assert shifted.get(key) == simulated.get(key)
    assert simulated["samples"] == 20


def test_parameters_are_checked(recorded, capsys):
    _, bag = recorded
    assert main([str(bag), "--radius", "-1"]) == 2
    assert "target.radius = -1" in capsys.readouterr().err
    assert main([str(bag), "--set", "nonsense=1"]) == 2
    assert "expected one of laser" in capsys.readouterr().err
    assert main([str(bag), "--zone", "no_such_zone.yaml"]) == 2
    assert "no_such_zone.yaml" in capsys.readouterr().err


@pytest.mark.skipif(not ROOM_SCANS.is_dir(), reason="the recorded room is not here")
def test_people_in_a_real_room_are_found(tmp_path):
    code, figures = run(
        tmp_path,
        *(ROOM_SCANS, "--scan-topic", "/front_scan", "--lrf-pose", 0, 0, 0.3, 0, 0, 0),
        *("--learn", 0, "--radius", 0.09, "--radius-tolerance", 0.06),
    )
    assert code == 0
    assert figures["samples"] == 331
    assert figures["tracks"]


def pose_and_header(store, stamp, x, zeros):
    types = store.types
    time = types["builtin_interfaces/msg/Time"](stamp // 10**9, stamp % 10**9)
    point = types["geometry_msgs/msg/Point"](x, 1.0, 0.0)
    turn = types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)
    pose = types["geometry_msgs/msg/Pose"](point, turn)
    full = types["geometry_msgs/msg/PoseWithCovariance"](pose, np.array(zeros))
    return types["std_msgs/msg/Header"](time, "map"), full


def pose_message(store, stamp, x, zeros):
    header, pose = pose_and_header(store, stamp, x, zeros)
    return store.types["geometry_msgs/msg/PoseWithCovarianceStamped"](header, pose)


def odometry_message(store, stamp, x, zeros):
    header, pose = pose_and_header(store, stamp, x, zeros)
    vector = store.types["geometry_msgs/msg/Vector3"](0.0, 0.0, 0.0)
    twist = store.types["geometry_msgs/msg/Twist"](vector, vector)
    both = store.types["geometry_msgs/msg/TwistWithCovariance"](twist, np.array(zeros))
    return store.types["nav_msgs/msg/Odometry"](header, "target", pose, both)


def to_sqlite(bag, target):
    """Copy a bag into the sqlite3 storage."""
    with (
        Reader(bag) as reader,
        Writer(target, version=8, storage_plugin=StoragePlugin.SQLITE3) as writer,
    ):
        store = get_typestore(Stores.LATEST)
        connections = {
            item.id: writer.add_connection(item.topic, item.msgtype, typestore=store)
            for item in reader.connections
        }
        for connection, time, data in reader.messages():
            writer.write(connections[connection.id], time, data)


def test_sqlite_gives_the_same_and_survives_a_cut(recorded, tmp_path):
    _, bag = recorded
    copy = tmp_path / "copy"
    to_sqlite(bag, copy)
    arguments = ("--estimate", "laser")
    whole = run(tmp_path, bag, *arguments)[1]
    figures = run(tmp_path, copy, *arguments)[1]
    assert figures["position_rmse_m"] == whole["position_rmse_m"]
    data = storage(copy).read_bytes()
    storage(copy).write_bytes(data[: int(0.5 * len(data))])
    code, figures = run(tmp_path, copy, *arguments)
    assert code == 0
    assert 0 < figures["samples"] < whole["samples"]
    assert any("truncated" in text for text in figures["warnings"])


@pytest.mark.parametrize("part", [0.03, 0.35, 0.9])
@pytest.mark.parametrize("keep_metadata", [True, False])
def test_damage_anywhere_in_sqlite_ends_the_reading_and_is_said(
    recorded, tmp_path, part, keep_metadata
):
    _, bag = recorded
    copy = tmp_path / "copy"
    to_sqlite(bag, copy)
    data = bytearray(storage(copy).read_bytes())
    start = int(part * len(data))
    data[start : start + 9000] = b"\xff" * 9000
    storage(copy).write_bytes(data)
    if not keep_metadata:
        (copy / "metadata.yaml").unlink()
    opened = open_bag(copy)
    topics = list(opened.topics)
    assert len(list(opened.messages(topics))) < len(list(open_bag(bag).messages(topics)))
    assert opened.notes


def test_a_row_of_no_topic_ends_the_reading(recorded, tmp_path):
    _, bag = recorded
    copy = tmp_path / "copy"
    to_sqlite(bag, copy)
    with sqlite3.connect(storage(copy)) as database:
        (last,) = database.execute("SELECT max(id) FROM messages").fetchone()
        database.execute("UPDATE messages SET topic_id = 999 WHERE id > ?", (last // 2,))
    database.close()
    with pytest.raises(Cut, match="a row is damaged"):
        list(salvage(storage(copy)))
