"""SteamVR's devices, played by a stand-in; and the real package, which finds no SteamVR here."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from spatial_types.transforms import Transform, matrix_from_rpy
from vr_view.head_sources.openvr_device import OpenVrDevice
from vr_view.viewpoints.device_axes import ROS_FROM_Y_UP

QUIT = 700


class NotRunningError(Exception):
    """As openvr.OpenVRError."""


class System:
    """As openvr.IVRSystem: a headset (0) and a left controller (3)."""

    def __init__(self):
        self.poses = {
            0: Transform.from_rpy((0.0, 0.0, 1.6), (0.0, 0.0, 0.5)),
            3: Transform.from_rpy((0.3, 0.2, 1.2), (0.1, 0.2, 0.3)),
        }
        self.hands = {1: 3, 2: 0xFFFFFFFF}
        self.events = []
        self.acknowledged = False
        self.pulses = []
        axis = [SimpleNamespace(x=0.0, y=0.0) for _ in range(5)]
        axis[0], axis[1] = SimpleNamespace(x=0.25, y=-0.5), SimpleNamespace(x=0.75, y=0.0)
        self.state = SimpleNamespace(rAxis=axis, ulButtonPressed=1 << 2 | 1 << 33)

    def getDeviceToAbsoluteTrackingPose(self, _universe, _ahead, _poses):  # noqa: N802
        return [device_pose(self.poses.get(index)) for index in range(64)]

    def getTrackedDeviceIndexForControllerRole(self, role):  # noqa: N802
        return self.hands[role]

    def getControllerState(self, index):  # noqa: N802
        return index == 3, self.state

    def getRecommendedRenderTargetSize(self):  # noqa: N802
        return 1000, 1100

    def getProjectionRaw(self, eye):  # noqa: N802
        return (-1.4, 1.2, -1.5, 1.4) if eye == 0 else (-1.2, 1.4, -1.5, 1.4)

    def getEyeToHeadTransform(self, eye):  # noqa: N802
        side = -0.032 if eye == 0 else 0.032
        return SimpleNamespace(m=[[1, 0, 0, side], [0, 1, 0, 0], [0, 0, 1, -0.01]])

    def pollNextEvent(self, event):  # noqa: N802
        if self.events:
            event.eventType = self.events.pop(0)
            return True
        return False

    def acknowledgeQuit_Exiting(self):  # noqa: N802
        self.acknowledged = True

    def triggerHapticPulse(self, *arguments):  # noqa: N802
        self.pulses.append(arguments)


def device_pose(in_ros):
    """As TrackedDevicePose_t: y up, as OpenVR has it."""
    if in_ros is None:
        return SimpleNamespace(bPoseIsValid=False)
    turned = ROS_FROM_Y_UP.T @ in_ros.rotation @ ROS_FROM_Y_UP
    rows = np.column_stack([turned, ROS_FROM_Y_UP.T @ in_ros.translation])
    return SimpleNamespace(bPoseIsValid=True, mDeviceToAbsoluteTracking=SimpleNamespace(m=rows))


class SteamVr:
    """As the module openvr; not running at first."""

    OpenVRError = NotRunningError
    VRApplication_Background = 4
    TrackingUniverseStanding = 1
    TrackedControllerRole_LeftHand, TrackedControllerRole_RightHand = 1, 2
    k_unTrackedDeviceIndex_Hmd = 0  # noqa: N815
    k_unMaxTrackedDeviceCount = 64  # noqa: N815
    Eye_Left, Eye_Right = 0, 1
    VREvent_Quit = QUIT
    k_EButton_ApplicationMenu, k_EButton_Grip, k_EButton_A = 1, 2, 7  # noqa: N815
    k_EButton_Axis0, k_EButton_Axis1 = 32, 33  # noqa: N815

    def __init__(self):
        self.running = False
        self.asked = 0
        self.system = System()

    def VREvent_t(self):  # noqa: N802
        return SimpleNamespace(eventType=0)

    def init(self, kind):
        self.asked += 1
        assert kind == self.VRApplication_Background
        if not self.running:
            raise NotRunningError("no server for a background application")
        return self.system

    def shutdown(self):
        self.running = False


@pytest.fixture
def steam():
    return SteamVr()


def device_of(steam, retry=2.0, grip=None):
    return OpenVrDevice(steam, retry, grip or Transform())


def test_it_is_tried_again_until_steamvr_runs_and_not_more_often_than_told(steam):
    device = device_of(steam)
    for now in np.arange(0.0, 5.0, 0.1):
        assert device.read(now) is None
    assert steam.asked == device.tries == 3
    assert device.reason == "no server for a background application"
    steam.running = True
    assert device.read(6.0) is not None
    assert device.connected


def test_poses_are_in_ros_axes_and_a_missing_hand_is_missing(steam):
    steam.running = True
    poses = device_of(steam).read(0.0).poses
    assert set(poses) == {"head", "left_hand"}
    for name, index in (("head", 0), ("left_hand", 3)):
        np.testing.assert_allclose(poses[name].translation, steam.system.poses[index].translation)
        np.testing.assert_allclose(
            poses[name].rotation, steam.system.poses[index].rotation, atol=1e-12
        )


def test_a_controllers_own_pose_is_turned_into_that_of_the_grip(steam):
    steam.running = True
    grip = Transform.from_rpy(rpy=(0.0, 0.6, 0.0))
    found = device_of(steam, grip=grip).read(0.0).poses["left_hand"]
    wanted = steam.system.poses[3].rotation @ matrix_from_rpy((0.0, 0.6, 0.0))
    np.testing.assert_allclose(found.rotation, wanted, atol=1e-12)


def test_a_device_that_lost_its_tracking_has_no_pose(steam):
    steam.running = True
    device = device_of(steam)
    assert "head" in device.read(0.0).poses
    del steam.system.poses[0]
    assert "head" not in device.read(0.1).poses


def test_sticks_trigger_and_buttons_stand_in_the_order_of_the_page(steam):
    steam.running = True
    controls = device_of(steam).read(0.0).controls
    assert set(controls) == {"left"}
    assert controls["left"].axes == (-0.25, -0.5, 0.75, 1.0)  # left +, forward +, trigger, grip
    assert controls["left"].buttons == (1, 1, 0, 0, 0)


def test_eyes_are_as_the_headset_has_them(steam):
    steam.running = True
    device = device_of(steam)
    assert device.eyes() is None
    device.read(0.0)
    eyes = device.eyes()
    assert eyes.distance == pytest.approx(0.064)
    assert eyes.left.matrix[0, 2] == pytest.approx(1000 * 1.4 / 2.6 - 0.5)
    assert eyes.right.matrix[0, 2] == pytest.approx(1000 * 1.2 / 2.6 - 0.5)


def test_when_steamvr_quits_it_is_left_and_found_again(steam):
    steam.running = True
    device = device_of(steam)
    device.read(0.0)
    steam.system.events.append(QUIT)
    assert device.read(1.0) is None
    assert steam.system.acknowledged
    assert device.reason == "SteamVR has quit"
    assert device.read(2.0) is None
    steam.running = True
    assert device.read(3.5) is not None


def test_a_motor_runs_in_the_hand_that_is_there(steam):
    device = device_of(steam)
    device.drive_motor("left", 3999)
    steam.running = True
    device.read(0.0)
    for side, strength in (("left", 3999), ("right", 3999), ("left", 0)):
        device.drive_motor(side, strength)
    assert steam.system.pulses == [(3, 0, 3999)]


def test_the_real_package_names_all_that_is_used_and_waits_without_steamvr():
    openvr = pytest.importorskip("openvr")
    names = [name for name in vars(SteamVr) if not name.startswith("_")]
    assert [name for name in names if not hasattr(openvr, name)] == []
    methods = [name for name in vars(System) if not name.startswith("_")]
    assert [name for name in methods if not hasattr(openvr.IVRSystem, name)] == []
    device = device_of(openvr)
    if device.read(0.0) is None:  # unless somebody runs SteamVR here
        assert device.tries == 1
        assert device.reason not in ("", "not tried yet")
    device.close()
    assert not device.connected
