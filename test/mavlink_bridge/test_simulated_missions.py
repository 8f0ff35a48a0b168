"""Missions and fences of the simulated autopilot: the protocol, item by item, and the flight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from flights import NAN, Flight

from mavlink_bridge.simulated_autopilot.mission_service import MissionResult
from mavlink_bridge.simulated_autopilot.pilot import Mode

WAYPOINT, RETURN, LAND, TAKEOFF, DELAY, JUMP, SPEED = 16, 20, 21, 22, 93, 177, 178


def item(
    flight: Flight,
    number: int,
    command: int,
    *numbers: float,
    place: Sequence[float] = (0, 0, 0),
    kind: int = 0,
) -> Any:
    """A MISSION_ITEM_INT at east, north and up of home."""
    latitude, longitude, _ = flight.place(*place)
    values = [*numbers, *[0.0] * (4 - len(numbers))]
    return flight.dialect.MAVLink_mission_item_int_message(
        1,
        1,
        number,
        6,
        command,
        0,
        1,
        *values,
        round(latitude * 1e7),
        round(longitude * 1e7),
        place[2],
        kind,
    )


def upload(flight: Flight, items: list[Any], kind: int = 0) -> MissionResult:
    """Play a ground station: send what is asked for, and the last message again after 1.5 s."""
    flight.messages.clear()
    last = flight.dialect.MAVLink_mission_count_message(1, 1, len(items), kind)
    answered, send_at = 0, flight.now

    def ended() -> bool:
        nonlocal answered, last, send_at
        asked = flight.got("MISSION_REQUEST_INT")
        if len(asked) > answered:
            last, send_at = items[asked[-1].seq], flight.now
        answered = len(asked)
        if flight.now >= send_at:
            flight.send(last)
            send_at = flight.now + 1.5
        return bool(flight.got("MISSION_ACK"))

    flight.run(60.0, ended)
    return MissionResult(flight.got("MISSION_ACK")[0].type)


def square(flight: Flight) -> list[Any]:
    places = ((0, 0, 5), (6, 0, 5), (6, 6, 5), (0, 6, 5))
    return [
        item(flight, number, WAYPOINT if number else TAKEOFF, 0, 0, 0, NAN, place=place)
        for number, place in enumerate(places)
    ] + [item(flight, 4, RETURN)]


def test_a_mission_is_flown_item_by_item(tmp_path):
    flight = Flight(tmp_path)
    assert upload(flight, square(flight)) is MissionResult.ACCEPTED
    assert flight.command(400, 1).succeeded
    assert flight.command(300).succeeded
    flight.run(120.0, lambda: not flight.pilot.armed)
    reached = [message.seq for message in flight.got("MISSION_ITEM_REACHED")]
    assert reached == [0, 1, 2, 3, 4]
    assert flight.near(0.0, 0.0, 0.0, within=0.6)


def test_a_mission_is_paused_and_goes_on_where_it_was(tmp_path):
    flight = Flight(tmp_path)
    upload(flight, square(flight))
    assert flight.command(400, 1).succeeded
    assert flight.mode("AUTO.MISSION").succeeded
    flight.run(60.0, lambda: flight.pilot.mission.current == 2)
    assert flight.mode("AUTO.LOITER").succeeded
    flight.run(3.0)
    here = flight.position
    flight.run(2.0)
    assert flight.near(*here, within=0.1)
    assert flight.got("MISSION_CURRENT")[-1].mission_state == 4  # paused
    assert flight.command(193, 1).succeeded
    flight.messages.clear()
    flight.run(60.0, lambda: flight.pilot.mission.current == 4)
    assert [message.seq for message in flight.got("MISSION_ITEM_REACHED")][:1] == [2]


def test_jumps_speeds_and_delays(tmp_path):
    flight = Flight(tmp_path)
    items = [
        item(flight, 0, TAKEOFF, 0, 0, 0, NAN, place=(0, 0, 4)),
        item(flight, 1, SPEED, 1, 1.0),
        item(flight, 2, WAYPOINT, 0, 0, 0, NAN, place=(3, 0, 4)),
        item(flight, 3, WAYPOINT, 0, 0, 0, NAN, place=(0, 0, 4)),
        item(flight, 4, JUMP, 2, 1),
        item(flight, 5, DELAY, 2),
        item(flight, 6, 2000),  # take a picture, with a camera that is not there
    ]
    assert upload(flight, items) is MissionResult.ACCEPTED
    assert flight.command(400, 1).succeeded
    flight.messages.clear()
    assert flight.mode("AUTO.MISSION").succeeded
    fastest = 0.0

    def ended() -> bool:
        nonlocal fastest
        fastest = max(fastest, abs(flight.vehicle.body.velocity[0]))
        return flight.pilot.mode is Mode.HOLD

    flight.run(60.0, ended)
    flight.run(0.5)
    assert [m.seq for m in flight.got("MISSION_ITEM_REACHED")] == [0, 1, 2, 3, 2, 3, 4, 5, 6]
    assert fastest == pytest.approx(1.0, abs=0.05)


def test_what_was_uploaded_comes_back_to_the_last_digit(tmp_path):
    flight = Flight(tmp_path)
    sent = square(flight)
    upload(flight, sent)
    flight.send(flight.dialect.MAVLink_mission_request_list_message(1, 1, 0))
    flight.run(2.0, lambda: flight.got("MISSION_COUNT"))
    assert flight.got("MISSION_COUNT")[0].count == len(sent)
    for number, wanted in enumerate(sent):
        old_form = number % 2
        kind = "mission_request_message" if old_form else "mission_request_int_message"
        flight.send(getattr(flight.dialect, f"MAVLink_{kind}")(1, 1, number, 0))
        flight.run(2.0, lambda n=number: len(flight.got("MISSION_ITEM_INT")) > n)
        got = flight.got("MISSION_ITEM_INT")[number]
        assert (got.command, got.x, got.y, got.z) == (wanted.command, wanted.x, wanted.y, wanted.z)


def test_the_old_form_with_floats_is_taken_too(tmp_path):
    flight = Flight(tmp_path)
    old = flight.dialect.MAVLink_mission_item_message(
        1, 1, 0, 3, WAYPOINT, 0, 1, 0, 0, 0, NAN, 46.0503, 14.4689, 5.0, 0
    )
    assert upload(flight, [old]) is MissionResult.ACCEPTED
    assert flight.pilot.mission.items[0].x == pytest.approx(460_503_000, abs=40)


def test_late_and_doubled_items_bring_no_more_questions(tmp_path):
    """Every item comes three times and each answer is late: still one question for each item."""
    flight = Flight(tmp_path, delay=0.3)
    items = square(flight)
    flight.send(flight.dialect.MAVLink_mission_count_message(1, 1, len(items), 0))
    answered = 0

    def ended() -> bool:
        nonlocal answered
        asked = flight.got("MISSION_REQUEST_INT")
        for question in asked[answered:]:
            for _ in range(3):
                flight.send(items[question.seq])
        answered = len(asked)
        return bool(flight.got("MISSION_ACK"))

    flight.run(30.0, ended)
    assert [message.seq for message in flight.got("MISSION_REQUEST_INT")] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("seed", range(5))
def test_a_lossy_upload_is_whole_once_it_is_accepted(tmp_path, seed):
    flight = Flight(tmp_path, seed=seed, loss=0.2, delay=0.05)
    items = square(flight)
    assert upload(flight, items) is MissionResult.ACCEPTED
    assert [(item.x, item.y) for item in flight.pilot.mission.items] == [
        (item.x, item.y) for item in items
    ]


def test_an_upload_that_breaks_off_changes_nothing(tmp_path):
    flight = Flight(tmp_path)
    upload(flight, square(flight))
    before = list(flight.pilot.mission.items)
    flight.messages.clear()
    flight.send(flight.dialect.MAVLink_mission_count_message(1, 1, 3, 0))
    flight.run(1.0, lambda: flight.got("MISSION_REQUEST_INT"))
    flight.send(item(flight, 0, WAYPOINT, place=(1, 1, 5)))
    flight.run(20.0, lambda: flight.got("MISSION_ACK"))
    assert flight.got("MISSION_ACK")[0].type == MissionResult.CANCELLED
    assert flight.pilot.mission.items == before


def test_items_that_cannot_be_flown_are_refused(tmp_path):
    flight = Flight(tmp_path)
    assert upload(flight, [item(flight, 0, 84)]) is MissionResult.UNSUPPORTED
    assert upload(flight, [item(flight, 0, JUMP, 7, 1)]) is MissionResult.INVALID
    local = item(flight, 0, WAYPOINT, place=(1, 1, 5))
    local.frame = 1
    assert upload(flight, [local]) is MissionResult.UNSUPPORTED_FRAME


def test_a_fence_is_uploaded_and_kept(tmp_path):
    flight = Flight(tmp_path)
    corners = ((-10, -10), (10, -10), (10, 10), (-10, 10))
    fence = [
        item(flight, number, 5001, 4, place=(*corner, 0), kind=1)
        for number, corner in enumerate(corners)
    ] + [item(flight, 4, 5004, 2.0, place=(5, 5, 0), kind=1)]
    assert upload(flight, fence, kind=1) is MissionResult.ACCEPTED
    outside = [item(flight, 0, WAYPOINT, place=(12, 0, 5))]
    assert upload(flight, outside) is MissionResult.DENIED
    forbidden = [item(flight, 0, WAYPOINT, place=(5, 6, 5))]
    assert upload(flight, forbidden) is MissionResult.DENIED
    assert upload(flight, [item(flight, 0, WAYPOINT, place=(9, 9, 5))]) is MissionResult.ACCEPTED
    assert upload(flight, fence[:3], kind=1) is MissionResult.INVALID


def test_clearing(tmp_path):
    flight = Flight(tmp_path)
    upload(flight, square(flight))
    flight.messages.clear()
    flight.send(flight.dialect.MAVLink_mission_clear_all_message(1, 1, 255))
    flight.run(1.0, lambda: flight.got("MISSION_ACK"))
    assert not flight.pilot.mission.items
    assert not flight.mode("AUTO.MISSION").succeeded
