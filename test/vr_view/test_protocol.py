"""What a page may send, and what is answered to the rest."""

import contextlib
import json
import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vr_view.server.checks import ProtocolError
from vr_view.server.protocol import (
    ACTIONS,
    Action,
    Device,
    Ping,
    Subscribe,
    encode,
    encode_binary,
    parse_message,
)

HEAD = [0.1, 1.6, -0.2, 0, 0, 0, 2 - 1]
CONTROLLER = {"stick": [0.5, -1], "trigger": 1, "grip": 0.25, "buttons": [True, False]}


def parsed(**message):
    return parse_message(json.dumps(message))


def test_a_device_with_one_hand_is_read_and_its_quaternion_made_unit():
    device = parsed(type="device", t=3.5, head=[0, 1.6, 0, 0, 0.9, 0, 0.9], left=CONTROLLER)
    assert isinstance(device, Device)
    assert device.head[3:] == pytest.approx((0, 0.5**0.5, 0, 0.5**0.5))
    assert device.left is not None
    assert device.left.stick == (0.5, -1.0)
    assert device.left.buttons == (True, False)
    assert device.right_hand is None


def test_unknown_fields_of_a_newer_page_are_passed_over():
    assert parsed(type="ping", t=1, colour="blue") == Ping(1.0)


def test_an_action_has_its_checked_arguments():
    action = parsed(type="action", id=7, name="drone.setpoint", arguments={"position": [1, 2, 3]})
    assert action == Action(7, "drone.setpoint", {"position": (1.0, 2.0, 3.0), "yaw": None})


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_an_action_without_an_id_or_with_wrong_arguments_is_refused(name):
    with pytest.raises(ProtocolError, match="id"):
        parsed(
            type="action",
            name=name,
            arguments={"on": True, "factor": 1, "name": "x"}
            | {"position": [0, 0, 0], "points": [[0, 0, 0]], "upload": "u"},
        )
    if ACTIONS[name]:
        with pytest.raises(ProtocolError, match="arguments"):
            parsed(type="action", id=1, name=name, arguments={})


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("", "JSON"),
        ("[]", "object"),
        ("{}", "type"),
        ('{"type": ["ping"]}', "type"),
        ('{"type": "ping"}', "t:"),
        ('{"type": "ping", "t": NaN}', "JSON"),
        ('{"type": "ping", "t": 1e999}', "t:"),
        ('{"type": "ping", "t": ' + "9" * 5000 + "}", "JSON|t:"),
        ("[" * 60000, "JSON"),
        ('{"type": "subscribe", "topics": {"/tf": -1}}', "topics"),
        ('{"type": "subscribe", "topics": {"a\\nb": 1}}', "topics"),
        (json.dumps({"type": "device", "t": 0, "head": [0] * 7}), "quaternion"),
        (json.dumps({"type": "device", "t": 0, "head": [0] * 6}), "head"),
        (json.dumps({"type": "action", "id": 1, "name": "shutdown"}), "name"),
        (
            json.dumps(
                {
                    "type": "eyes",
                    "distance": 0.06,
                    "left": {"tangents": [1, -1, 1, 1], "size": [9, 9]},
                }
            ),
            "left.tangents",
        ),
    ],
)
def test_bad_messages_are_refused_by_the_fields_name(line, named):
    with pytest.raises(ProtocolError, match=named):
        parse_message(line)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10)
JSON = SCALARS | st.lists(SCALARS, max_size=8) | st.dictionaries(st.text(max_size=5), SCALARS)
KINDS = ["subscribe", "ping", "device", "eyes", "vr", "report", "action"]
FIELDS = ["t", "head", "left", "right", "topics", "id", "name", "arguments", "distance", "active"]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5))
def test_whatever_a_stranger_sends_is_taken_or_refused(kind, fields):
    with contextlib.suppress(ProtocolError):
        assert parse_message(json.dumps({"type": kind, **fields})) is not None


@given(st.text())
def test_text_that_is_no_json_is_refused(line):
    with pytest.raises(ProtocolError):
        parse_message(line)


def test_only_rates_that_are_named_are_asked_for():
    assert parsed(type="subscribe", topics={"/tf": 30}) == Subscribe({"/tf": 30.0})


@given(st.text(max_size=30), st.lists(st.floats(width=32, allow_nan=False), max_size=20))
def test_a_binary_message_has_its_payload_where_floats_can_be_read_in_place(topic, ranges):
    payload = np.array(ranges, dtype="<f4").tobytes()
    message = encode_binary({"topic": topic, "kind": "scan"}, payload)
    (length,) = struct.unpack_from("<I", message)
    assert (4 + length) % 4 == 0
    assert json.loads(message[4 : 4 + length])["topic"] == topic
    assert message[4 + length :] == payload


def test_numbers_that_json_does_not_have_are_not_sent():
    with pytest.raises(ValueError, match="JSON"):
        encode("topic", value=float("nan"))
