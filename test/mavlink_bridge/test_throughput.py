"""The thesis's measurement, on emulated links whose figures are known, and over UDP."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.throughput import Grid, main, measure_emulated, measure_real, serve
from mavlink_bridge.throughput_probe import Probe, Responder, Run, _Control, _Kind, _Reader


def test_a_link_without_faults_carries_what_is_sent():
    cells = measure_emulated(Conditions(), Conditions(), 0, Grid((1, 50), (10, 100), 20))
    assert len(cells) == 2 * (1 + 2)
    assert {cell["loss"] for cell in cells} == {0.0}
    for cell in cells:
        assert cell["throughput"] == pytest.approx(cell["size"] * cell["rate"], rel=0.01)


def test_loss_and_rate_are_found():
    up = Conditions(loss=0.2, delay=0.1)
    down = Conditions(rate=2000.0, queue=200.0)
    cells = measure_emulated(up, down, 3, Grid((100,), (10, 100), 500))
    lost, slow, fast = cells
    assert lost["loss"] == pytest.approx(0.2, abs=0.05)
    assert slow["loss"] == 0.0
    assert slow["throughput"] == pytest.approx(1000, rel=0.02)
    assert fast["loss"] == pytest.approx(0.8, abs=0.02)
    assert fast["throughput"] == pytest.approx(2000, rel=0.02)


def test_uplink_packets_follow_as_fast_as_the_link_takes_them():
    up = Conditions(rate=500.0)
    (cell,) = measure_emulated(up, Conditions(), 0, Grid((100,), packets=20, down=False))
    assert (cell["rate"], cell["loss"]) == (5.0, 0.0)
    assert cell["throughput"] == pytest.approx(500, rel=0.01)


def test_agreeing_survives_a_very_bad_link():
    bad = Conditions(loss=0.5, delay=0.1, duplicate=0.1, corrupt=0.1)
    cells = measure_emulated(bad, bad, 1, Grid((10,), (50,), 100))
    assert [0.3 < cell["loss"] < 0.8 for cell in cells] == [True, True]


def test_control_packets_are_found_between_data_and_in_pieces():
    control = _Control(_Kind.READY, 7, size=85, rate=2.5)
    stream = b"U" * 5 + control.pack() + b"U" * 3 + b"\xa5x" + control.pack()
    reader, items = _Reader(), []
    for at in range(len(stream)):
        items += reader.feed(stream[at : at + 1])
    assert items == [1] * 5 + [control] + [1] * 3 + [control]


def test_nobody_at_the_other_end_is_told(capsys):
    code = main(["--emulate", "--up", "loss=1", "--sizes", "10", "--rates", "50"])
    assert code == 1
    assert "no answer to 'count', asked 20 times" in capsys.readouterr().err


def test_a_doubled_question_starts_a_run_once():
    link = LinkEmulator()
    responder, probe = Responder(link.b), Probe(link.a)
    probe.start(Run(False, 10, 100.0, 5), 1)
    probe.poll(0.0)
    probe.poll(0.6)
    for step in range(100):
        responder.poll(0.6 + 0.01 * step)
    data = b"".join(link.a.receive(9.0))
    assert data.count(b"U") == 50
    assert responder.runs == 1


def test_a_measurement_over_udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    far, stop = open_link(f"udpin:127.0.0.1:{port}"), threading.Event()
    server = threading.Thread(target=serve, args=(far, stop.is_set))
    server.start()
    near = open_link(f"udpout:127.0.0.1:{port}")
    try:
        cells = measure_real(near, Grid((50,), (100,), 10))
    finally:
        stop.set()
        server.join()
        near.close()
        far.close()
    assert [cell["received"] for cell in cells] == [10, 10]


def test_figures_are_written_and_drawn_by_series(tmp_path, capsys):
    files = []
    for series, loss in (("10 m", "0"), ("200 m", "0.3")):
        files.append(tmp_path / f"{loss}.json")
        arguments = ["--emulate", "--up", f"loss={loss}", "--series", series, "--packets", "20"]
        assert main([*arguments, "--sizes", "10,100", "--json", str(files[-1])]) == 0
    plots = tmp_path / "plots"
    assert main(["--plot", *map(str, files), "--plots", str(plots)]) == 0
    assert sorted(path.stem for path in plots.glob("*.png")) == [
        *("downlink_loss", "downlink_throughput", "uplink_loss", "uplink_throughput")
    ]
    cells = json.loads(files[1].read_text())["cells"]
    assert [cell["size"] for cell in cells if cell["up"]] == [10, 100]
    assert "% lost" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--emulate", "--up", "loss=much"], "'loss=much': expected name=number"),
        (["--emulate", "--up", "lose=0.1"], "did you mean 'loss'?"),
        (["--link", "nowhere"], "expected one of"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments, text, capsys):
    assert main(arguments) == 2
    assert text in capsys.readouterr().err
