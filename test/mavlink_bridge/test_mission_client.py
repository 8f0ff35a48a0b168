"""Missions to the simulated autopilot and from it, over links that lose messages."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from flights import Flight
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.links.thin import ThinOptions
from mavlink_bridge.missions.mission_client import MissionOutcome
from mavlink_bridge.missions.mission_item import (
    MissionError,
    MissionItem,
    item_of,
    read_mission,
    write_mission,
)

VEHICLE = (1, 1)
NOTHING = (0.0, 0.0, 0.0, 0.0)


def mission(flight: Flight, count: int = 20) -> list[MissionItem]:
    """A take-off and a line of places."""
    items = []
    for number in range(count):
        latitude, longitude, _ = flight.place(number * 5.0, 10.0, 5.0)
        command = 22 if number == 0 else 16
        place = (round(latitude * 1e7), round(longitude * 1e7), 5.0 + 0.1 * number)
        items.append(MissionItem(6, command, NOTHING, *place))
    return items


def upload(flight: Flight, items: list[MissionItem], **options: Any) -> MissionOutcome:
    ended: list[MissionOutcome] = []
    flight.ground.missions.upload(items, VEHICLE, flight.now, ended.append, **options)
    flight.run(300.0, lambda: ended)
    return ended[0]


def download(flight: Flight) -> MissionOutcome:
    ended: list[MissionOutcome] = []
    flight.ground.missions.download(VEHICLE, flight.now, ended.append)
    flight.run(300.0, lambda: ended)
    return ended[0]


@pytest.mark.parametrize("loss", [0.0, 0.2])
@pytest.mark.parametrize("flavour", ["px4", "ardupilot"])
def test_a_mission_goes_there_and_back(tmp_path, loss, flavour):
    flight = Flight(tmp_path, 3, loss=loss, delay=0.05, duplicate=loss, flavour=flavour)
    items = mission(flight)
    outcome = upload(flight, items, skipped=int(flavour == "ardupilot"))
    assert outcome.error == ""
    back = download(flight)
    assert back.succeeded
    first = int(flavour == "ardupilot")  # whose item 0 is home
    pairs = list(zip(items, back.items, strict=True))[first:]
    assert all(ours.is_kept_as(theirs) for ours, theirs in pairs)


def test_on_a_slow_link_no_question_multiplies(tmp_path):
    """A round trip takes longer than the vehicle waits, and telemetry fills the link."""
    flight = Flight(tmp_path, delay=0.5, thin=ThinOptions(100, 1000.0, 1000.0))
    assert upload(flight, mission(flight)).succeeded
    asked = [message.seq for message in flight.got("MISSION_REQUEST_INT")]
    assert set(asked) == set(range(20))
    assert len(asked) <= 2 * 20


def test_what_the_vehicle_keeps_otherwise_is_no_success(tmp_path):
    flight = Flight(tmp_path)
    items = mission(flight, 3)
    give = flight.ground.missions._give

    def spoilt(work: Any, message: Any, now: float) -> None:
        work.wanted = (*items[:2], items[0]) if message.seq == 2 else tuple(items)
        give(work, message, now)
        work.wanted = tuple(items)

    flight.ground.missions._give = spoilt
    assert upload(flight, items).error == "the vehicle has another item 2"


def test_a_refusal_is_told_in_words(tmp_path):
    flight = Flight(tmp_path)
    odd = MissionItem(6, 31010, NOTHING, 0, 0, 0.0)
    assert upload(flight, [odd]).error.startswith("refused: ")
    assert not flight.ground.missions.busy


def test_a_vehicle_that_is_not_there_is_given_up(tmp_path):
    flight = Flight(tmp_path, loss=1.0)
    assert upload(flight, mission(flight, 2)).error == "no answer, asked 10 times"


def test_one_at_a_time_and_cancelled(tmp_path):
    flight = Flight(tmp_path, delay=0.2)
    outcomes: list[MissionOutcome] = []
    flight.ground.missions.download(VEHICLE, flight.now, outcomes.append)
    flight.ground.missions.download(VEHICLE, flight.now, outcomes.append)
    assert [outcome.error for outcome in outcomes] == ["another mission is under way"]
    flight.ground.missions.cancel(flight.now)
    assert outcomes[-1].error == "cancelled"


numbers = st.floats(-1e5, 1e5, width=32)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.builds(
            MissionItem,
            st.sampled_from([0, 3, 5, 6]),
            st.integers(0, 65535),
            st.tuples(numbers, numbers, numbers, st.just(math.nan)),
            st.integers(-900_000_000, 900_000_000),
            st.integers(-1_800_000_000, 1_800_000_000),
            numbers,
        ),
        min_size=1,
        max_size=5,
    )
)
def test_files_keep_missions(tmp_path_factory, items):
    path: Path = tmp_path_factory.mktemp("missions") / "there.waypoints"
    write_mission(path, items)
    back = read_mission(path)
    for ours, theirs in zip(items, back, strict=True):
        assert (ours.frame, ours.command, ours.x, ours.y) == (
            theirs.frame,
            theirs.command,
            theirs.x,
            theirs.y,
        )
        assert ours.is_kept_as(theirs) or abs(ours.z) > 1e3  # seven digits of floats


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", ":1: expected 'QGC WPL 110'"),
        ("QGC WPL 110\n", "0 items"),
        ("QGC WPL 110\n0 1 3 16 0 0 0 0 1 2 3\n", ":2: 11 columns"),
        ("QGC WPL 110\n\n0 1 3 16 0 0 0 0 95 2 3 1\n", ":3: place"),
        ("QGC WPL 110\n0 1 3 fly 0 0 0 0 5 2 3 1\n", ":2: "),
        ("QGC WPL 110\n0 1 3 16 0 0 0 0 nan 2 3 1\n", ":2: place"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path, text, what):
    path = tmp_path / "bad.waypoints"
    path.write_text(text)
    with pytest.raises(MissionError, match=what):
        read_mission(path)


@pytest.mark.parametrize("degrees", [math.nan, math.inf, -181.0])
def test_a_float_item_that_names_no_place_is_one_that_no_place_has(degrees):
    """MISSION_ITEM is the older message; what it holds comes from the other end."""
    dialect = load()
    place = (degrees, 14.5, 20.0)
    message = dialect.MAVLink_mission_item_message(255, 190, 0, 0, 16, 0, 1, *NOTHING, *place)
    item = item_of(message)
    assert (item.x, item.y, item.z) == (2**31 - 1, 145_000_000, 20.0)
