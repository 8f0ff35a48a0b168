"""pymavlink's own connections at the other end of our links, unsigned and signed."""

import os
import select
from collections.abc import Callable
from typing import Any

import pytest

from mavlink_bridge.connection import Connection
from mavlink_bridge.dialect.definition import load
from mavlink_bridge.links.link import Link
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.links.tcp import TcpServer
from mavlink_bridge.links.udp import UdpListener
from mavlink_bridge.wire.signing import Signing, stamp_from_unix

DIALECT = load()
KEY = bytes(range(32))


@pytest.fixture(scope="module")
def mavutil() -> Any:
    os.environ["MAVLINK20"] = "1"  # what pymavlink wants to be told before it is imported
    from pymavlink import mavutil

    mavutil.set_dialect("common")
    return mavutil


def wait_for(condition: Callable[[], bool], link: Link) -> None:
    for _ in range(1000):
        if condition():
            return
        select.select(link.files(), [], [], 0.01)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs"), [("udpin", "udpout"), ("tcpin", "tcp"), ("udpout", "udpin")]
)
def test_both_hear_each_other(mavutil, ours, theirs, signed):
    if ours == "udpout":
        peer = mavutil.mavlink_connection("udpin:127.0.0.1:0", source_system=9)
        port = peer.port.getsockname()[1]
        link = open_link(f"udpout:127.0.0.1:{port}")
    else:
        link = open_link(f"{ours}:127.0.0.1:0")
        assert isinstance(link, (UdpListener, TcpServer))
        peer = mavutil.mavlink_connection(f"{theirs}:127.0.0.1:{link.address[1]}", source_system=9)
    signing = Signing(KEY, 1, stamp_from_unix(1_900_000_000)) if signed else None
    if signed:
        peer.setup_signing(KEY, sign_outgoing=True)
        peer.mav.signing.timestamp = stamp_from_unix(1_900_000_000)
    connection = Connection(link, 1, 1, signing=signing)
    heard: list[Any] = []
    answers: list[Any] = []

    def both() -> bool:
        peer.mav.heartbeat_send(2, 12, 81, 0x1234, 4)
        heard.extend(connection.poll(0.0))
        connection.send(DIALECT.MAVLink_attitude_message(5, 0.5, 0, 0, 0, 0, 0), 0.0)
        answer = peer.recv_match(type="ATTITUDE", blocking=False)
        if answer is not None:
            answers.append(answer)
        return len(heard) > 3 and len(answers) > 3

    wait_for(both, link)
    assert {(frame.system, frame.message_id, frame.signed) for frame in heard} == {(9, 0, signed)}
    assert heard[0].message.custom_mode == 0x1234
    assert {answer.get_signed() for answer in answers} == {signed}
    assert connection.peers.peers[9, peer.mav.srcComponent].missed == 0
    peer.close()
    connection.close()
