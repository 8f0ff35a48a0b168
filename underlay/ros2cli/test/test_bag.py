"""Recording and playing, with rosbags as the judge of the files."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import finish, read_until, wait_for
from rosbags.interfaces import QosDurability, QosReliability
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.LATEST)
HEADER = "std_msgs/msg/Header"
TIME = STORE.types["builtin_interfaces/msg/Time"]
NANO = 1_000_000_000


def header(number):
    message = STORE.types[HEADER](stamp=TIME(sec=number, nanosec=0), frame_id="x" * 400)
    return STORE.serialize_cdr(message, HEADER)


def write_bag(path, count=50, rate=50.0, storage=StoragePlugin.MCAP):
    """A bag of numbered messages on /a and, every tenth, on /b."""
    with Writer(path, version=8, storage_plugin=storage) as writer:
        connections = [
            writer.add_connection(topic, HEADER, typestore=STORE) for topic in ("/a", "/b")
        ]
        for number in range(count):
            stamp = NANO + int(number * NANO / rate)
            for connection in connections[: 1 + (number % 10 == 0)]:
                writer.write(connection, stamp, header(number))


def read_bag(path):
    """Topic -> [(time, sec of the header)]."""
    found = {}
    with Reader(path) as reader:
        for connection, stamp, data in reader.messages(reader.connections):
            if connection.msgtype == HEADER:
                message = STORE.deserialize_cdr(data, HEADER)
                found.setdefault(connection.topic, []).append((stamp, message.stamp.sec))
    return found


def numbers(path):
    return {topic: [number for _, number in items] for topic, items in read_bag(path).items()}


def start_recording(ros2, path, *arguments):
    process = ros2.start("bag", "record", "-o", path, *arguments)
    read_until(process, "Recording")
    return process


def stop(process, number=signal.SIGINT):
    process.send_signal(number)
    rest = finish(process)
    assert process.returncode == 0, rest
    return rest


@pytest.mark.parametrize(
    ("storage", "number"), [("mcap", signal.SIGINT), ("sqlite3", signal.SIGTERM)]
)
def test_recording_loses_nothing(ros2, storage, number):
    count = 90
    path = ros2.folder / "bag"
    talker = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("talker.py")), str(count)],
        env=ros2.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        read_until(talker, "ready")
        recorder = start_recording(ros2, path, "-a", "--storage", storage)
        read_until(talker, "sent")
        stop(recorder, number)
    finally:
        talker.terminate()
        talker.communicate()
    with Reader(path) as reader:
        topics = {connection.topic: connection for connection in reader.connections}
        counts = {topic: connection.msgcount for topic, connection in topics.items()}
        assert counts["/test/image"] == count
        assert counts["/test/counter"] == count
        assert counts["/test/status"] == 1  # sent before the recording began
        qos = {topic: c.ext.offered_qos_profiles[0] for topic, c in topics.items()}
        assert qos["/test/status"].durability == QosDurability.TRANSIENT_LOCAL
        assert qos["/test/image"].reliability == QosReliability.BEST_EFFORT
        assert topics["/test/image"].msgdef.data.startswith("std_msgs/Header header\n")
        assert topics["/test/image"].digest.startswith("RIHS01_")
        images = [
            STORE.deserialize_cdr(data, "sensor_msgs/msg/Image").header.frame_id
            for _, _, data in reader.messages([topics["/test/image"]])
        ]
    assert images == [str(number) for number in range(count)]


@pytest.fixture
def played(ros2):
    """Play a bag with options while everything is recorded; returns what arrived."""

    def play(bag, *options, topics=("/a", "/b", "/c", "/clock")):
        path = ros2.folder / "replayed"
        recorder = start_recording(ros2, path, *topics)
        code, output = ros2.run("bag", "play", bag, "--delay", "4", *options)
        assert code == 0, output
        stop(recorder)
        return path, output

    return play


def test_playing_everything(ros2, played):
    write_bag(ros2.folder / "bag")
    path, _ = played(ros2.folder / "bag")
    assert numbers(path) == {"/a": list(range(50)), "/b": list(range(0, 50, 10))}


def test_playing_some_of_it_under_another_name_with_a_clock(ros2, played):
    write_bag(ros2.folder / "bag", storage=StoragePlugin.SQLITE3)
    path, _ = played(
        ros2.folder / "bag",
        *("--topics", "/a", "--remap", "/a:=/c", "--start-offset", "0.5", "--clock", "50"),
    )
    assert numbers(path) == {"/c": list(range(25, 50))}
    with Reader(path) as reader:
        clocks = [c for c in reader.connections if c.topic == "/clock"]
        times = [
            message.clock.sec * NANO + message.clock.nanosec
            for _, _, data in reader.messages(clocks)
            for message in [STORE.deserialize_cdr(data, "rosgraph_msgs/msg/Clock")]
        ]
    assert times == sorted(times)
    assert 15 <= len(times) <= 26
    assert min(times) >= 1.5 * NANO


def test_the_rate_stretches_time(ros2, played):
    write_bag(ros2.folder / "bag")
    path, _ = played(ros2.folder / "bag", "--rate", "0.5", "--topics", "/b")
    stamps = [stamp for stamp, _ in read_bag(path)["/b"]]
    assert stamps[-1] - stamps[0] == pytest.approx(2 * 0.8 * NANO, rel=0.3)


def test_looping(ros2):
    write_bag(ros2.folder / "bag", count=10)
    recorder = start_recording(ros2, ros2.folder / "replayed", "/a")
    player = ros2.start("bag", "play", ros2.folder / "bag", "--loop")
    read_until(recorder, "Subscribed")
    echo = ros2.start("topic", "echo", "/a", HEADER, "--field", "stamp.sec")
    lines = iter(echo.stdout.readline, "")
    wait_for(lambda: next(lines) == "9\n")
    wait_for(lambda: next(lines) == "0\n")
    player.send_signal(signal.SIGINT)
    finish(player)
    assert player.returncode == 0
    stop(recorder)


@pytest.mark.parametrize(
    ("storage", "suffix", "with_metadata"),
    [(StoragePlugin.MCAP, ".mcap", False), (StoragePlugin.SQLITE3, ".db3", True)],
)
def test_a_cut_bag_plays_up_to_the_cut(ros2, played, storage, suffix, with_metadata):
    bag = ros2.folder / "bag"
    write_bag(bag, count=400, rate=400.0, storage=storage)
    file = bag / f"bag{suffix}"
    file.write_bytes(file.read_bytes()[:150000])
    if not with_metadata:
        (bag / "metadata.yaml").unlink()
    code, output = ros2.run("bag", "info", bag)
    assert code == 0
    assert "The bag is cut off" in output
    told = int(re.search(r"Messages: +(\d+)", output).group(1))
    path, output = played(bag)
    assert "is cut off" in output
    assert f"played {told} messages up to the cut" in output
    arrived = numbers(path)["/a"]
    assert 100 < len(arrived) < 400
    assert arrived == list(range(len(arrived)))


def test_a_killed_recording_can_be_read(ros2):
    bag = ros2.folder / "bag"
    recorder = start_recording(ros2, bag, "/said")
    talker = ros2.start("topic", "pub", "-r", "100", "/said", HEADER, "{frame_id: here}")
    read_until(recorder, "Subscribed")
    file = bag / "bag.mcap"
    wait_for(lambda: file.stat().st_size > 10000)  # it is written out every few seconds
    recorder.kill()
    finish(recorder)
    talker.kill()
    code, output = ros2.run("bag", "info", bag)
    assert code == 0
    assert int(re.search(r"Topic: /said .* Count: (\d+)", output).group(1)) > 10


def test_what_info_says(ros2):
    write_bag(ros2.folder / "bag")
    code, output = ros2.run("bag", "info", ros2.folder / "bag")
    assert code == 0
    assert re.search(r"^Storage id: +mcap$", output, re.MULTILINE)
    assert re.search(r"^Duration: +0\.980000000s$", output, re.MULTILINE)
    assert re.search(r"^Messages: +55$", output, re.MULTILINE)
    assert f"Topic: /a | Type: {HEADER} | Count: 50 | Serialization Format: cdr" in output


def test_bags_that_are_none(ros2):
    code, output = ros2.run("bag", "play", ros2.folder / "no_such")
    assert (code, output) == (1, f"No such bag: '{ros2.folder / 'no_such'}'\n")
    (ros2.folder / "empty").mkdir()
    code, output = ros2.run("bag", "info", ros2.folder / "empty")
    assert code == 1
    assert "holds no readable bag" in output


def test_an_existing_bag_is_not_overwritten(ros2):
    (ros2.folder / "bag").mkdir()
    code, output = ros2.run("bag", "record", "-a", "-o", ros2.folder / "bag")
    assert code == 1
    assert "already exists" in output
