"""MuJoCo on a fixed grid of steps, with the state at any time between.

Physics steps on its own grid whatever the sensors' rates are, so the motion is the same however a
run is sliced. Between two grid states the positions are interpolated as the integrator itself
moves them (semi-implicit: q(k+1) = q(k) + dt v(k+1)), so a sensor sees the world at its own time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from scene_sim.gauges import ignore_ranges
from scene_sim.schedule import SECOND
from spatial_types.transforms import Transform

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Snapshot:
    """Where everything was at `stamp`: enough to draw the scene later, on another thread."""

    stamp: int
    qpos: Array


class Physics:
    """The moving scene. `data` is the state on the grid, `probe` a copy for looking between.

    `model` is the whole scene, `dynamics` the part of it that moves or is touched; their states
    are the same. Steps are those of `dynamics`, and what is seen and measured is in `probe`.
    """

    def __init__(self, model: mujoco.MjModel, dynamics: mujoco.MjModel) -> None:
        self.model = model
        ignore_ranges(model)
        self.dynamics = dynamics
        self.data = mujoco.MjData(dynamics)
        self.probe = mujoco.MjData(model)
        self._step_ns = round(model.opt.timestep * SECOND)
        if self._step_ns <= 0:
            raise ValueError(f"physics step is {model.opt.timestep} s: expected more than 0")
        self._grid, self._grid_time = 0, 0
        self._probe_stamp: int | None = None
        self._sensed_stamp: int | None = None
        # Views of MuJoCo's own memory: asking for them anew costs as much as using them.
        self.act, self.ctrl = self.data.act, self.data.ctrl
        self.velocities, self._grid_positions = self.data.qvel, self.data.qpos
        self.positions, self._probe_velocities = self.probe.qpos, self.probe.qvel
        self._xpos, self._xmat = self.probe.xpos, self.probe.xmat.reshape(-1, 3, 3)
        self.site_positions = self.probe.site_xpos
        self.site_rotations = self.probe.site_xmat.reshape(-1, 3, 3)
        self._readings = self.probe.sensordata
        self._sensed = self._readings.copy()
        mujoco.mj_forward(dynamics, self.data)

    def reset(self) -> None:
        """Go back to time zero and the described poses."""
        mujoco.mj_resetData(self.dynamics, self.data)
        mujoco.mj_forward(self.dynamics, self.data)
        self._grid, self._grid_time = 0, 0
        self.touch()

    def touch(self) -> None:
        """Say that the state was changed from outside."""
        self._probe_stamp = self._sensed_stamp = None

    def advance_to(self, stamp: int) -> None:
        """Step to the first grid time not before `stamp` (ns)."""
        if stamp > self._grid_time:
            target = -(-stamp // self._step_ns)
            mujoco.mj_step(self.dynamics, self.data, target - self._grid)
            self._grid, self._grid_time = target, target * self._step_ns
            self.touch()

    def moving_body(self, name: str) -> int:
        """Return the number, for `push`, of the body that a link moves with; 0: the ground."""
        body = self.model.body(name).id
        kind = mujoco.mjtObj.mjOBJ_BODY
        while body:
            number = mujoco.mj_name2id(self.dynamics, kind, self.model.body(body).name)
            if number >= 0:
                return int(number)
            body = int(self.model.body_parentid[body])
        return 0

    def speed(self, body: int) -> Array:
        """Return the velocity (3,), in world axes, of a moving body's centre of mass."""
        found = np.zeros(6)
        kind = mujoco.mjtObj.mjOBJ_BODY
        mujoco.mj_objectVelocity(self.dynamics, self.data, kind, body, found, 0)
        return found[3:]

    def push(self, forces: Iterable[tuple[int, Array]]) -> None:
        """Let these forces, N in world axes, act at the bodies' centres of mass until the next."""
        applied, still = self.data.qfrc_applied, np.zeros(3)
        applied[:] = 0.0
        for body, force in forces:
            centre = self.data.xipos[body]
            mujoco.mj_applyFT(self.dynamics, self.data, force, still, centre, body, applied)

    def look_at(self, stamp: int) -> mujoco.MjData:
        """Return the probe with poses at `stamp`, at most a step before what was stepped to."""
        if self._probe_stamp != stamp:
            self.advance_to(stamp)
            self._interpolate(stamp)
            mujoco.mj_kinematics(self.model, self.probe)
            self._probe_stamp, self._sensed_stamp = stamp, None
        return self.probe

    def sensed(self, stamp: int) -> Array:
        """Return the values of the model's sensors at `stamp`, in new memory; see gauges.py."""
        if self._sensed_stamp != stamp:
            model, probe = self.model, self.look_at(stamp)
            self._probe_velocities[:] = self.velocities
            mujoco.mj_comPos(model, probe)
            mujoco.mj_comVel(model, probe)
            mujoco.mj_sensorPos(model, probe)
            mujoco.mj_sensorVel(model, probe)
            self._sensed = self._readings.copy()
            self._sensed_stamp = stamp
        return self._sensed

    def _interpolate(self, stamp: int) -> None:
        self.positions[:] = self._grid_positions
        back = stamp - self._grid_time
        if back:
            mujoco.mj_integratePos(self.model, self.positions, self.velocities, back / SECOND)

    def snapshot(self, stamp: int) -> Snapshot:
        """Return the state at `stamp` (ns)."""
        self.look_at(stamp)
        return Snapshot(stamp, self.positions.copy())

    def body_pose(self, body: int, stamp: int) -> Transform:
        """Return world_from_body at `stamp`."""
        self.look_at(stamp)
        return Transform(self._xmat[body].copy(), self._xpos[body].copy())

    def site_pose(self, site: int, stamp: int) -> Transform:
        """Return world_from_site at `stamp`."""
        self.look_at(stamp)
        return Transform(self.site_rotations[site].copy(), self.site_positions[site].copy())
