"""What else the simulated autopilot listens to: setpoints, modes, questions about the time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.simulated_autopilot.parameter_service import is_ours
from mavlink_bridge.simulated_autopilot.pilot import Mode
from mavlink_bridge.simulated_autopilot.setpoint import (
    RefusedSetpointError,
    global_setpoint,
    local_setpoint,
    thesis_setpoint,
)
from mavlink_bridge.wire.frame import Frame
from mavlink_bridge.wire.signing_setup import take_setup

if TYPE_CHECKING:
    from mavlink_bridge.simulated_autopilot.vehicle import Vehicle

THESIS_SETPOINT = 0
SAY_AGAIN = 5.0
# REQUEST_DATA_STREAM's groups, which MAVProxy and older ground stations use.
DATA_STREAMS = {
    1: (105,),
    2: (1, 24, 42, 245),
    6: (32, 33),
    10: (30, 31),
    11: (74,),
    12: (147, 230),
}


class Listener:
    """Handlers of single messages."""

    def __init__(self, vehicle: Vehicle) -> None:
        self._vehicle = vehicle
        self._pilot = vehicle.pilot
        self._said_at: float | None = None
        add = vehicle.endpoint.handlers.add
        add(self._local, "SET_POSITION_TARGET_LOCAL_NED")
        add(self._global, "SET_POSITION_TARGET_GLOBAL_INT")
        add(self._thesis, "DJI_POSE_STAMPED")
        add(self._mode, "SET_MODE")
        add(self._time, "TIMESYNC")
        add(self._ping, "PING")
        add(self._data_stream, "REQUEST_DATA_STREAM")
        add(self._current_item, "MISSION_SET_CURRENT")
        add(self._key, "SETUP_SIGNING")

    def _local(self, frame: Frame, _: Any) -> None:
        if is_ours(self._vehicle.endpoint, frame.message):
            self._take(lambda: local_setpoint(frame.message, self._pilot.body, self._vehicle.now))

    def _global(self, frame: Frame, _: Any) -> None:
        vehicle = self._vehicle
        if is_ours(vehicle.endpoint, frame.message):
            self._take(
                lambda: global_setpoint(
                    frame.message, vehicle.body, vehicle.origin, vehicle.home_altitude, vehicle.now
                )
            )

    def _thesis(self, frame: Frame, _: Any) -> None:
        message = frame.message
        if message.topic_name != THESIS_SETPOINT:
            return
        if message.target_system in (0, self._vehicle.system):
            self._take(lambda: thesis_setpoint(message, self._vehicle.now))

    def _take(self, make: Any) -> None:
        try:
            self._pilot.take_setpoint(make())
        except RefusedSetpointError as error:
            now = self._vehicle.now
            if self._said_at is None or now - self._said_at > SAY_AGAIN:
                self._said_at = now
                self._vehicle.say(f"Refused: {error}")
            return
        # ArduPilot obeys setpoints whenever it is in GUIDED.
        if self._pilot.mode is Mode.GOTO and not self._vehicle.flavour.streams_needed:
            self._pilot.go_offboard(needs_setpoint=False)

    def _mode(self, frame: Frame, _: Any) -> None:
        message, vehicle = frame.message, self._vehicle
        if message.target_system == vehicle.system and message.base_mode & 1:
            refused = vehicle.ask_mode(message.custom_mode)
            if refused:
                vehicle.say(f"Refused: {refused}")

    def _time(self, frame: Frame, _: Any) -> None:
        if frame.message.tc1 == 0:
            now = round(self._vehicle.now * 1e9)
            answer = self._vehicle.dialect.MAVLink_timesync_message(now, frame.message.ts1)
            self._vehicle.endpoint.submit(
                answer, TrafficClass.COMMAND, self._vehicle.now, key="sync"
            )

    def _ping(self, frame: Frame, _: Any) -> None:
        message = frame.message
        if message.target_system == 0:
            self._vehicle.tell(
                self._vehicle.dialect.MAVLink_ping_message(
                    message.time_usec, message.seq, frame.system, frame.component
                )
            )

    def _data_stream(self, frame: Frame, _: Any) -> None:
        message = frame.message
        if not is_ours(self._vehicle.endpoint, message):
            return
        for group, numbers in DATA_STREAMS.items():
            if message.req_stream_id in (0, group):
                rate = message.req_message_rate if message.start_stop else 0
                for number in numbers:
                    self._vehicle.streams.set_interval(number, 1e6 / rate if rate else -1.0)

    def _current_item(self, frame: Frame, _: Any) -> None:
        if is_ours(self._vehicle.endpoint, frame.message):
            self._vehicle.set_current_item(frame.message.seq)
            self._vehicle.streams.send(42, self._vehicle.now)

    def _key(self, frame: Frame, _: Any) -> None:
        vehicle = self._vehicle
        signing = vehicle.endpoint.connection.signing
        if signing is None or not is_ours(vehicle.endpoint, frame.message):
            return
        allowed = vehicle.parameters.takes_keys and not self._pilot.armed
        if not take_setup(signing, frame.message, allowed=allowed):
            vehicle.say("Refused: a signing key" + (" while armed" if self._pilot.armed else ""))
