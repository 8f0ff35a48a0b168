"""The dialect as the thesis prints it, byte for byte."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.dialect.generator import DialectError
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter

ROOT = Path(__file__).resolve().parents[2]
DIALECT = load()
# 78 bytes: header, position, orientation, sec, nsec, target_system, topic_name, checksum.
POSE_FRAME = bytes.fromhex("fd 42 00 00 00 07 c8 54c300") + struct.pack(
    "<3d4dIIBB", 1.5, -2.25, 3.0, 0.0, 0.0, 0.6, 0.8, 1571702400, 250, 42, 1
)


def pose(topic_name: int):
    return DIALECT.MAVLink_dji_pose_stamped_message(
        42, 1571702400, 250, topic_name, [1.5, -2.25, 3.0], [0.0, 0.0, 0.6, 0.8]
    )


def test_the_printed_message_has_66_bytes_and_crc_extra_70():
    message = DIALECT.MAVLink_dji_pose_stamped_message
    assert message.id == 50004
    assert message.unpacker.size == 66
    assert message.crc_extra == 70
    assert message.unpacker.format == "<3d4dIIBB"
    assert message.ordered_fieldnames == [
        "position",
        "orientation",
        "sec",
        "nsec",
        "target_system",
        "topic_name",
    ]
    assert DIALECT.DJI_TOPIC_NAME_SETPOINT == 0
    assert DIALECT.DJI_TOPIC_NAME_DRONE_POSITION == 1


def test_a_reported_position_is_78_bytes_on_the_wire():
    frame = FrameWriter(7, 200).write(pose(DIALECT.DJI_TOPIC_NAME_DRONE_POSITION))
    assert len(frame) == 78
    assert frame[:-2] == POSE_FRAME
    assert frame[-2:] == bytes.fromhex("0252")


def test_a_setpoint_is_trimmed_to_77_bytes_and_read_whole_and_byte_by_byte():
    frame = FrameWriter(7, 200).write(pose(DIALECT.DJI_TOPIC_NAME_SETPOINT))
    assert len(frame) == 77
    assert frame[1] == 65
    whole = FrameParser().feed(frame)
    parser = FrameParser()
    single = [frame for byte in frame for frame in parser.feed(bytes([byte]))]
    for frames in (whole, single):
        assert [frame.message_id for frame in frames] == [50004]
        message = frames[0].message
        assert (message.target_system, message.sec, message.nsec) == (42, 1571702400, 250)
        assert message.topic_name == 0
        assert message.position == [1.5, -2.25, 3.0]
        assert message.orientation == [0.0, 0.0, 0.6, 0.8]


def test_a_dialect_of_ones_own_includes_ours(tmp_path):
    xml = tmp_path / "mine.xml"
    xml.write_text(
        '<mavlink><include>truthbed.xml</include><messages><message id="50099" name="MY_WIND">'
        '<description>Wind</description><field type="float" name="speed">m/s</field></message>'
        "</messages></mavlink>"
    )
    mine = load(xml)
    frame = FrameParser(mine).feed(FrameWriter(1, 1).write(mine.MAVLink_my_wind_message(4.5)))[0]
    assert frame.message.speed == 4.5
    assert mine.MAVLink_dji_pose_stamped_message.crc_extra == 70


@pytest.mark.parametrize(
    "text", ["<mavlink>", '<mavlink><messages><message id="0" name="HEARTBEAT"/></messages>']
)
def test_a_broken_dialect_is_named(tmp_path, text):
    xml = tmp_path / "broken.xml"
    xml.write_text(text)
    with pytest.raises(DialectError, match=r"broken\.xml"):
        load(xml)


def test_a_missing_dialect_is_named(tmp_path):
    with pytest.raises(DialectError, match=r"none\.xml: no such dialect"):
        load(tmp_path / "none.xml")


def build(folder: Path, path: str = "") -> str:
    """Run setup.py's build_py on the source tree as it is, into folder/built."""
    for entry in ROOT.iterdir():
        if (entry / "__init__.py").is_file() or entry.name in ("setup.py", "resource"):
            (folder / entry.name).symlink_to(entry)
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_py", "-d", "built"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


def test_the_module_is_generated_when_the_package_is_built(tmp_path):
    build(tmp_path)
    code = "from mavlink_bridge.dialect.definition import load; print(load().__file__)"
    built = tmp_path / "built"
    environment = {**os.environ, "PYTHONPATH": str(built)}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, cwd=built, env=environment, capture_output=True, check=True)
    assert Path(found.stdout.decode().strip()).is_relative_to(built)


def test_without_pymavlink_the_build_says_that_the_module_comes_later(tmp_path):
    (tmp_path / "pymavlink.py").write_text("raise ModuleNotFoundError('no pymavlink here')")
    assert "will be generated when it is first used" in build(tmp_path, str(tmp_path))
    assert not (tmp_path / "built/mavlink_bridge/dialect/_generated").exists()
