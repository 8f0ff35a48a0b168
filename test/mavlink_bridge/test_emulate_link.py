"""The emulator between two real programs."""

import pytest
from test_links import Clock, received

from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.emulate_link import Emulation, arguments_parser, conditions_from, main
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.links.udp import UdpListener, UdpSender
from spatial_types.parameters import ParameterError


def test_packets_go_through_it_both_ways_late_and_not_all():
    clock = Clock()
    ground, drone = UdpListener("127.0.0.1", 0), UdpListener("127.0.0.1", 0)
    to_ground, to_drone = (UdpSender(*link.address) for link in (ground, drone))
    emulation = Emulation(to_ground, to_drone, Conditions(loss=1.0), Conditions(delay=5.0), 1)
    to_ground.send(b"hello", clock())
    to_drone.send(b"hello", clock())
    received(ground, clock, 5)
    received(drone, clock, 5)
    ground.send(b"lost", clock())
    drone.send(b"late", clock())
    channel = emulation.channels["back"]
    for _ in range(1000):
        emulation.poll(clock())
        if channel.statistics.packets and emulation.channels["there"].statistics.packets:
            break
        emulation.wait(clock(), 0.01)
    assert ground.receive(clock()) == drone.receive(clock()) == []
    emulation.poll(clock(5.0))
    assert received(ground, clock, 4) == b"late"
    assert emulation.channels["there"].statistics.lost == 1
    for link in (ground, drone, to_ground, to_drone):
        link.close()


def options(*arguments: str):
    return arguments_parser().parse_args(["udpin::1", "udpin::2", *arguments])


def test_an_option_holds_for_both_ways_unless_one_is_named():
    parsed = options("--loss", "0.2", "--there-rate", "1000", "--back-loss", "0.1")
    assert conditions_from(parsed, "there") == Conditions(loss=0.2, rate=1000.0)
    assert conditions_from(parsed, "back") == Conditions(loss=0.1)
    with pytest.raises(ParameterError, match=r"back: loss = 1.5.*at most 1"):
        conditions_from(options("--back-loss", "1.5"), "back")


def test_the_command_ends_by_itself_with_the_counts(capsys):
    server = UdpListener("127.0.0.1", 0)
    port = server.address[1]
    arguments = ["udpin:127.0.0.1:0", f"udpout:127.0.0.1:{port}", "--seconds", "0.01"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("there: 0 packets, 0 bytes, 0 lost")
    server.close()


def test_wrong_arguments_are_one_line_and_a_code(capsys):
    assert main(["udp:x", "udpin:127.0.0.1:0"]) == 2
    assert main(["udpin:127.0.0.1:0", "udpin:127.0.0.1:0", "--loss", "2"]) == 2
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == ["error"] * 2


def test_a_spoilt_link_by_its_address():
    clock = Clock()
    server = UdpListener("127.0.0.1", 0)
    link = open_link(f"bad:udpout:127.0.0.1:{server.address[1]}?duplicate=1.0&delay=0.5")
    link.send(b"twice", clock())
    assert link.next_time() == pytest.approx(0.501)
    link.receive(clock(0.6))
    assert received(server, clock, 10) == b"twicetwice"
    for opened in (server, link):
        opened.close()
