"""The bridge's node between ROS and others' programs: MAVSDK as vehicle, MAVProxy as station."""

from __future__ import annotations

import random
import socket
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from mavproxy_program import MavProxy, mission_there_and_back
from mavsdk_drone import Drone
from real_time import free_port, simulated_autopilot
from running_bridge import RunningBridge
from sensor_msgs.msg import NavSatFix
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from mavlink_bridge.missions.mission_item import read_mission
from ros_interface.qos import LATCHED, RELIABLE, SENSOR_DATA

DATA = random.Random(6).randbytes(3000)


def values_of(state: list[DiagnosticStatus]) -> dict[str, str]:
    return {item.key: item.value for item in state[-1].values} if state else {}


def test_mavsdk_is_the_nodes_drone(tmp_path: Path) -> None:
    for name in ("drone", "bridge"):
        (tmp_path / name).mkdir()
    (tmp_path / "bridge" / "up.bin").write_bytes(DATA)
    port = free_port()
    bridge = RunningBridge(tmp_path, link=f"udpin:127.0.0.1:{port}", file_protocol="ftp")
    drone = Drone(port, tmp_path / "drone")
    timer = bridge.friend.create_timer(0.1, drone.publish)
    try:
        fixes = bridge.listen(NavSatFix, "/drone/global_position", SENSOR_DATA)
        state = bridge.listen(DiagnosticStatus, "/drone/state", LATCHED)
        bridge.wait(lambda: fixes and values_of(state).get("connected") == "True")
        assert (fixes[-1].latitude, fixes[-1].longitude) == (47.0, 8.0)
        assert bridge.call(SetBool, "/drone/arm", SetBool.Request(data=True)).success
        assert bridge.call(Trigger, "/drone/take_off").success  # it says that it is 5 m high
        bridge.wait(lambda: len(drone.done) == 2)
        assert drone.done == [("arm", True), ("takeoff", True)]
        send = bridge.friend.create_publisher(String, "/drone/files/send", RELIABLE)
        bridge.wait(send.get_subscription_count)
        send.publish(String(data="up.bin"))
        bridge.wait(lambda: bridge.node.bridge.files.recent)
        assert bridge.node.bridge.files.recent[0].reason == ""
        assert (tmp_path / "drone" / "up.bin").read_bytes() == DATA
    finally:
        bridge.friend.destroy_timer(timer)
        drone.mavsdk.destroy()
        bridge.close()


def test_mavproxy_flies_through_the_bridge(tmp_path: Path) -> None:
    (tmp_path / "drone").mkdir()
    port, station = free_port(), free_port(socket.SOCK_STREAM)
    options = ("--flavour", "ardupilot", "--home", "46.05,14.47,300")
    bridge = RunningBridge(
        tmp_path,
        link=f"udpin:127.0.0.1:{port}",
        ground_station=f"tcpin:127.0.0.1:{station}",
    )
    programs: list[Any] = []
    try:
        state = bridge.listen(DiagnosticStatus, "/drone/state", LATCHED)
        with simulated_autopilot(f"udpout:127.0.0.1:{port}", tmp_path / "drone", *options):
            bridge.wait(lambda: values_of(state).get("autopilot") == "ardupilot copter")
            mavproxy = MavProxy(station, tmp_path)
            programs.append(mavproxy)
            mavproxy.expect("Received 18 parameters")
            mission_there_and_back(mavproxy, tmp_path)
            fetch = bridge.friend.create_publisher(String, "/drone/mission/download", RELIABLE)
            bridge.wait(fetch.get_subscription_count)
            fetch.publish(String(data="ours.txt"))
            ours = tmp_path / "bridge" / "ours.txt"
            bridge.wait(ours.is_file)
            assert len(read_mission(ours)) == 4  # as MAVProxy has uploaded it
            mavproxy.type("mode GUIDED")
            mavproxy.expect("Mode GUIDED")
            mavproxy.type("arm throttle")
            mavproxy.expect("ARMED")
            bridge.wait(lambda: values_of(state)["armed"] == "True")
            assert values_of(state)["mode"] == "GUIDED"
            assert bridge.node.ground.refused == 0
    finally:
        for program in programs:
            program.close()
        bridge.close()
