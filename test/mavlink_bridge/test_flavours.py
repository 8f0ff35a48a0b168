"""Autopilots are told apart by their heartbeats, and their modes have the right numbers."""

import importlib

import pytest

from mavlink_bridge.autopilots.flavours import (
    ARDUPILOT,
    GENERIC,
    PX4,
    THESIS,
    ModeNumbers,
    UnknownModeError,
    flavour_of,
    recognise,
)
from mavlink_bridge.autopilots.modes import ARDUPILOT_MODES, PX4_MODES
from mavlink_bridge.dialect.definition import load
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter

DIALECT = load()


def heartbeat(autopilot: int, kind: int = 2, base_mode: int = 209, custom_mode: int = 0):
    return DIALECT.MAVLink_heartbeat_message(kind, autopilot, base_mode, custom_mode, 4, 3)


def frame_of(message):
    return FrameParser().feed(FrameWriter(1, 1).write(message))[0]


@pytest.mark.parametrize(
    ("message", "flavour", "mode"),
    [
        (heartbeat(12, custom_mode=0x00060000), PX4, "OFFBOARD"),
        (heartbeat(12, custom_mode=0x03040000), PX4, "AUTO.LOITER"),
        (heartbeat(12, custom_mode=0x63040000), PX4, f"custom mode {0x63040000}"),
        (heartbeat(3, kind=2, custom_mode=4), ARDUPILOT["copter"], "GUIDED"),
        (heartbeat(3, kind=13, custom_mode=6), ARDUPILOT["copter"], "RTL"),
        (heartbeat(3, kind=1, custom_mode=15), ARDUPILOT["plane"], "GUIDED"),
        (heartbeat(3, kind=10, custom_mode=4), ARDUPILOT["rover"], "HOLD"),
        (heartbeat(3, kind=12, custom_mode=19), ARDUPILOT["sub"], "MANUAL"),
        (heartbeat(0, base_mode=4), GENERIC, "base mode 4"),
        (heartbeat(8, kind=6, base_mode=0), GENERIC, "base mode 0"),
    ],
)
def test_flavour_and_mode_follow_from_the_heartbeat(message, flavour, mode):
    assert flavour_of(message) is flavour
    assert flavour.mode_name(message) == mode


def test_the_thesis_peer_shows_itself_by_its_messages_and_stays_one():
    pose = DIALECT.MAVLink_dji_pose_stamped_message(1, 0, 0, 1, [0] * 3, [0, 0, 0, 1])
    flavour = recognise(GENERIC, frame_of(heartbeat(0)))
    assert flavour is GENERIC
    flavour = recognise(flavour, frame_of(pose))
    assert flavour is THESIS
    assert recognise(flavour, frame_of(heartbeat(0))) is THESIS
    assert recognise(PX4, frame_of(pose)) is PX4


def test_numbers_to_ask_for_a_mode():
    assert PX4.mode_numbers("OFFBOARD") == ModeNumbers(1, 6, 0)
    assert PX4.mode_numbers("AUTO.RTL") == ModeNumbers(1, 4, 5)
    assert ARDUPILOT["copter"].mode_numbers("GUIDED") == ModeNumbers(1, 4, 0)
    with pytest.raises(UnknownModeError, match=r"px4 has no mode 'OFBOARD'; did you mean 'OFFBOA"):
        PX4.mode_numbers("OFBOARD")
    with pytest.raises(UnknownModeError, match="generic has no mode 'GUIDED'; it has no modes"):
        GENERIC.mode_numbers("GUIDED")


@pytest.mark.parametrize("flavour", [PX4, *ARDUPILOT.values()])
def test_the_modes_for_each_purpose_exist(flavour):
    for name in (flavour.obeys_in, flavour.hovers_in, flavour.returns_in, flavour.lands_in):
        assert name == "" or name in flavour.modes
    assert flavour.obeys_in


def test_numbers_agree_with_pymavlinks():
    mavutil = importlib.import_module("pymavlink.mavutil")
    theirs = {
        "copter": mavutil.mode_mapping_acm,
        "plane": mavutil.mode_mapping_apm,
        "rover": mavutil.mode_mapping_rover,
        "sub": mavutil.mode_mapping_sub,
    }
    for vehicle, modes in ARDUPILOT_MODES.items():
        for name, number in modes.items():
            assert theirs[vehicle][number] == name
    for name, number in PX4_MODES.items():
        told = mavutil.interpret_px4_mode(81, number)
        known = {"FOLLOW_TARGET": "FOLLOWME"}.get(name.split(".")[-1], name.split(".")[-1])
        assert told in (known, "UNKNOWN") or name == "ORBIT"
