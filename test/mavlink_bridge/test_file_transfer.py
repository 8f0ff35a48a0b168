"""The thesis's file transfer between two ends of a bad link."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from ends import COMPONENT, DRONE, GROUND, Ends

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.files.file_sender import TransferError
from mavlink_bridge.files.file_transfer import MESSAGES, FileTransfer
from mavlink_bridge.files.transfer_protocol import (
    TransferParameters,
    TransferProgress,
    TransferState,
    part_size_for,
)
from mavlink_bridge.wire.frame_writer import FrameWriter

mavlink = load()


class Transfer(Ends):
    """Both ends with file transfer; a thin link unless told otherwise."""

    def __init__(self, folder: Path, **options: Any) -> None:
        parameters = options.pop("parameters", TransferParameters())
        super().__init__(**{"rate": 1000.0, "delay": 0.05, **options})
        self.folder = folder
        self.parameters = parameters
        self.ended: list[tuple[TransferProgress, Path]] = []
        self.up = self.make(self.ground, "ground")
        self.down = self.make(self.drone, "drone")

    def make(self, end: Any, name: str) -> FileTransfer:
        """Let an end begin (anew) with file transfer in its folder."""
        transfer = FileTransfer(
            end.sender,
            end.system,
            COMPONENT,
            self.folder / name,
            packet_size=100,
            parameters=self.parameters,
            on_end=lambda progress, path: self.ended.append((progress, path)),
        )

        def handle(frame: Any, now: float) -> None:
            if frame.message.get_type() in MESSAGES:
                transfer.handle(frame.message, frame.system, frame.component, now)

        end.handlers[:], end.pollers[:] = [handle], [transfer.poll]
        return transfer

    def file(self, size: int, name: str = "mission.yaml", seed: int = 1) -> Path:
        path = self.folder / name
        path.write_bytes(random.Random(seed).randbytes(size))
        return path

    def arrived(self, name: str = "mission.yaml") -> bytes:
        return (self.folder / "drone" / name).read_bytes()

    def both_ended(self) -> bool:
        return len(self.ended) == 2


def failed(transfer: Transfer) -> list[TransferProgress]:
    return [item for item, _ in transfer.ended if item.state is TransferState.FAILED]


@pytest.mark.parametrize("size", [0, 1, 81, 82, 83, 164, 3000])
def test_a_file_of_any_size_arrives(tmp_path, size):
    transfer = Transfer(tmp_path)
    path = transfer.file(size)
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    assert transfer.run(30.0, transfer.both_ended)
    assert not failed(transfer)
    assert transfer.arrived() == path.read_bytes()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("loss", [0.05, 0.2, 0.5])
def test_a_file_arrives_whole_through_losses(tmp_path, seed, loss):
    transfer = Transfer(tmp_path, seed=seed, loss=loss, burst=2.0)
    path = transfer.file(8000)
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    assert transfer.run(300.0, transfer.both_ended)
    assert transfer.arrived() == path.read_bytes()


def test_a_file_arrives_whole_through_all_that_a_link_can_do(tmp_path):
    bad = {"loss": 0.1, "reorder": 0.1, "duplicate": 0.1, "corrupt": 0.1, "jitter": 0.05}
    transfer = Transfer(tmp_path, seed=5, **bad)
    path = transfer.file(8000)
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    assert transfer.run(300.0, transfer.both_ended)
    assert transfer.arrived() == path.read_bytes()


def test_the_rate_of_the_link_is_used(tmp_path):
    transfer = Transfer(tmp_path)
    transfer.up.send(transfer.file(30_000), (DRONE, COMPONENT), 0.0)
    assert transfer.run(60.0, transfer.both_ended)
    assert transfer.now < 30_000 / (1000 * 0.82) + 1.5
    assert transfer.down.incoming.repeated_parts == 0


def test_hardly_a_part_is_sent_twice_that_was_not_lost(tmp_path):
    transfer = Transfer(tmp_path, loss=0.2, seed=2)
    transfer.up.send(transfer.file(30_000), (DRONE, COMPONENT), 0.0)
    assert transfer.run(200.0, transfer.both_ended)
    assert transfer.down.incoming.repeated_parts <= 0.03 * transfer.up.outgoing.sent_parts


def test_a_part_fills_one_packet_exactly():
    for packet, signature in [(100, 0), (64, 0), (200, 13)]:
        size = part_size_for(packet, bool(signature))
        part = mavlink.MAVLink_file_part_message(2**31, 1, 7, b"\xff" * size + bytes(249 - size))
        assert len(FrameWriter(1, 1).write(part)) + signature == packet
    assert part_size_for(None) == 249
    assert part_size_for(20) == 249


def test_names_in_any_language_arrive_as_they_are(tmp_path):
    transfer = Transfer(tmp_path)
    path = transfer.file(100, "Übung 2, täglich.yaml")
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    assert transfer.run(30.0, transfer.both_ended)
    assert transfer.arrived(path.name) == path.read_bytes()


def test_parts_of_zeros_arrive_though_their_ends_are_trimmed(tmp_path):
    transfer = Transfer(tmp_path)
    path = transfer.file(0)
    path.write_bytes(bytes(500) + b"x" + bytes(1000))
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    assert transfer.run(30.0, transfer.both_ended)
    assert transfer.arrived() == path.read_bytes()


def test_both_ways_at_once_and_several_files(tmp_path):
    transfer = Transfer(tmp_path, loss=0.1)
    first, second = transfer.file(3000, "a.yaml", 1), transfer.file(3000, "b.yaml", 2)
    third = transfer.file(3000, "c.yaml", 3)
    for path in (first, second):
        transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    transfer.down.send(third, (GROUND, COMPONENT), 0.0)
    assert transfer.run(120.0, lambda: len(transfer.ended) == 6)
    assert transfer.arrived("a.yaml") == first.read_bytes()
    assert transfer.arrived("b.yaml") == second.read_bytes()
    assert (tmp_path / "ground" / "c.yaml").read_bytes() == third.read_bytes()


def test_a_file_is_fetched(tmp_path):
    transfer = Transfer(tmp_path, loss=0.2, seed=4)
    (tmp_path / "drone").mkdir(exist_ok=True)
    log = tmp_path / "drone" / "flight.log"
    log.write_bytes(random.Random(3).randbytes(2000))
    transfer.up.fetch("flight.log", (DRONE, COMPONENT), 0.0)
    assert transfer.run(60.0, transfer.both_ended)
    assert (tmp_path / "ground" / "flight.log").read_bytes() == log.read_bytes()


def test_a_file_that_is_not_there_cannot_be_fetched(tmp_path):
    transfer = Transfer(tmp_path)
    transfer.up.fetch("none.log", (DRONE, COMPONENT), 0.0)
    assert transfer.run(5.0, lambda: transfer.ended)
    assert failed(transfer)


def cut(transfer: Transfer, connected: bool) -> None:
    for end in (transfer.emulator.a, transfer.emulator.b):
        end.connected = connected


def test_a_transfer_goes_on_after_the_link_was_lost(tmp_path):
    transfer = Transfer(tmp_path)
    path = transfer.file(10_000)
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    transfer.run(6.0)
    cut(transfer, False)
    transfer.run(120.0)
    blind = transfer.up.outgoing.sent_parts
    assert blind < 30 * 10  # it has stopped sending into the void
    cut(transfer, True)
    before = transfer.up.outgoing.sent_parts
    assert transfer.run(60.0, transfer.both_ended)
    assert transfer.arrived() == path.read_bytes()
    missing = 10_000 / 82 - 6.0 * 10
    assert transfer.up.outgoing.sent_parts - before <= missing + 10


@pytest.mark.parametrize("who", ["ground", "drone", "both"])
def test_a_transfer_goes_on_after_a_program_was_started_anew(tmp_path, who):
    transfer = Transfer(tmp_path)
    path = transfer.file(10_000)
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    transfer.run(8.0)
    received = transfer.down.progress(transfer.now)[0].done
    assert received > 5000
    if who != "ground":
        transfer.down.close()
        transfer.down = transfer.make(transfer.drone, "drone")
    if who != "drone":
        transfer.up.close()
        transfer.up = transfer.make(transfer.ground, "ground")
        transfer.up.send(path, (DRONE, COMPONENT), transfer.now)
    before = transfer.up.outgoing.sent_parts
    assert transfer.run(60.0, transfer.both_ended)
    assert transfer.arrived() == path.read_bytes()
    assert transfer.up.outgoing.sent_parts - before < (10_000 - received) / 82 + 15


def test_a_program_that_dies_loses_a_few_seconds_of_parts_at_most(tmp_path):
    transfer = Transfer(tmp_path)
    path = transfer.file(10_000)
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    transfer.run(8.0)
    transfer.down = transfer.make(transfer.drone, "drone")  # without close()
    assert transfer.run(60.0, transfer.both_ended)
    assert transfer.arrived() == path.read_bytes()
    assert transfer.up.outgoing.sent_parts < 10_000 / 82 + 60


def test_a_file_that_is_there_already_is_not_sent_again(tmp_path):
    transfer = Transfer(tmp_path)
    path = transfer.file(3000)
    (tmp_path / "drone").mkdir(exist_ok=True)
    (tmp_path / "drone" / path.name).write_bytes(path.read_bytes())
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    assert transfer.run(5.0, lambda: transfer.ended)
    assert not failed(transfer)
    assert transfer.up.outgoing.sent_parts == 0


@pytest.mark.parametrize("overwrite", [True, False])
def test_another_file_of_the_name_is_replaced_only_where_that_is_allowed(tmp_path, overwrite):
    transfer = Transfer(tmp_path, parameters=TransferParameters(overwrite=overwrite))
    path = transfer.file(300)
    (tmp_path / "drone").mkdir(exist_ok=True)
    (tmp_path / "drone" / path.name).write_bytes(b"older")
    transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    assert transfer.run(10.0, lambda: transfer.ended)
    assert transfer.arrived() == (path.read_bytes() if overwrite else b"older")
    assert bool(failed(transfer)) is not overwrite


def test_a_dead_link_ends_the_transfer_with_a_reason(tmp_path):
    transfer = Transfer(tmp_path, parameters=TransferParameters(give_up=30.0), loss=1.0)
    transfer.up.send(transfer.file(3000), (DRONE, COMPONENT), 0.0)
    assert transfer.run(60.0, lambda: transfer.ended)
    assert failed(transfer)[0].reason == "nothing heard for 30 s"


@pytest.mark.parametrize("canceller", ["sender", "receiver"])
def test_either_end_may_give_up(tmp_path, canceller):
    transfer = Transfer(tmp_path, loss=0.3, seed=1)
    outgoing = transfer.up.send(transfer.file(9000), (DRONE, COMPONENT), 0.0)
    transfer.run(5.0)
    if canceller == "sender":
        transfer.up.outgoing.cancel(outgoing, transfer.now)
    else:
        transfer.down.incoming.cancel(transfer.now)
    assert transfer.run(30.0, transfer.both_ended)
    assert len(failed(transfer)) == 2
    assert not (tmp_path / "drone" / "mission.yaml").exists()


def request(name: bytes, size: int = 10, part_size: int = 82) -> Any:
    return mavlink.MAVLink_file_parts_request_message(
        size, DRONE, COMPONENT, 3, part_size, 0, bytes(16), name
    )


@pytest.mark.parametrize(
    ("message", "result"),
    [
        (request(b"../evil"), 2),
        (request(b"/etc/passwd"), 2),
        (request(b".bashrc"), 2),
        (request(b"\xff\xfe"), 2),
        (request(b""), 2),
        (request(b"big.bin", size=2**32 - 1), 3),
        (request(b"odd.bin", part_size=0), 1),
        (request(b"odd.bin", part_size=255), 1),
    ],
)
def test_what_must_not_be_written_is_refused(tmp_path, message, result):
    transfer = Transfer(tmp_path)
    transfer.down.handle(message, GROUND, COMPONENT, 0.0)
    transfer.run(1.0)
    (reply,) = transfer.ground.got("FILE_PARTS_REPLY")
    assert reply.result == result
    assert list(tmp_path.rglob("*.part")) == []


def test_unfinished_files_do_not_pile_up(tmp_path):
    transfer = Transfer(tmp_path, parameters=TransferParameters(most_unfinished=8))
    for number in range(20):
        message = request(b"x.bin", size=1000)
        message.digest = [number] * 16
        transfer.down.handle(message, GROUND, COMPONENT, 0.0)
    assert len(list(tmp_path.rglob("*.part"))) == 8


def test_a_refusal_reaches_the_one_who_sends(tmp_path):
    small = TransferParameters(largest_size=1000)
    transfer = Transfer(tmp_path, parameters=small)
    transfer.up.send(transfer.file(3000), (DRONE, COMPONENT), 0.0)
    assert transfer.run(5.0, lambda: transfer.ended)
    assert failed(transfer)[0].reason == "refused: too big"


def test_more_transfers_than_allowed_wait_for_their_turn(tmp_path):
    transfer = Transfer(tmp_path, parameters=TransferParameters(most_transfers=1))
    for number in range(3):
        path = transfer.file(1000, f"{number}.bin", number)
        transfer.up.send(path, (DRONE, COMPONENT), 0.0)
    assert transfer.run(120.0, lambda: len(transfer.ended) == 6)
    assert not failed(transfer)


def test_what_changes_on_the_way_is_not_taken(tmp_path):
    """Parts damaged in a way that their checksums do not tell are found by the hash."""
    transfer = Transfer(tmp_path)
    outgoing = transfer.up.send(transfer.file(1000), (DRONE, COMPONENT), 0.0)
    outgoing.digest = bytes(16)
    assert transfer.run(60.0, transfer.both_ended)
    assert [item.reason for item in failed(transfer)] == ["bad hash", "bad hash"]
    assert list((tmp_path / "drone").iterdir()) == [tmp_path / "drone" / ".incoming"]
    assert transfer.up.outgoing.sent_parts >= 2 * 13  # it was tried once more


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path):
    transfer = Transfer(tmp_path)
    with pytest.raises(TransferError, match=r"nothing\.bin"):
        transfer.up.send(tmp_path / "nothing.bin", (DRONE, COMPONENT), 0.0)
    with pytest.raises(TransferError, match="longer than 48 bytes"):
        transfer.up.send(transfer.file(1, "x" * 60), (DRONE, COMPONENT), 0.0)


def test_progress_is_told_at_both_ends(tmp_path):
    transfer = Transfer(tmp_path)
    transfer.up.send(transfer.file(10_000), (DRONE, COMPONENT), 0.0)
    transfer.run(9.0)
    (here,), (there,) = transfer.up.progress(9.0), transfer.down.progress(9.0)
    assert (here.outgoing, there.outgoing) == (True, False)
    assert 6000 < there.done < 8000
    assert there.done - 5000 < here.done <= there.done
    assert there.rate == pytest.approx(800, rel=0.1)
    assert there.left == pytest.approx((10_000 - there.done) / there.rate)


def test_parts_for_another_drone_are_left_alone(tmp_path):
    transfer = Transfer(tmp_path)
    part = mavlink.MAVLink_file_part_message(0, 77, 0, bytes(249))
    transfer.down.handle(part, GROUND, COMPONENT, 0.0)
    transfer.run(0.5)
    assert transfer.ground.received == []
