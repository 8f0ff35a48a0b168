"""The setpoint that holds now: repeated while its application lives, and no longer.

Autopilots leave the mode in which they obey when setpoints become rare, so one is repeated at
`repeat_rate`. An application that has died must not fly on: a setpoint dies `lifetime` seconds
after it was given, and whoever owns the stream is told once, to make the drone hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from mavlink_bridge.files.trajectory_file import Trajectory
from mavlink_bridge.mapping.setpoints import PositionSetpoint, Setpoint
from spatial_types.parameters import parameter


@dataclass(frozen=True)
class SetpointParameters:
    """How long a setpoint holds, and how often it is said."""

    lifetime: float = parameter(
        0.5, "a setpoint not renewed for so long no longer holds", unit="s", minimum=0.05
    )
    repeat_rate: float = parameter(
        5.0, "how often a setpoint that holds is sent again", unit="Hz", minimum=0.1, maximum=100.0
    )
    trajectory_rate: float = parameter(
        10.0, "setpoints along a trajectory", unit="Hz", minimum=0.5, maximum=100.0
    )


class SetpointStream:
    """Give it setpoints or a trajectory; `poll` returns what is to be sent now."""

    def __init__(self, parameters: SetpointParameters = SetpointParameters()) -> None:
        self._parameters = parameters
        self._setpoint: Setpoint | None = None
        self._given = 0.0
        self._due = 0.0
        self._trajectory: Trajectory | None = None
        self._started = 0.0
        self.expired = 0
        """Setpoints that died without a successor."""

    def give(self, setpoint: Setpoint, now: float) -> None:
        """Let a setpoint hold from now on; it ends a trajectory."""
        self._trajectory = None
        self._setpoint, self._given, self._due = setpoint, now, now

    def fly(self, trajectory: Trajectory, now: float, delay: float = 0.0) -> None:
        """Fly a trajectory from `now + delay` on."""
        self._setpoint = None
        self._trajectory, self._started, self._due = trajectory, now + delay, now

    def clear(self) -> None:
        """Let nothing hold."""
        self._setpoint = self._trajectory = None

    @property
    def is_live(self) -> bool:
        """Whether something holds."""
        return self._setpoint is not None or self._trajectory is not None

    def progress(self, now: float) -> float | None:
        """Return which part of the trajectory is flown, 0 to 1; None without one."""
        if self._trajectory is None:
            return None
        duration = max(self._trajectory.duration, 1e-9)
        return min(1.0, max(0.0, (now - self._started) / duration))

    def poll(self, now: float) -> tuple[Setpoint | None, str]:
        """Return what is to be sent now, and why nothing holds any more: "", "expired", "flown"."""
        if self._trajectory is not None:
            return self._poll_trajectory(self._trajectory, now)
        if self._setpoint is None:
            return None, ""
        if now - self._given > self._parameters.lifetime:
            self.clear()
            self.expired += 1
            return None, "expired"
        return (self._setpoint if self._is_due(now, self._parameters.repeat_rate) else None), ""

    def next_time(self) -> float | None:
        """Return when to poll again; None: when something is given."""
        if self._setpoint is not None:
            return min(self._due, self._given + self._parameters.lifetime)
        return self._due if self._trajectory is not None else None

    def _poll_trajectory(self, trajectory: Trajectory, now: float) -> tuple[Setpoint | None, str]:
        if not self._is_due(now, self._parameters.trajectory_rate):
            return None, ""
        time = now - self._started
        point = trajectory.at(time)
        ended = time >= trajectory.duration
        if ended:
            self.clear()
        moves = any(point.velocity)
        setpoint = PositionSetpoint(point.position, point.yaw, point.velocity if moves else None)
        return setpoint, "flown" if ended else ""

    def _is_due(self, now: float, rate: float) -> bool:
        if now < self._due:
            return False
        self._due = max(self._due + 1.0 / rate, now + 0.5 / rate)
        return True
