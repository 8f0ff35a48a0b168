"""What a pilot's page can have done: services, parameters and topics of simulator and drone."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

from geometry_msgs.msg import Point, Pose, PoseStamped
from nav_msgs.msg import Path as PathMessage
from rcl_interfaces.srv import SetParameters
from std_msgs.msg import Empty, String
from std_srvs.srv import SetBool, Trigger

from ros_interface.errors import MessageError
from ros_interface.geometry_messages import pose_from_message, quaternion_message_from_yaw
from ros_interface.parameters import parameter_message
from ros_interface.qos import RELIABLE
from vr_view.page_topics import PageTopics
from vr_view.server.outside import Outcome
from vr_view.server.protocol import Action
from vr_view.server.uploads import Upload
from vr_view.service_caller import NoAnswerError, ServiceCaller

QUICK = 10.0  # s that the simulator may take to answer
MANOEUVRE = 180.0  # s for a drone: a take-off answers when it is over
MANOEUVRES = ("take_off", "hover", "land", "return_home", "cancel")
SETPOINT_RATE = 5.0  # Hz: a setpoint of the bridge lives for half a second


class PageActions:
    """Does what pages ask. `act` runs on the server's loop; ROS is called on the executor."""

    def __init__(
        self, node: Any, topics: PageTopics, drone: str, simulator: str, files: Path
    ) -> None:
        """`files` is the folder of the drone's bridge from which it sends files."""
        self._node, self._topics, self._files = node, topics, files
        self._drone, self._map_frame = drone, "map"
        self._services = ServiceCaller(node)
        self._setpoint: tuple[str, PoseStamped] | None = None
        self._simulator = f"/{simulator.strip('/')}"
        publisher = node.create_publisher
        self._setpoints = publisher(PoseStamped, f"/{drone}/setpoint_pose", RELIABLE)
        self._trajectories = publisher(PathMessage, f"/{drone}/trajectory", RELIABLE)
        self._file_topics = {
            name: publisher(String, f"/{drone}/files/{name}", RELIABLE)
            for name in ("send", "fetch", "fly")
        }
        self._file_cancel = publisher(Empty, f"/{drone}/files/cancel", RELIABLE)
        self._modes = publisher(String, "/viewpoint/mode", RELIABLE)

    async def act(self, session: str, action: Action, upload: Upload | None) -> Outcome:
        """Do it and tell how it ended."""
        room, _, name = action.name.partition(".")
        arguments = action.arguments
        if room == "simulator":
            return await self._simulate(name, arguments)
        if room == "viewpoint":
            return await self._view(name, arguments)
        if name in MANOEUVRES or name in ("arm", "follow_setpoints"):
            return await self._manoeuvre(name, arguments)
        if name == "mode":
            bridge = f"/{self._drone}/mavlink_bridge"
            return await self._set_parameter(bridge, "mode", arguments["name"])
        if name.endswith("_file"):
            return self._file(name, arguments, upload)
        return self._steer(session, name, arguments)

    def session_ended(self, session: str) -> None:
        """Repeat no more what a page that is gone has asked for."""
        held = self._setpoint
        if held is not None and held[0] == session:
            self._setpoint = None

    @property
    def held_setpoint(self) -> PoseStamped | None:
        """The setpoint that is repeated now."""
        return None if self._setpoint is None else self._setpoint[1]

    def repeat_setpoint(self) -> None:
        """Send the setpoint that a page holds again; call it SETPOINT_RATE times a second."""
        held = self._setpoint
        if held is not None:
            held[1].header.stamp = self._node.get_clock().now().to_msg()
            self._setpoints.publish(held[1])

    # Kinds of action

    async def _simulate(self, name: str, arguments: dict[str, Any]) -> Outcome:
        service = f"{self._simulator}/{name}"
        if name == "speed":
            return await self._set_parameter(
                self._simulator, "real_time_factor", arguments["factor"]
            )
        if name == "pause":
            outcome = await self._call(SetBool, service, SetBool.Request(data=arguments["on"]))
            if outcome.ok:
                self._topics.show_paused(arguments["on"])
            return outcome
        return await self._call(Trigger, service, Trigger.Request())

    async def _view(self, name: str, arguments: dict[str, Any]) -> Outcome:
        if name == "recentre":
            return await self._call(Trigger, "/viewpoint/recentre", Trigger.Request())
        if not self._modes.get_subscription_count():
            return Outcome(False, "nobody takes /viewpoint/mode: is viewpoint_node running?")
        self._modes.publish(String(data=arguments["name"]))
        return Outcome(True, arguments["name"])

    async def _manoeuvre(self, name: str, arguments: dict[str, Any]) -> Outcome:
        service = f"/{self._drone}/{name}"
        if name in ("arm", "follow_setpoints"):
            request = SetBool.Request(data=arguments["on"])
            return await self._call(SetBool, service, request, MANOEUVRE)
        self._setpoint = None  # another manoeuvre: the setpoint is not meant any more
        return await self._call(Trigger, service, Trigger.Request(), MANOEUVRE)

    def _steer(self, session: str, name: str, arguments: dict[str, Any]) -> Outcome:
        if name == "release_setpoint":
            self._setpoint = None
            return Outcome(True, "the setpoint is not repeated any more")
        if name == "trajectory":
            self._setpoint = None
            return self._send_trajectory(arguments["points"])
        yaw = arguments["yaw"] if arguments["yaw"] is not None else self._own_yaw()
        if yaw is None:
            return Outcome(
                False, f"the drone's own yaw is not known: nothing on /{self._drone}/pose"
            )
        message = PoseStamped(pose=_pose(arguments["position"], yaw))
        message.header.frame_id = self._map_frame
        self._setpoint = (session, message)
        self.repeat_setpoint()
        return Outcome(True, "setpoint sent, and repeated until another manoeuvre")

    def _send_trajectory(self, points: Any) -> Outcome:
        if not self._trajectories.get_subscription_count():
            return Outcome(False, f"nobody takes /{self._drone}/trajectory")
        message = PathMessage()
        message.header.frame_id = self._map_frame
        yaws = _yaws(points)
        for point, yaw in zip(points, yaws, strict=True):
            item = PoseStamped(pose=_pose(point[:3], yaw))
            item.header.frame_id = self._map_frame
            message.poses.append(item)
        self._trajectories.publish(message)
        return Outcome(True, f"trajectory of {len(points)} points sent")

    def _file(self, name: str, arguments: dict[str, Any], upload: Upload | None) -> Outcome:
        if name == "cancel_file":
            self._file_cancel.publish(Empty())
            return Outcome(True, "transfers given up")
        verb = name.removesuffix("_file").removesuffix("_stored")
        topic = self._file_topics[verb]
        if not topic.get_subscription_count():
            return Outcome(False, f"nobody takes {topic.topic_name}")
        if verb == "fly":
            self._setpoint = None  # it would end the flight
        file = arguments.get("name", "")
        if upload is not None:
            try:
                self._files.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(upload.file, self._files / upload.name)
            except OSError as error:
                return Outcome(False, f"{upload.name}: {error.strerror}")
            file = upload.name
        topic.publish(String(data=file))
        return Outcome(True, f"{verb} {file}")

    def _own_yaw(self) -> float | None:
        message = self._topics.last.get(f"/{self._drone}/pose")
        try:
            return None if message is None else pose_from_message(message.pose).yaw
        except MessageError:
            return None

    # Services

    async def _set_parameter(self, node: str, name: str, value: Any) -> Outcome:
        request = SetParameters.Request()
        request.parameters = [parameter_message(name, value)]
        service = f"{node}/set_parameters"
        try:
            answer = await self._services.call(SetParameters, service, request, QUICK)
        except NoAnswerError as error:
            return Outcome(False, str(error))
        result = answer.results[0]
        return Outcome(result.successful, result.reason or f"{name} = {value}")

    async def _call(self, kind: Any, name: str, request: Any, patience: float = QUICK) -> Outcome:
        try:
            answer = await self._services.call(kind, name, request, patience)
        except NoAnswerError as error:
            return Outcome(False, str(error))
        return Outcome(answer.success, answer.message)


def _pose(position: Any, yaw: float) -> Pose:
    x, y, z = position
    return Pose(position=Point(x=x, y=y, z=z), orientation=quaternion_message_from_yaw(yaw))


def _yaws(points: Any) -> list[float]:
    """Return the yaw of each point: its own, or along the way to the next."""
    yaws: list[float] = []
    for point, after in zip(points, [*points[1:], points[-1]], strict=True):
        if len(point) == 4:
            yaws.append(point[3])
        elif math.dist(after[:2], point[:2]) > 1e-6:
            yaws.append(math.atan2(after[1] - point[1], after[0] - point[0]))
        else:
            yaws.append(yaws[-1] if yaws else 0.0)
    return yaws
