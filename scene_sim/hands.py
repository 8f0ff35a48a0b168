"""Hands of a person in the view, as bodies that physics stops and that hold what they grab.

Each hand is a small ball, driven towards where the person holds it by a force of limited strength:
what a hand pushes or holds moves as physics lets it, and nothing goes through a wall. A hand that
grips is welded to the movable body that it touches; the weld is soft and the force limited, so what
is held stays outside walls too. A hand without a target is parked out of the scene.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from scene_sim.mjcf_geometry import CONTACT_SOLIMP, CONTACT_SOLREF, HAND_GROUP
from scene_sim.physics import Physics
from spatial_types.transforms import Transform, matrix_from_quaternion

Array = NDArray[np.float64]
Numbers = list[float]

SIDES = ("left", "right")
RATE = 400.0  # Hz; how often the force is chosen anew
RADIUS = 0.04  # m
MASS = 0.4  # kg
INERTIA = 1e-3  # kg m2, of a fist with a tool rather than of the ball
PARKED = {"left": (0.0, 1.0, 500.0), "right": (0.0, -1.0, 500.0)}
GRASP = 0.03  # m between hand and body within which a grip takes hold

FORCE, TORQUE = 80.0, 5.0  # N, N m at most
SPEED, SPIN = 4.0, 15.0  # m/s, rad/s at most
LOADED_SPEED = 2.0  # m/s with something in the hand
APPROACH = 40.0  # 1/s: wished speed per distance from the target
STIFFNESS = 160.0  # 1/s: wished acceleration per lack of speed; critically damped with APPROACH
EVERYTHING = 0x7FFFFFFF
WELD = 11  # mjNEQDATA: the numbers of an equality constraint


@dataclass(frozen=True)
class HandState:
    """Where a hand is: `pose` world_from_hand, the model that it holds ("" for none).

    `apart` is how far (m) what it met keeps it from where it is wished.
    """

    pose: Transform
    held: str
    apart: float


def add_hands(spec: mujoco.MjSpec) -> None:
    """Add both hands, parked, to a scene."""
    for side in SIDES:
        body = spec.worldbody.add_body(name=hand_name(side), pos=PARKED[side])
        body.add_freejoint(name=hand_name(side))
        body.explicitinertial = True
        body.mass, body.inertia = MASS, [INERTIA] * 3
        body.ipos, body.iquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
        geom = body.add_geom(name=hand_name(side), type=mujoco.mjtGeom.mjGEOM_SPHERE)
        geom.size = [RADIUS, 0.0, 0.0]
        geom.rgba = [0.85, 0.65, 0.5, 1.0]
        geom.group, geom.mass = HAND_GROUP, 0.0
        # It meets what lets itself be met, but no other hand.
        geom.contype, geom.conaffinity = 0, EVERYTHING
        geom.solref, geom.solimp = CONTACT_SOLREF, CONTACT_SOLIMP
        weld = spec.add_equality(name=hand_name(side), type=mujoco.mjtEq.mjEQ_WELD)
        weld.objtype = mujoco.mjtObj.mjOBJ_BODY
        weld.name1, weld.name2 = hand_name(side), "world"
        weld.active = False
        weld.solref, weld.data[10] = [0.01, 1.0], 1.0


def hand_name(side: str) -> str:
    """Return the name of a hand's body, joint, geom and weld."""
    return f"viewpoint/{side}_hand"


class Hands:
    """Both hands of a scene that was built with them."""

    def __init__(self, physics: Physics, fixed: frozenset[str] = frozenset()) -> None:
        """`fixed` names models that cannot be grabbed."""
        graspable = _Graspable(physics, fixed)
        self._hands = {side: _Hand(physics, side, graspable) for side in SIDES}

    def command(self, side: str, target: Transform | None, closed: bool) -> None:
        """Wish a hand to be at `target` (world_from_hand; None: parked), gripping or not."""
        self._hands[side].command(target, closed)

    def control(self, stamp: int) -> tuple[()]:
        """Drive both hands from now on."""
        for hand in self._hands.values():
            hand.control(stamp)
        return ()

    def state(self, side: str) -> HandState | None:
        """Return where a hand is; None while it is parked."""
        return self._hands[side].state()

    def let_go(self, model: str) -> None:
        """Open whatever hand holds a model, which is to be moved otherwise."""
        for hand in self._hands.values():
            if hand.held == model:
                hand.release()


class _Graspable:
    """Which geoms belong to bodies that can be moved, and to which model."""

    def __init__(self, physics: Physics, fixed: frozenset[str]) -> None:
        model = physics.dynamics
        self.model_of: dict[int, str] = {}
        for geom in range(model.ngeom):
            root = int(model.body_rootid[model.geom_bodyid[geom]])
            name = model.body(root).name
            owner = name.split("::")[0]
            if "::" in name and _is_free(model, root) and owner not in fixed:
                self.model_of[geom] = owner


def _is_free(model: mujoco.MjModel, body: int) -> bool:
    joint = int(model.body_jntadr[body])
    return joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE


class _Hand:
    def __init__(self, physics: Physics, side: str, graspable: _Graspable) -> None:
        model, name = physics.dynamics, hand_name(side)
        self._physics, self._graspable = physics, graspable
        self._parked = Transform(translation=np.array(PARKED[side]))
        self._body, self._geom = int(model.body(name).id), int(model.geom(name).id)
        self._weld = int(model.equality(name).id)
        joint = model.joint(name)
        self._position, self._velocity = int(joint.qposadr[0]), int(joint.dofadr[0])
        self._gravity = model.opt.gravity.tolist()
        self._target: Transform | None = None
        self._goal = [0.0] * 7  # the same as position and quaternion, w first
        self._closed = self._is_new = False
        self.held = ""
        self._load, self._swing = 0.0, 0.0
        self.release()
        self._park()

    # What the person wishes

    def command(self, target: Transform | None, closed: bool) -> None:
        if target is None and self._target is not None:
            self.release()
            self._park()
        elif target is not None:
            self._is_new = self._is_new or self._target is None
            self._target = target
            x, y, z, w = target.quaternion.tolist()
            self._goal = [*target.translation.tolist(), w, x, y, z]
        if closed and not self._closed and not self._is_new and target is not None:
            self._grasp()
        elif not closed:
            self.release()
        self._closed = closed

    def _park(self) -> None:
        self._target, self._is_new = None, False
        self._put(self._parked)

    def _put(self, pose: Transform) -> None:
        data = self._physics.data
        x, y, z, w = pose.quaternion
        data.qpos[self._position : self._position + 7] = [*pose.translation, w, x, y, z]
        data.qvel[self._velocity : self._velocity + 6] = 0.0
        self._push(self._weight(), [0.0] * 3)
        self._physics.touch()

    # What physics does

    def control(self, stamp: int) -> None:
        if self._target is None:
            return
        self._physics.advance_to(stamp)
        if self._is_new:
            self._appear(self._target)
            return
        # Plain numbers: NumPy costs ten times as much for so few.
        qpos = self._physics.data.qpos[self._position : self._position + 7].tolist()
        qvel = self._physics.data.qvel[self._velocity : self._velocity + 6].tolist()
        place, quaternion, velocity = qpos[:3], qpos[3:], qvel[:3]
        spin = _turned(quaternion, qvel[3:])  # a free joint's angular velocity is in its own axes
        way = [APPROACH * (there - here) for there, here in zip(self._goal[:3], place, strict=True)]
        wish = _limited(way, LOADED_SPEED if self.held else SPEED)
        turn = _limited([APPROACH * each for each in _between(quaternion, self._goal[3:])], SPIN)
        drag, twist = self._drags()
        force = [
            drag * (wanted - is_so) + carried
            for wanted, is_so, carried in zip(wish, velocity, self._weight(), strict=True)
        ]
        torque = [twist * (wanted - is_so) for wanted, is_so in zip(turn, spin, strict=True)]
        # The joint's own drag, which takes the second part off again, is stable at any load.
        push = zip(_limited(force, FORCE), velocity, strict=True)
        wring = zip(_limited(torque, TORQUE), spin, strict=True)
        self._push([a + drag * b for a, b in push], [a + twist * b for a, b in wring])

    def _drags(self) -> tuple[float, float]:
        """Return force per lack of speed, and torque per lack of spin."""
        return STIFFNESS * (MASS + self._load), STIFFNESS * (INERTIA + self._swing)

    def _take_weight(self, load: float, swing: float) -> None:
        """Be driven as a hand that holds so much: mass (kg), and inertia about the hand."""
        self._load, self._swing = load, swing
        drags = np.repeat(self._drags(), 3)
        self._physics.dynamics.dof_damping[self._velocity : self._velocity + 6] = drags

    def _push(self, force: Numbers, torque: Numbers) -> None:
        """Apply force and torque (world axes) until the next control."""
        self._physics.data.xfrc_applied[self._body] = [*force, *torque]

    def _weight(self) -> Numbers:
        """Return the force that carries the hand and its load."""
        return [-pull * (MASS + self._load) for pull in self._gravity]

    def _appear(self, target: Transform) -> None:
        """Come into the scene where it is wished, once nothing stands there."""
        model, data = self._physics.dynamics, self._physics.data
        self._put(target)
        mujoco.mj_kinematics(model, data)
        others = np.flatnonzero((model.geom_contype != 0) & (model.geom_bodyid != self._body))
        if any(self._distance(int(geom), RADIUS) < 0.0 for geom in others):
            self._put(self._parked)
        else:
            self._is_new = False

    def _distance(self, geom: int, farthest: float) -> float:
        model, data = self._physics.dynamics, self._physics.data
        return mujoco.mj_geomDistance(model, data, self._geom, geom, farthest, None)

    def _pose(self) -> tuple[Array, Array]:
        qpos = self._physics.data.qpos[self._position : self._position + 7]
        return qpos[:3].copy(), matrix_from_quaternion(np.roll(qpos[3:], -1))

    def state(self) -> HandState | None:
        if self._target is None or self._is_new:
            return None
        place, rotation = self._pose()
        apart = float(np.linalg.norm(self._target.translation - place))
        return HandState(Transform(rotation, place), self.held, apart)

    # Holding

    def _grasp(self) -> None:
        """Weld the nearest body within reach of the grip to the hand, as it lies to it now."""
        model, data = self._physics.dynamics, self._physics.data
        mujoco.mj_kinematics(model, data)
        near = {geom: self._distance(geom, GRASP) for geom in self._graspable.model_of}
        geom = min(near, key=lambda item: near[item], default=-1)
        if geom < 0 or near[geom] >= GRASP:
            return
        body = int(model.geom_bodyid[geom])
        self.held = self._graspable.model_of[geom]
        self._join(body)
        root = int(model.body_rootid[body])
        load = float(model.body_subtreemass[root])
        arm = float(np.linalg.norm(data.xipos[body] - data.xpos[self._body]))
        self._take_weight(load, float(model.body_inertia[body].max()) + load * arm**2)
        # They keep the place they have to each other; a contact between them would disagree.
        model.geom_conaffinity[self._geom] = EVERYTHING & ~int(model.geom_contype[geom])

    def _join(self, body: int) -> None:
        model, data = self._physics.dynamics, self._physics.data
        hand = Transform(data.xmat[self._body].reshape(3, 3), data.xpos[self._body].copy())
        other = Transform(data.xmat[body].reshape(3, 3), data.xpos[body].copy())
        x, y, z, w = (hand.inverse() @ other).quaternion
        model.eq_obj2id[self._weld] = body
        # The point where they are joined, the hand's middle, in the body and in the hand; how the
        # body is turned to the hand; and how hard turning is held against moving.
        anchor = other.inverse().apply(hand.translation)
        model.eq_data[self._weld, :WELD] = [*anchor, 0.0, 0.0, 0.0, w, x, y, z, 1.0]
        data.eq_active[self._weld] = 1

    def release(self) -> None:
        """Hold nothing any more."""
        self._physics.data.eq_active[self._weld] = 0
        self._physics.dynamics.geom_conaffinity[self._geom] = EVERYTHING
        self.held = ""
        self._take_weight(0.0, 0.0)


def _limited(vector: Numbers, most: float) -> Numbers:
    x, y, z = vector
    length = math.sqrt(x * x + y * y + z * z)
    return [each * (most / length) for each in vector] if length > most else vector


def _turned(quaternion: Numbers, vector: Numbers) -> Numbers:
    """Turn a vector by a unit quaternion, w first."""
    w, x, y, z = quaternion
    a, b, c = vector
    p, q, r = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return [
        a + w * p + y * r - z * q,
        b + w * q + z * p - x * r,
        c + w * r + x * q - y * p,
    ]


def _between(start: Numbers, end: Numbers) -> Numbers:
    """Return axis times angle (rad) from one unit quaternion to another, the shorter way round."""
    w, x, y, z = start
    a, b, c, d = end
    turn = [a * -x + b * w - c * z + d * y, a * -y + b * z + c * w - d * x]
    turn.append(a * -z - b * y + c * x + d * w)
    cosine = a * w + b * x + c * y + d * z
    sine = math.sqrt(sum(each * each for each in turn))
    angle = 2.0 * math.atan2(sine, abs(cosine))
    scale = math.copysign(angle / sine if sine > 1e-9 else 2.0, cosine)
    return [scale * each for each in turn]
