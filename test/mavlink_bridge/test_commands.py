"""Commands: executed once, answered always, or rolled back and reported."""

from __future__ import annotations

from typing import Any

import pytest
from ends import COMPONENT, DRONE, GROUND, Ends
from hypothesis import given, settings
from hypothesis import strategies as st

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.sending.command_receiver import CommandReceiver, Execution
from mavlink_bridge.sending.command_result import (
    ORDINARY,
    THIN,
    CommandParameters,
    CommandResult,
)
from mavlink_bridge.sending.command_tracker import CommandTracker

mavlink = load()
ARM, GOTO, TAKEOFF = 400, 192, 22


def arm(value: float = 1.0, command: int = ARM) -> Any:
    return mavlink.MAVLink_command_long_message(
        DRONE, COMPONENT, command, 0, value, 0, 0, 0, 0, 0, 0
    )


def go(x: int = 1) -> Any:
    return mavlink.MAVLink_command_int_message(DRONE, COMPONENT, 5, GOTO, 0, 0, 0, 0, 0, 0, x, 2, 3)


class Flight(Ends):
    """A ground station with a tracker, and a drone with a receiver that counts executions."""

    def __init__(self, parameters: CommandParameters = ORDINARY, **options: Any) -> None:
        super().__init__(**options)
        self.tracker = CommandTracker(
            self.ground.sender,
            GROUND,
            COMPONENT,
            mavlink.MAVLink_command_cancel_message,
            parameters,
        )
        self.receiver = CommandReceiver(
            self.drone.sender, DRONE, COMPONENT, mavlink.MAVLink_command_ack_message
        )
        self.ground.pollers.append(self.tracker.poll)
        self.ground.handlers.append(self._to_tracker)
        self.drone.handlers.append(self._to_receiver)
        self.executions: list[Execution] = []
        self.succeeded: list[Any] = []
        self.failed: list[Any] = []
        self.progress: list[int | None] = []
        self.answer: CommandResult | None = CommandResult.ACCEPTED
        for command in (ARM, GOTO, TAKEOFF):
            self.receiver.register(command, self._execute)

    def _execute(self, execution: Execution, now: float) -> CommandResult | None:
        self.executions.append(execution)
        return self.answer

    def _to_tracker(self, frame: Any, now: float) -> None:
        if frame.message.get_type() == "COMMAND_ACK":
            self.tracker.handle(*frame[:4], now)

    def _to_receiver(self, frame: Any, now: float) -> None:
        if frame.message.get_type().startswith("COMMAND_"):
            self.receiver.handle(*frame[:4], now)

    def start(self, command: Any, **options: Any) -> Any:
        return self.tracker.start(
            command,
            self.now,
            on_success=self.succeeded.append,
            on_failure=self.failed.append,
            on_progress=self.progress.append,
            **options,
        )

    def reconnect(self) -> None:
        """Let the drone's link come back, without what was sent meanwhile."""
        self.emulator.b.connected = True
        self.emulator.b.receive(self.now)

    def ended(self) -> int:
        return len(self.succeeded) + len(self.failed)


def ack(command: int = ARM, result: int = 0, system: int = 0, component: int = 0) -> Any:
    return mavlink.MAVLink_command_ack_message(command, result, 0, 0, system, component)


def test_a_command_is_executed_and_answered():
    flight = Flight(delay=0.05)
    flight.start(arm())
    assert flight.run(1.0, flight.ended)
    (outcome,) = flight.succeeded
    assert outcome.result is CommandResult.ACCEPTED or outcome.result == 0
    assert (outcome.attempts, len(flight.executions)) == (1, 1)
    assert 0.1 <= outcome.duration < 0.2


@pytest.mark.parametrize("seed", range(4))
def test_every_command_is_answered_through_a_link_that_loses_and_executed_once(seed):
    flight = Flight(THIN, seed=seed, loss=0.2, delay=0.05, duplicate=0.1, reorder=0.1)
    for number in range(30):
        flight.start(arm(number))
    assert flight.run(300.0, lambda: flight.ended() == 30)
    assert len(flight.succeeded) == 30
    assert sorted(item.message.param1 for item in flight.executions) == list(range(30))


def test_an_unanswered_command_is_sent_five_times_then_rolled_back():
    flight = Flight(CommandParameters(timeout=1.0), loss=1.0)
    flight.start(arm())
    assert flight.run(20.0, flight.ended)
    (outcome,) = flight.failed
    assert (outcome.result, outcome.attempts) == (None, 5)
    assert outcome.duration == pytest.approx(5.0, abs=0.2)
    assert "no answer to the command, sent 5 times" in outcome.reason
    assert flight.tracker.pending() == 0


def test_repeats_are_counted_in_confirmation():
    flight = Flight(CommandParameters(timeout=0.2, requeues=2))
    flight.drone.handlers.clear()
    flight.start(arm())
    flight.run(2.0, flight.ended)
    assert [item.confirmation for item in flight.drone.got("COMMAND_LONG")] == [0, 1, 2]


def test_a_repeated_command_is_executed_once_and_answered_again():
    flight = Flight(CommandParameters(timeout=0.5))
    flight.emulator.b.connected = False  # the answers are lost
    flight.start(arm())
    flight.run(1.2)
    flight.reconnect()
    assert flight.run(5.0, flight.ended)
    assert len(flight.succeeded) == 1
    assert len(flight.executions) == 1


def test_the_same_command_given_again_is_executed_again():
    flight = Flight()
    for _ in range(3):
        flight.start(arm())
    assert flight.run(5.0, lambda: flight.ended() == 3)
    assert len(flight.executions) == 3


def test_a_new_command_whose_first_frame_was_lost_is_not_taken_for_a_repeat():
    flight = Flight(CommandParameters(timeout=0.3))
    flight.start(arm())
    flight.run(1.0, flight.ended)
    flight.emulator.a.connected = False
    flight.start(arm())
    flight.run(0.2)
    flight.emulator.a.connected = True
    assert flight.run(2.0, lambda: flight.ended() == 2)
    assert len(flight.executions) == 2


def test_other_ground_stations_repeats_are_known_by_confirmation():
    flight = Flight()
    for confirmation, sequence in [(0, 10), (1, 11), (2, 12), (0, 13)]:
        message = arm()
        message.confirmation = confirmation
        flight.receiver.handle(message, 200, 190, sequence, 0.5 * sequence)
    assert len(flight.executions) == 2


def test_a_frame_that_the_link_doubled_or_delayed_is_not_a_new_command():
    flight = Flight()
    first, again = arm(), arm()
    again.confirmation = 1
    flight.receiver.handle(again, 200, 190, 6, 0.0)  # overtook the first
    flight.receiver.handle(first, 200, 190, 5, 0.1)
    flight.receiver.handle(again, 200, 190, 6, 0.2)
    assert len(flight.executions) == 1


def test_commands_to_others_are_not_executed():
    flight = Flight()
    message = arm()
    message.target_system = 77
    flight.receiver.handle(message, GROUND, COMPONENT, 0, 0.0)
    assert flight.executions == []
    assert flight.drone.sender.poll(0.0) == []


def test_an_unknown_command_is_answered_unsupported():
    flight = Flight()
    flight.start(arm(command=511))
    assert flight.run(1.0, flight.ended)
    assert flight.failed[0].result == CommandResult.UNSUPPORTED


def test_a_fault_in_an_executor_is_answered_as_failure():
    flight = Flight()

    def broken(_: Execution, __: float) -> CommandResult:
        raise RuntimeError("no motor")

    flight.receiver.register(ARM, broken)
    with pytest.raises(RuntimeError, match="no motor"):
        flight.receiver.handle(arm(), GROUND, COMPONENT, 1, 0.0)
    flight.run(0.2)
    (answer,) = flight.ground.got("COMMAND_ACK")
    assert answer.result == CommandResult.FAILED


def test_command_int_is_sent_answered_and_not_executed_twice():
    flight = Flight(CommandParameters(timeout=0.5))
    flight.emulator.b.connected = False
    flight.start(go())
    flight.run(0.7)
    flight.reconnect()
    assert flight.run(5.0, flight.ended)
    assert (len(flight.succeeded), len(flight.executions)) == (1, 1)


def test_progress_puts_the_timeout_off_and_the_command_stays():
    flight = Flight(CommandParameters(timeout=0.5, requeues=0, progress_timeout=2.0))
    flight.answer = None
    flight.start(arm())
    flight.run(1.5)
    assert flight.ended() == 0
    execution = flight.executions[0]
    for percent in (20, 60):
        execution.progress(percent, flight.now)
        flight.run(1.5)
    execution.finish(CommandResult.ACCEPTED, flight.now)
    assert flight.run(1.0, flight.ended)
    assert flight.progress == [None, 20, 60]
    assert len(flight.succeeded) == 1


def test_a_lost_end_of_a_long_command_is_asked_for():
    flight = Flight(CommandParameters(timeout=0.5, progress_timeout=1.0))
    flight.answer = None
    flight.start(arm())
    flight.run(0.3)
    flight.emulator.b.connected = False
    flight.executions[0].finish(CommandResult.ACCEPTED, flight.now)
    flight.run(0.2)
    flight.reconnect()
    assert flight.run(5.0, flight.ended)
    assert (len(flight.succeeded), len(flight.executions)) == (1, 1)


def test_a_command_in_progress_that_falls_silent_is_rolled_back():
    flight = Flight(CommandParameters(timeout=0.5, requeues=1, progress_timeout=1.0))
    flight.answer = None
    flight.start(arm())
    flight.run(0.3)
    flight.emulator.b.connected = False
    assert flight.run(10.0, flight.ended)
    assert "no news" in flight.failed[0].reason


@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_cancel_stops_a_command_in_progress(loss):
    flight = Flight(THIN, loss=loss, seed=3)
    flight.answer, stopped = None, []
    pending = flight.start(arm())
    assert flight.run(20.0, lambda: flight.executions)
    flight.executions[0].on_cancel = stopped.append
    flight.tracker.cancel(pending, flight.now)
    assert flight.run(20.0, flight.ended)
    assert flight.failed[0].result == CommandResult.CANCELLED
    assert len(stopped) == 1


def test_cancel_of_what_has_just_ended_tells_how_it_ended():
    flight = Flight(delay=0.1)
    pending = flight.start(arm())
    flight.run(0.12)
    flight.tracker.cancel(pending, flight.now)
    assert flight.run(2.0, flight.ended)
    assert len(flight.succeeded) == 1


def test_cancel_before_it_was_sent_sends_nothing():
    flight = Flight()
    pending = flight.start(arm())
    flight.tracker.cancel(pending, 0.0)
    assert flight.failed[0].result == CommandResult.CANCELLED
    assert flight.ground.sender.poll(0.0) == []


def test_foreign_answers_change_nothing_and_are_counted():
    flight = Flight(CommandParameters(timeout=1.0, requeues=0))
    flight.drone.handlers.clear()
    flight.start(arm())
    flight.run(0.5)
    for sequence, (message, system) in enumerate(
        [
            (ack(system=42, component=7), DRONE),  # to another ground station
            (ack(), 9),  # from another drone
            (ack(command=GOTO), DRONE),  # to a command that we did not give
        ]
    ):
        assert not flight.tracker.handle(message, system, COMPONENT, sequence, flight.now)
    assert flight.tracker.foreign_answers == 3
    assert flight.run(1.0, flight.ended)
    assert flight.failed[0].duration == pytest.approx(1.0, abs=0.1)  # not put off


def test_the_answer_to_a_repeat_is_not_taken_for_the_next_commands():
    flight = Flight(CommandParameters(timeout=0.15), delay=0.2)
    flight.start(arm(1.0))  # left twice before its first answer is here
    flight.run(2.0, flight.ended)
    flight.answer = CommandResult.DENIED
    flight.start(arm(0.0), timeout=1.0)
    assert flight.run(3.0, lambda: flight.ended() == 2)
    assert flight.failed[0].result == CommandResult.DENIED


def test_commands_of_one_number_wait_for_each_other():
    flight = Flight(delay=0.1)
    flight.start(arm(1.0))
    flight.start(arm(0.0))
    flight.start(arm(command=TAKEOFF))
    flight.run(0.15)
    assert [item.message.command for item in flight.executions] == [ARM, TAKEOFF]
    assert flight.run(1.0, lambda: flight.ended() == 3)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(st.tuples(st.sampled_from([ARM, GOTO]), st.integers(0, 1)), min_size=1, max_size=8),
    st.floats(0.0, 0.6),
)
def test_no_command_is_lost_silently_nor_executed_twice(seed, commands, loss):
    flight = Flight(CommandParameters(timeout=0.4), seed=seed, loss=loss, delay=0.05, reorder=0.2)
    for command, value in commands:
        flight.start(arm(value, command))
        flight.run(0.3)
    assert flight.run(120.0, lambda: flight.ended() == len(commands))
    assert flight.tracker.pending() == 0
    assert len(flight.succeeded) <= len(flight.executions) <= len(commands)
