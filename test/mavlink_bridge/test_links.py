"""Real links: sockets and pseudo-terminals, on a clock that the test turns."""

import contextlib
import os
import pty
import select
import socket
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mavlink_bridge.links.link import Link, LinkError
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.links.reconnecting import RETRY
from mavlink_bridge.links.tcp import TcpServer
from mavlink_bridge.links.udp import UdpListener


class Clock:
    """Goes on by a step each time it is read, so that every timeout comes without waiting."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self, step: float = 0.001) -> float:
        self.now += step
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened() -> Iterator[list[Link]]:
    links: list[Link] = []
    yield links
    for link in links:
        link.close()


def wait_for(condition: Callable[[], bool], *links: Link) -> None:
    """Wait until the condition holds, woken by what comes on the links."""
    for _ in range(2000):
        if condition():
            return
        select.select([file for link in links for file in link.files()], [], [], 0.005)
    raise AssertionError("it did not happen")


def received(link: Link, clock: Clock, size: int, also: Link | None = None) -> bytes:
    got = bytearray()

    def enough() -> bool:
        if also is not None:
            also.receive(clock())
        for piece in link.receive(clock()):
            got.extend(piece)
        return len(got) >= size

    wait_for(enough, link)
    return bytes(got)


def listener(opened: list[Link], kind: str) -> tuple[Link, int]:
    link = open_link(f"{kind}:127.0.0.1:0")
    opened.append(link)
    assert isinstance(link, (UdpListener, TcpServer))
    return link, link.address[1]


@pytest.mark.parametrize(("listens", "calls"), [("udpin", "udpout"), ("tcpin", "tcp")])
def test_two_callers_are_learnt_and_both_are_answered(opened, clock, listens, calls):
    server, port = listener(opened, listens)
    server.send(b"nobody hears", clock())
    assert server.statistics.packets_dropped == 1
    assert not server.connected
    callers = [open_link(f"{calls}:127.0.0.1:{port}") for _ in range(2)]
    opened += callers
    for caller in callers:
        wait_for(lambda: caller.receive(clock(0.03)) == [] and caller.connected)  # noqa: B023
        caller.send(b"hello", clock())
    assert received(server, clock, 10) == b"hellohello"
    server.send(b"answer", clock())
    for caller in callers:
        assert received(caller, clock, 6) == b"answer"
    assert server.statistics.connections == 2


def test_pieces_tell_which_caller_they_come_from(opened, clock):
    server, port = listener(opened, "udpin")
    first, second = (open_link(f"udpout:127.0.0.1:{port}") for _ in range(2))
    opened += [first, second]
    for caller in (first, second, first):
        caller.send(b"x", clock())
    pieces: list = []
    wait_for(lambda: pieces.extend(server.receive(clock())) or len(pieces) == 3, server)
    sources = [piece.source for piece in pieces]
    assert sources[0] == sources[2] != sources[1]


def test_a_silent_udp_peer_is_forgotten_and_learnt_again(opened, clock):
    server, port = listener(opened, "udpin")
    caller = open_link(f"udpout:127.0.0.1:{port}")
    opened.append(caller)
    caller.send(b"x", clock())
    received(server, clock, 1)
    server.send(b"y", clock(61.0))
    assert not server.connected
    caller.send(b"x", clock())
    received(server, clock, 1)
    assert server.connected


def test_udp_survives_that_nobody_listens(opened, clock):
    server, port = listener(opened, "udpin")
    caller = open_link(f"udpout:127.0.0.1:{port}")
    opened.append(caller)
    server.close()
    for _ in range(5):
        caller.send(b"into the dark", clock())
        assert caller.receive(clock()) == []
    again = UdpListener("127.0.0.1", port)
    opened.append(again)

    def heard() -> bool:
        caller.send(b"x", clock())
        return bool(again.receive(clock()))

    wait_for(heard, again)


def test_tcp_calls_again_when_the_server_comes_back(opened, clock):
    server, port = listener(opened, "tcpin")
    caller = open_link(f"tcp:127.0.0.1:{port}")
    opened.append(caller)
    wait_for(lambda: server.receive(clock()) == caller.receive(clock()) and server.connected)
    server.close()
    wait_for(lambda: caller.receive(clock()) == [] and not caller.connected, caller)
    caller.send(b"dropped", clock())
    assert caller.statistics.packets_dropped == 1
    wait_for(
        lambda: caller.receive(clock(RETRY)) == [] and "refused" in caller.statistics.last_error
    )
    again = TcpServer("127.0.0.1", port)
    opened.append(again)
    wait_for(lambda: caller.receive(clock(0.1)) == again.receive(clock()) and again.connected)
    again.send(b"back", clock())
    assert received(caller, clock, 4) == b"back"
    assert caller.statistics.connections == 2


def test_a_slow_reader_costs_whole_packets_and_no_halves(opened, clock):
    server, port = listener(opened, "tcpin")
    reader = socket.create_connection(("127.0.0.1", port))
    wait_for(lambda: server.receive(clock()) == [] and server.connected)
    packets = [bytes([k % 251]) * 1000 for k in range(20000)]
    for packet in packets:
        server.send(packet, clock())
    assert server.statistics.packets_dropped > 0
    assert "slower" in server.statistics.last_error
    assert server.next_time() is not None
    reader.setblocking(False)
    got = bytearray()

    def drained() -> bool:
        server.receive(clock())
        with contextlib.suppress(BlockingIOError):
            got.extend(reader.recv(1 << 20))
        return len(got) == server.statistics.bytes_sent

    wait_for(drained, server)
    reader.close()
    assert all(len(set(got[k : k + 1000])) == 1 for k in range(0, len(got), 1000))


def pseudo_terminal(path: Path) -> int:
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    path.unlink(missing_ok=True)
    path.symlink_to(os.ttyname(slave))
    os.close(slave)
    return master


def test_a_serial_device_that_returns_under_another_name_is_taken_up_again(opened, clock, tmp_path):
    link = open_link(f"serial:{tmp_path}/ttyACM*:57600")
    opened.append(link)
    assert link.receive(clock()) == []
    assert "no device" in link.statistics.last_error
    first = pseudo_terminal(tmp_path / "ttyACM0")
    link.receive(clock(RETRY))
    assert link.connected, link.statistics.last_error
    link.send(b"ping", clock())
    assert os.read(first, 10) == b"ping"
    os.write(first, b"pong")
    assert received(link, clock, 4) == b"pong"

    os.close(first)
    (tmp_path / "ttyACM0").unlink()
    wait_for(lambda: link.receive(clock()) == [] and not link.connected)
    second = pseudo_terminal(tmp_path / "ttyACM1")
    link.receive(clock(RETRY))
    assert link.connected
    os.write(second, b"again")
    assert received(link, clock, 5) == b"again"
    assert link.statistics.connections == 2
    os.close(second)


def test_a_serial_port_slower_than_the_traffic_drops_and_says_so(opened, clock, tmp_path):
    master = pseudo_terminal(tmp_path / "tty")
    link = open_link(f"serial:{tmp_path}/tty:57600")
    opened.append(link)
    for _ in range(2000):
        link.send(bytes(100), clock())
    assert link.statistics.packets_dropped > 0
    assert link.limits.up == 5760
    os.close(master)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("14550", "expected one of udpin:"),
        ("udp:1.2.3.4:5", "expected one of"),
        ("udpin:127.0.0.1", "expected udpin:HOST:PORT"),
        ("udpout::14550", "expected udpout:HOST:PORT"),
        ("tcp:127.0.0.1:70000", "expected tcp:HOST:PORT"),
        ("serial:", "expected serial:PATH:BAUD"),
        ("serial:/dev/ttyX:fast", "expected serial:PATH:BAUD"),
        ("thin:udpin:127.0.0.1:0?size=2", "expected at least 8"),
        ("thin:udpin:127.0.0.1:0?sise=20", "unknown parameter 'sise'.*size"),
        ("thin:udpin:127.0.0.1:0?size", "expected name=value"),
        ("thin:tcp:127.0.0.1:1?numbered=true", "need a link that keeps packets"),
        ("bad:udpin:127.0.0.1:0?loss=2", "at most 1"),
        ("udpin:no.such.host.invalid:1", "is no address"),
    ],
)
def test_addresses_that_cannot_work_are_named_with_what_was_expected(url, expected):
    with pytest.raises(LinkError, match=expected):
        open_link(url)


@pytest.mark.parametrize("kind", ["udpin", "tcpin"])
def test_without_a_host_all_interfaces_are_listened_on(opened, kind):
    link = open_link(f"{kind}::0")
    opened.append(link)
    assert isinstance(link, (UdpListener, TcpServer))
    assert link.address[0] == "0.0.0.0"


def test_a_port_in_use_is_named(opened):
    _, port = listener(opened, "tcpin")
    with pytest.raises(LinkError, match=rf"tcpin:127\.0\.0\.1:{port}.*in use"):
        open_link(f"tcpin:127.0.0.1:{port}")


def test_wrappers_nest(opened, clock):
    server, port = listener(opened, "udpin")
    link = open_link(f"thin:bad:udpout:127.0.0.1:{port}?loss=1.0?size=50&up=0")
    opened.append(link)
    assert link.limits.packet_size == 50
    link.send(b"never", clock())
    assert server.receive(clock()) == []


def test_ipv6(opened, clock):
    try:
        server = open_link("udpin:[::1]:0")
    except LinkError as error:
        pytest.skip(f"no IPv6 here: {error}")
    opened.append(server)
    caller = open_link(f"udpout:[::1]:{server.address[1]}")
    opened.append(caller)
    caller.send(b"six", clock())
    assert received(server, clock, 3) == b"six"
