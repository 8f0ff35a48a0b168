"""`ros2 run truthbed thin_link_trial`: a file, commands, setpoints and telemetry over a thin link.

Both ends run in one process on a simulated clock, over an emulated link: a ground station that
sends a file, gives commands all the while and, if asked, streams setpoints; a drone that answers
and sends telemetry. The same options give the same figures.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.endpoint import Endpoint, EndpointParameters
from mavlink_bridge.files.transfer_protocol import TransferProgress
from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator, LinkEnd
from mavlink_bridge.links.thin import ThinLink, ThinOptions
from mavlink_bridge.sending.command_result import THIN, CommandOutcome, CommandResult
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.wire.frame import Frame

GROUND, DRONE, COMPONENT = 255, 1, 1
PACKET = 100
LEAST_COMMANDS = 20
COMMANDS_PER_TRIAL = 100
PARTS_PER_LINE = 2000
SHORTEST_GAP = 0.5
TICK = 0.05
QUEUE = 0.25
"""Seconds of traffic that wait in the emulated link before more is dropped, at least 1000 B."""

TELEMETRY_RATES = {"ATTITUDE": 10.0, "LOCAL_POSITION_NED": 10.0, "GLOBAL_POSITION_INT": 5.0}

Make = Callable[[float], Any]


@dataclass(frozen=True)
class TrialOptions:
    """What the trial is to show. Rates in bytes per second, delay in seconds, loss each way."""

    size: int
    rate_up: float = 1000.0
    rate_down: float = 8000.0
    loss: float = 0.0
    delay: float = 0.05
    setpoint_hz: float = 0.0
    seed: int = 0


class _Stream:
    """Something that is due at a steady rate."""

    def __init__(self, rate: float, submit: Callable[[float], Any]) -> None:
        self.period = 1.0 / rate
        self.due = 0.0
        self._submit = submit

    def poll(self, now: float) -> None:
        while now >= self.due:
            self._submit(now)
            self.due += self.period


class _End:
    """One end of the link, and what it sends at steady rates."""

    def __init__(self, link: LinkEnd, system: int, up: float, down: float, folder: Path) -> None:
        thin = ThinLink(link, ThinOptions(PACKET, up, down))
        self.endpoint = Endpoint(thin, system, COMPONENT, folder, EndpointParameters(command=THIN))
        self._thin = thin
        self._streams: list[_Stream] = []

    def step(self, now: float) -> None:
        for stream in self._streams:
            stream.poll(now)
        self.endpoint.poll(now)

    def stream(self, rate: float, submit: Callable[[float], Any]) -> None:
        self._streams.append(_Stream(rate, submit))

    def submit_at(self, rate: float, traffic_class: TrafficClass, make: Make) -> None:
        submit = self.endpoint.submit
        self.stream(rate, lambda now: submit(make(now), traffic_class, now))

    def next_time(self) -> float:
        times = [stream.due for stream in self._streams]
        others = (self.endpoint.next_opening(), self._thin.next_time())
        return min([*times, *(time for time in others if time is not None)], default=math.inf)


class ThinLinkTrial:
    """One trial; `run` returns its figures."""

    def __init__(self, options: TrialOptions, folder: Path) -> None:
        self._options = options
        self._dialect = load()
        self._random = random.Random(options.seed)
        link = LinkEmulator(
            _conditions(options, options.rate_up),
            _conditions(options, options.rate_down),
            options.seed,
        )
        self._link = link
        up, down = options.rate_up, options.rate_down
        self._ground = _End(link.a, GROUND, up, down, folder / "ground")
        self._drone = _End(link.b, DRONE, down, up, folder / "drone")
        self._sent = folder / "file.bin"
        self._sent.write_bytes(self._random.randbytes(options.size))
        self._arrived = folder / "drone" / "file.bin"
        self._now = 0.0
        self._outcomes: list[CommandOutcome] = []
        self._issued = 0
        self._executed: list[float] = []
        self._telemetry = 0
        self._setpoint_delays: list[float] = []
        self._prepare_ground()
        self._prepare_drone()

    def run(self) -> dict[str, Any]:
        """Send the file, and give commands until it has arrived and at least twenty were given."""
        ended: list[float] = []
        told = 0
        transfer = self._ground.endpoint.files.send(self._sent, (DRONE, COMPONENT), 0.0)
        transfer.on_end = lambda progress: self._on_end(progress, ended)
        nominal = self._options.size / self._options.rate_up
        gap = max(SHORTEST_GAP, nominal / COMMANDS_PER_TRIAL)
        limit, next_command = 100 * nominal + 600, 0.3 * gap
        while self._now < limit:
            if ended and self._issued >= LEAST_COMMANDS:
                next_command = math.inf
            elif self._now >= next_command:
                self._command()
                next_command += gap * self._random.uniform(0.5, 1.5)
            self._ground.step(self._now)
            self._drone.step(self._now)
            if math.isinf(next_command) and not self._ground.endpoint.commands.pending():
                break
            self._now = self._next_time(next_command)
            done = self._ground.endpoint.files.outgoing.sent_parts
            if done - told >= PARTS_PER_LINE:
                told = done
                say(f"{done} parts of the file sent, {self._now:.0f} s of simulated time")
        return self._figures(ended[0] if ended else self._now)

    def _prepare_ground(self) -> None:
        make, ground = self._dialect, self._ground
        ground.endpoint.handlers.add(self._count_telemetry, *TELEMETRY_RATES)
        ground.submit_at(1.0, TrafficClass.HEARTBEAT, self._heartbeat(make.MAV_TYPE_GCS))
        if self._options.setpoint_hz > 0:
            ground.stream(self._options.setpoint_hz, self._setpoint)

    def _prepare_drone(self) -> None:
        make, drone = self._dialect, self._drone
        for command in self._commands():
            drone.endpoint.receiver.register(command, self._execute)
        drone.submit_at(1.0, TrafficClass.HEARTBEAT, self._heartbeat(make.MAV_TYPE_QUADROTOR))
        makers = {
            "ATTITUDE": lambda now: make.MAVLink_attitude_message(
                round(now * 1000), 0.1, 0.2, 0.3, 0.01, 0.02, 0.03
            ),
            "LOCAL_POSITION_NED": lambda now: make.MAVLink_local_position_ned_message(
                round(now * 1000), 1.0, 2.0, -3.0, 0.1, 0.2, 0.3
            ),
            "GLOBAL_POSITION_INT": lambda now: make.MAVLink_global_position_int_message(
                round(now * 1000), 470582000, 154600000, 400000, 30000, 10, 20, 30, 9000
            ),
        }
        for name, rate in TELEMETRY_RATES.items():
            drone.submit_at(rate, TrafficClass.TELEMETRY, makers[name])

    def _heartbeat(self, kind: int) -> Callable[[float], Any]:
        make = self._dialect
        return lambda _: make.MAVLink_heartbeat_message(
            kind, make.MAV_AUTOPILOT_GENERIC, 0, 0, make.MAV_STATE_ACTIVE, 3
        )

    def _setpoint(self, now: float) -> None:
        message = self._dialect.MAVLink_set_position_target_local_ned_message(
            *(round(now * 1000), DRONE, COMPONENT, self._dialect.MAV_FRAME_LOCAL_NED, 0x0DF8),
            *(now, 2.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        )
        self._ground.endpoint.submit(
            message,
            TrafficClass.SETPOINT,
            now,
            on_sent=lambda when: self._setpoint_delays.append(when - now),
        )

    def _commands(self) -> list[int]:
        names = ("COMPONENT_ARM_DISARM", "NAV_TAKEOFF", "NAV_LAND", "DO_SET_MODE")
        more = ("DO_PAUSE_CONTINUE", "NAV_RETURN_TO_LAUNCH", "DO_CHANGE_SPEED")
        return [getattr(self._dialect, f"MAV_CMD_{name}") for name in (*names, *more)]

    def _command(self) -> None:
        number = self._random.choice(self._commands())
        message = self._dialect.MAVLink_command_long_message(
            DRONE, COMPONENT, number, 0, float(self._issued), 0, 0, 0, 0, 0, 1.0
        )
        self._issued += 1
        add = self._outcomes.append
        self._ground.endpoint.command(message, self._now, on_success=add, on_failure=add)

    def _execute(self, execution: Any, _: float) -> CommandResult:
        self._executed.append(execution.message.param1)
        return CommandResult.ACCEPTED

    def _count_telemetry(self, _frame: Frame, _context: Any) -> None:
        self._telemetry += 1

    def _on_end(self, _progress: TransferProgress, ended: list[float]) -> None:
        ended.append(self._now)

    def _next_time(self, next_command: float) -> float:
        arrival = self._link.next_time()
        times = [self._ground.next_time(), self._drone.next_time(), next_command]
        if arrival is not None:
            times.append(arrival)
        return min(max(min(times), self._now + 1e-4), self._now + TICK)

    def _figures(self, seconds: float) -> dict[str, Any]:
        acknowledged = [item for item in self._outcomes if item.succeeded]
        times = [item.duration for item in acknowledged] or [float("nan")]
        arrived = self._arrived.read_bytes() if self._arrived.is_file() else b""
        setpoints = self._ground.endpoint.sender.sent[TrafficClass.SETPOINT]
        dropped = {
            f"{item.name.lower()} {reason}": count
            for (item, reason), count in self._ground.endpoint.sender.dropped.items()
        }
        return {
            "seconds": round(seconds, 3),
            "bytes_per_second": round(self._options.size / seconds, 2),
            "identical": arrived == self._sent.read_bytes(),
            "commands": self._issued,
            "acknowledged": len(acknowledged),
            "ack_median_s": round(float(np.median(times)), 4),
            "ack_p99_s": round(float(np.percentile(times, 99)), 4),
            "setpoints_sent": setpoints,
            "telemetry_received": self._telemetry,
            "ack_longest_s": round(max(times), 4),
            "executed_once": len(set(self._executed)) == len(self._executed),
            "setpoint_delay_longest_s": round(max(self._setpoint_delays, default=0.0), 4),
            "file_parts_sent": self._ground.endpoint.files.outgoing.sent_parts,
            "file_parts_repeated": self._drone.endpoint.files.incoming.repeated_parts,
            "dropped_before_sending": dropped,
            "uplink_bytes": self._link.a_to_b.statistics.bytes,
            "overflowed_packets": self._link.a_to_b.statistics.overflowed
            + self._link.b_to_a.statistics.overflowed,
        }


def say(text: str) -> None:
    """Tell on stderr how far it is; stdout has the figures alone."""
    print(f"thin_link_trial: {text}", file=sys.stderr, flush=True)


def _conditions(options: TrialOptions, rate: float) -> Conditions:
    queue = max(1000.0, QUEUE * rate)
    return Conditions(loss=options.loss, delay=options.delay, rate=rate, queue=queue)


def run_trial(options: TrialOptions) -> dict[str, Any]:
    """Run one trial and return its figures, with the options and the CPU time it took."""
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        figures = ThinLinkTrial(options, Path(folder)).run()
    cpu = round(time.process_time() - begin, 2)
    return {**figures, "options": vars(options), "cpu_s": cpu}


def _arguments(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="thin_link_trial", description=__doc__)
    add = parser.add_argument
    add("--size", type=int, required=True, metavar="BYTES", help="the file's size")
    add("--rate-up", type=float, default=1000.0, metavar="B", help="bytes/s to the drone")
    add("--rate-down", type=float, default=8000.0, metavar="B", help="bytes/s from the drone")
    add("--loss", type=float, default=0.0, metavar="P", help="share of packets lost, each way")
    add("--delay", type=float, default=0.05, metavar="S", help="seconds on the way, each way")
    add("--setpoint-hz", type=float, default=0.0, metavar="F", help="setpoints per second")
    add("--seed", type=int, default=0, metavar="N", help="seed of all that is random")
    add("--json", type=Path, metavar="OUT", help="write the figures here")
    arguments = parser.parse_args(args)
    for name in ("size", "rate_up", "rate_down"):
        if getattr(arguments, name) <= 0:
            parser.error(f"--{name.replace('_', '-')} must be positive")
    if not 0 <= arguments.loss < 1 or arguments.delay < 0 or arguments.setpoint_hz < 0:
        parser.error(
            "--loss must be at least 0 and below 1, --delay and --setpoint-hz not negative"
        )
    return arguments


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; 1 if the file did not arrive as it was sent or a command got no answer."""
    arguments = _arguments(args)
    given = {key: value for key, value in vars(arguments).items() if key != "json"}
    least = arguments.size / arguments.rate_up
    say(f"{arguments.size} B at {arguments.rate_up:g} B/s: over {least:.0f} s of simulated time")
    figures = run_trial(TrialOptions(**given))
    text = json.dumps(figures, indent=2)
    print(text)
    if arguments.json:
        arguments.json.write_text(text + "\n")
    complete = figures["identical"] and figures["acknowledged"] == figures["commands"]
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
