"""SteamVR's devices through the package `openvr`, read beside whatever application draws.

SteamVR lets a background application in only while it runs, so coming in is tried again and again,
and after SteamVR has quit too. Poses are those of OpenVR's standing universe in ROS axes; its
origin comes from SteamVR's room set-up and means nothing elsewhere. No ROS here; `vr` is the
module `openvr`, or what a test puts in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spatial_types.frustum import Frustum
from spatial_types.transforms import Transform
from vr_view.viewpoints.device_axes import pose_from_openvr
from vr_view.viewpoints.eyes import SIDES, Eyes

HEAD = "head"
# VRControllerState_t.rAxis of SteamVR's legacy input, which needs no file of bindings.
STICK, TRIGGER, GRIP = 0, 1, 2


@dataclass(frozen=True)
class Controls:
    """What a hand's controller tells, in the order of docs/vr_hands.md."""

    axes: tuple[float, ...]
    buttons: tuple[int, ...]


@dataclass(frozen=True)
class DeviceReading:
    """Poses in the device's space by name (head, left_hand, right_hand), and both controls."""

    poses: Mapping[str, Transform] = field(default_factory=dict)
    controls: Mapping[str, Controls] = field(default_factory=dict)


class OpenVrDevice:
    """Times are seconds of any steady clock, passed in."""

    def __init__(self, vr: Any, retry: float, grip: Transform) -> None:
        """Try each `retry` seconds; `grip` is how a hand's grip lies in its controller's pose."""
        self._vr, self._retry, self._grip = vr, retry, grip
        self._system: Any = None
        self._next_try = float("-inf")
        self._poses: Any = None
        self.reason = "not tried yet"
        self.tries = 0

    @property
    def connected(self) -> bool:
        """Whether SteamVR is there."""
        return self._system is not None

    def read(self, now: float) -> DeviceReading | None:
        """Return what the devices tell, None while SteamVR is not there."""
        if self._system is None and now >= self._next_try:
            self._connect(now)
        if self._system is None or self._has_quit(now):
            return None
        hands = {side: self._hand(side) for side in SIDES}
        standing = self._vr.TrackingUniverseStanding
        self._poses = self._system.getDeviceToAbsoluteTrackingPose(standing, 0.0, self._poses)
        poses = {}
        for name, index in {HEAD: self._vr.k_unTrackedDeviceIndex_Hmd, **hands}.items():
            pose = self._pose(index)
            if pose is not None:
                of_head = name == HEAD
                poses[name if of_head else f"{name}_hand"] = pose if of_head else pose @ self._grip
        controls = {side: self._controls(index) for side, index in hands.items()}
        return DeviceReading(
            poses, {side: found for side, found in controls.items() if found is not None}
        )

    def eyes(self) -> Eyes | None:
        """Return the eyes as the headset has them, None without one; the distance can change."""
        if self._system is None:
            return None
        vr, system = self._vr, self._system
        width, height = (int(size) for size in system.getRecommendedRenderTargetSize())
        cameras, across = {}, {}
        for side, eye in (("left", vr.Eye_Left), ("right", vr.Eye_Right)):
            try:
                frustum = Frustum.from_openvr(*system.getProjectionRaw(eye))
            except ValueError:
                return None
            cameras[side] = frustum.camera(max(width, 1), max(height, 1))
            across[side] = pose_from_openvr(_rows(system.getEyeToHeadTransform(eye)))
        distance = float(across["left"].translation[1] - across["right"].translation[1])
        return Eyes(distance, cameras["left"], cameras["right"])

    def drive_motor(self, side: str, strength: int) -> None:
        """Let a hand's motor run for `strength` microseconds, 0 to 3999; again after 5 ms at best.

        Nothing happens where there is no such hand.
        """
        index = self._hand(side) if self._system is not None else None
        if index is not None and strength > 0:
            self._system.triggerHapticPulse(index, 0, strength)

    def close(self) -> None:
        """Leave SteamVR."""
        if self._system is not None:
            self._system = None
            self._vr.shutdown()

    def _connect(self, now: float) -> None:
        self.tries += 1
        self._next_try = now + self._retry
        try:
            self._system = self._vr.init(self._vr.VRApplication_Background)
        except self._vr.OpenVRError as error:
            self.reason = str(error) or type(error).__name__

    def _has_quit(self, now: float) -> bool:
        event = self._vr.VREvent_t()
        while self._system.pollNextEvent(event):
            if event.eventType == self._vr.VREvent_Quit:
                self._system.acknowledgeQuit_Exiting()
                self.close()
                self.reason, self._next_try = "SteamVR has quit", now + self._retry
                return True
        return False

    def _hand(self, side: str) -> int | None:
        vr = self._vr
        role = vr.TrackedControllerRole_LeftHand
        if side == "right":
            role = vr.TrackedControllerRole_RightHand
        index = int(self._system.getTrackedDeviceIndexForControllerRole(role))
        return index if 0 <= index < vr.k_unMaxTrackedDeviceCount else None

    def _pose(self, index: int | None) -> Transform | None:
        if index is None or not self._poses[index].bPoseIsValid:
            return None
        return pose_from_openvr(_rows(self._poses[index].mDeviceToAbsoluteTracking))

    def _controls(self, index: int | None) -> Controls | None:
        if index is None:
            return None
        there, state = self._system.getControllerState(index)
        if not there:
            return None
        vr, axis = self._vr, state.rAxis

        def pressed(button: int) -> int:
            return int(state.ulButtonPressed >> button & 1)

        grip = max(float(axis[GRIP].x), float(pressed(vr.k_EButton_Grip)))
        return Controls(
            (-float(axis[STICK].x), float(axis[STICK].y), float(axis[TRIGGER].x), grip),
            tuple(
                pressed(button)
                for button in (
                    vr.k_EButton_Axis1,
                    vr.k_EButton_Grip,
                    vr.k_EButton_Axis0,
                    vr.k_EButton_A,
                    vr.k_EButton_ApplicationMenu,
                )
            ),
        )


def _rows(matrix: Any) -> list[list[float]]:
    """Return an HmdMatrix34_t as rows."""
    return [list(row) for row in matrix.m]
