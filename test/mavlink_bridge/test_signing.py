"""Signatures, against pymavlink's own at the other end, and how both ends come to sign."""

import os
import stat

import pytest

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter
from mavlink_bridge.wire.key_file import (
    KeyFileError,
    SigningStore,
    key_from_passphrase,
    main,
    open_signing,
    read_key,
    write_key,
)
from mavlink_bridge.wire.signing import (
    NEW_STREAM_MAY_LAG,
    UNITS_PER_SECOND,
    Signing,
    stamp_from_unix,
)
from mavlink_bridge.wire.signing_setup import TRY_FOR, SetupState, SigningSetup, take_setup

DIALECT = load()
KEY = bytes(range(32))
NOW = stamp_from_unix(1_800_000_000)


def heartbeat():
    return DIALECT.MAVLink_heartbeat_message(2, 12, 81, 0x1234, 4, 3)


class End:
    """One end of a signed link."""

    def __init__(self, system: int, link_id: int = 1, key: bytes | None = KEY) -> None:
        self.signing = Signing(key, link_id, NOW)
        self.writer = FrameWriter(system, 1, self.signing)
        self.parser = FrameParser(signatures=self.signing)

    def write(self, message=None) -> bytes:
        return self.writer.write(message or heartbeat())

    def reads(self, *frames: bytes) -> int:
        return len(self.parser.feed(b"".join(frames)))


def pymavlink_end(system: int):
    end = DIALECT.MAVLink(None, system, 1)
    end.signing.secret_key = KEY
    end.signing.link_id = 3
    end.signing.timestamp = NOW
    end.signing.sign_outgoing = True
    return end


def test_the_signature_of_a_fixed_frame():
    import hashlib

    end = End(7)
    frame = end.write()
    assert len(frame) == 21 + 13
    assert frame[2] == 1
    assert frame[-13] == 1
    assert int.from_bytes(frame[-12:-6], "little") == NOW + 1
    assert frame[-6:] == hashlib.sha256(KEY + frame[:-6]).digest()[:6]
    assert frame.hex().startswith("fd0901000007010000003412000002")


def test_pymavlink_accepts_what_we_sign():
    ours, theirs = End(7), pymavlink_end(8)
    messages = theirs.parse_buffer(b"".join(ours.write() for _ in range(5)))
    assert [message.get_signed() for message in messages] == [True] * 5


def test_we_accept_what_pymavlink_signs_and_nothing_twice():
    ours, theirs = End(7), pymavlink_end(8)
    frames = []
    for _ in range(5):
        frames.append(bytes(heartbeat().pack(theirs)))
    assert [frame.signed for frame in ours.parser.feed(b"".join(frames))] == [True] * 5
    assert ours.reads(*frames) == 0
    assert ours.signing.statistics.replayed == 5
    assert ours.parser.statistics.refused_signature == 5


def test_another_key_a_changed_byte_and_no_signature_are_refused():
    ours = End(7)
    assert ours.reads(End(8, key=bytes(32)).write()) == 0
    assert ours.signing.statistics.wrong == 1
    frame = bytearray(End(8).write())
    frame[-1] ^= 1
    assert ours.reads(bytes(frame)) == 0
    assert ours.reads(FrameWriter(8, 1).write(heartbeat())) == 0
    assert ours.signing.statistics.unsigned_refused == 1


def test_radio_status_needs_no_signature():
    status = DIALECT.MAVLink_radio_status_message(1, 2, 3, 4, 5, 6, 7)
    ours = End(7)
    frames = ours.parser.feed(FrameWriter(51, 68).write(status))
    assert [frame.signed for frame in frames] == [False]


def test_a_forged_frame_from_the_future_does_not_silence_the_sender():
    ours, theirs = End(7), End(8)
    forged = bytearray(theirs.write())
    forged[-12:-6] = (NOW + 10**9).to_bytes(6, "little")
    assert ours.reads(bytes(forged)) == 0
    assert ours.reads(theirs.write()) == 1


def test_each_link_system_and_component_has_stamps_of_its_own():
    ours, first, second = End(7), End(8, link_id=1), End(8, link_id=2)
    later = [first.write() for _ in range(10)]
    assert ours.reads(*later) == 10
    assert ours.reads(second.write()) == 1
    other = End(9)
    assert ours.reads(other.write()) == 1


def test_a_new_stream_may_lag_a_minute_and_not_more():
    ours = End(7)
    for lag, accepted in ((NEW_STREAM_MAY_LAG - 10, 1), (NEW_STREAM_MAY_LAG + 10, 0)):
        theirs = End(8 + accepted)
        theirs.signing.stamp -= lag
        assert ours.reads(theirs.write()) == accepted


def test_stamps_keep_pace_with_the_clock_and_never_go_back():
    end = End(7)
    end.signing.advance(100.0)
    end.signing.advance(103.0)
    assert end.signing.stamp == NOW + 3 * UNITS_PER_SECOND
    end.signing.advance(50.0)
    assert end.signing.stamp == NOW + 3 * UNITS_PER_SECOND


def key_file(tmp_path, mode=0o600, text="00" * 31 + "2a"):
    path = tmp_path / "drone.key"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_key_is_written_for_its_owner_alone_and_read_back(tmp_path):
    path = tmp_path / "keys" / "drone.key"
    write_key(path, KEY)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_key(path) == KEY
    with pytest.raises(KeyFileError, match="exists"):
        write_key(path, KEY)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o601])
def test_a_key_that_others_may_reach_is_refused(tmp_path, mode):
    with pytest.raises(KeyFileError, match=rf"drone\.key: mode {mode:03o} .*`chmod 600"):
        read_key(key_file(tmp_path, mode))


@pytest.mark.parametrize("text", ["", "00" * 31, "00" * 33, "zz" * 32, "\u00e9" * 64])
def test_what_is_no_key_is_refused(tmp_path, text):
    with pytest.raises(KeyFileError, match="expected 64 hexadecimal digits"):
        read_key(key_file(tmp_path, text=text))
    with pytest.raises(KeyFileError, match="none: No such file"):
        read_key(tmp_path / "none")


def test_the_command_makes_a_key_and_never_overwrites(tmp_path, capsys, monkeypatch):
    path = tmp_path / "new.key"
    assert main([str(path)]) == 0
    assert main([str(path)]) == 2
    assert "exists" in capsys.readouterr().err
    monkeypatch.setattr("getpass.getpass", lambda _prompt: "correct horse")
    second = tmp_path / "second.key"
    assert main([str(second), "--passphrase"]) == 0
    assert read_key(second) == key_from_passphrase("correct horse") != read_key(path)


def test_what_was_seen_before_a_restart_is_still_a_replay(tmp_path):
    store = SigningStore(tmp_path / "drone.key", 1)
    assert store.load() == (0, {})
    ours, theirs = End(7), End(8)
    seen = theirs.write()
    assert ours.reads(seen) == 1
    store.keep(ours.signing, 0.0)
    assert stat.S_IMODE((tmp_path / "drone.key.link1").stat().st_mode) == 0o600
    stamp, streams = store.load()
    assert stamp > ours.signing.stamp
    again = FrameParser(signatures=Signing(KEY, 1, stamp, streams))
    assert again.feed(seen) == []
    assert len(again.feed(theirs.write())) == 1
    os.truncate(tmp_path / "drone.key.link1", 10)
    with pytest.raises(KeyFileError, match=r"drone\.key\.link1: cannot be read"):
        store.load()


def test_a_link_signs_on_where_it_was_though_the_clock_fell_back(tmp_path):
    path = tmp_path / "drone.key"
    write_key(path, KEY)
    signing, store = open_signing(path, 1, 1_800_000_000.0)
    assert signing.stamp == NOW
    store.save(signing)
    again, _ = open_signing(path, 1, 0.0)
    assert again.stamp > NOW
    other_link, _ = open_signing(path, 2, 1_700_000_000.0)
    assert other_link.stamp < NOW


def setup_pair():
    """Two ends that do not sign yet, and our end's setup."""
    ours, vehicle = End(7, key=None), End(8, key=None)
    return ours, vehicle, SigningSetup(DIALECT, ours.signing, KEY, 8)


def run_setup(ours, vehicle, setup, *, accepts: bool, hears=lambda now: True) -> None:
    setup.start(0.0)
    for step in range(40):
        now = step * 0.1
        for message in setup.poll(now):
            for frame in vehicle.parser.feed(ours.write(message)):
                take_setup(vehicle.signing, frame.message, allowed=accepts)
        if step % 10 == 5 and hears(now):
            ours.reads(vehicle.write())


def test_both_ends_sign_once_the_peer_has_proven_that_it_took_the_key():
    ours, vehicle, setup = setup_pair()
    run_setup(ours, vehicle, setup, accepts=True)
    assert setup.state is SetupState.ON
    assert ours.reads(FrameWriter(8, 1).write(heartbeat())) == 0
    assert vehicle.reads(ours.write()) == 1
    assert ours.reads(vehicle.write()) == 1


def test_a_peer_that_refuses_is_still_heard_and_hears_us_afterwards():
    ours, vehicle, setup = setup_pair()
    run_setup(ours, vehicle, setup, accepts=False)
    assert setup.state is SetupState.REFUSED
    assert ours.reads(vehicle.write()) == 1
    frame = ours.write()
    assert frame[2] == 0
    assert vehicle.reads(frame) == 1


def test_a_proof_that_comes_late_is_taken():
    ours, vehicle, setup = setup_pair()
    run_setup(ours, vehicle, setup, accepts=True, hears=lambda now: now > TRY_FOR)
    assert setup.state is SetupState.ON
    assert vehicle.reads(ours.write()) == 1


def test_a_key_is_changed_while_the_old_one_is_in_use():
    ours, vehicle = End(7), End(8)
    setup = SigningSetup(DIALECT, ours.signing, bytes(reversed(KEY)), 8)
    run_setup(ours, vehicle, setup, accepts=True)
    assert setup.state is SetupState.ON
    assert vehicle.reads(ours.write()) == 1
    assert vehicle.reads(End(9).write()) == 0


def test_a_key_of_zeros_turns_signing_off():
    vehicle = End(8)
    message = DIALECT.MAVLink_setup_signing_message(8, 1, [0] * 32, 0)
    assert take_setup(vehicle.signing, message, allowed=True)
    assert not vehicle.signing.requires
    assert vehicle.write()[2] == 0
