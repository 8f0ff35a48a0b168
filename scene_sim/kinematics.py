"""Forward kinematics of a described model: what tf says from the joints' readings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scene_sim.description.scene import Joint, Model
from spatial_types.transforms import Transform


class Kinematics:
    """Poses of a model's links among each other for given joint positions."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._above = {joint.child: joint for joint in model.joints}

    def root_from_link(self, link: str, positions: Mapping[str, float]) -> Transform:
        """Return the pose of `link` in its tree's root link; joints not named are at zero."""
        joint = self._above.get(link)
        known = {item.name for item in self._model.links}
        if joint is None or joint.parent not in known:
            self._model.link(link)
            return Transform()
        parent_from_link = self._across(joint, positions.get(joint.name, 0.0))
        return self.root_from_link(joint.parent, positions) @ parent_from_link

    def link_from_link(self, a: str, b: str, positions: Mapping[str, float]) -> Transform:
        """Return a_from_b for two links of the model."""
        return self.root_from_link(a, positions).inverse() @ self.root_from_link(b, positions)

    def _across(self, joint: Joint, position: float) -> Transform:
        """Return parent_from_child with the joint at `position`."""
        parent, child = self._model.link(joint.parent), self._model.link(joint.child)
        at_rest = parent.pose.inverse() @ child.pose
        if joint.axis is None or joint.type == "fixed":
            return at_rest
        axis = np.asarray(joint.axis.xyz, dtype=float)
        moved = (
            Transform(translation=axis * position)
            if joint.type == "prismatic"
            else Transform(_rotation_about(axis, position))
        )
        return at_rest @ joint.pose @ moved @ joint.pose.inverse()


def _rotation_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula for a unit axis."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
