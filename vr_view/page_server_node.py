"""Node `page_server`: the VR view's page for any browser, and what its pages see and do.

Topics go out to pages as they want them; head, hands, eyes and controllers of a headset come in as
/viewpoint/device/... and /viewpoint/..._hand/joy. docs/vr_page.md tells how to open the page,
docs/vr_protocol.md what is said on its socket.
"""

from __future__ import annotations

import errno
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ros_interface.diagnostics import OK, NodeDiagnostics
from ros_interface.errors import ConfigurationError
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.quiet_node import QuietNode
from ros_interface.share_folder import share_folder
from ros_interface.timers import wall_timer
from scene_sim.model_lists import find_file, model_from_text
from spatial_types.parameters import parameter
from vr_view.page_actions import SETPOINT_RATE, PageActions
from vr_view.page_devices import PageDevices
from vr_view.page_topics import MAKERS, PageTopics, page_specs
from vr_view.server.assets import Assets
from vr_view.server.hub import Hub
from vr_view.server.outside import Outcome
from vr_view.server.page_server import PageServer, make_door
from vr_view.server.protocol import Action, Device, Eyes
from vr_view.server.scene_document import scene_document
from vr_view.server.settings import ServerSettings
from vr_view.server.uploads import Upload

WISHES_RATE = 5.0  # Hz at which subscriptions follow what pages want


@dataclass(frozen=True)
class PageParameters(ServerSettings):
    """The server's parameters, and what it shows."""

    world: str = parameter("worlds/ground_truth_room.sdf", "World file (SDF) that is shown")
    models: tuple[str, ...] = parameter(
        ["urdf/station.urdf.xacro", "urdf/phone_robot.urdf.xacro 0 2 0"],
        "Models in it: FILE [x y yaw] [xacro_argument:=value ...] [name:=model], as for scene_sim",
    )
    drone: str = parameter("drone", "Namespace of the drone's bridge")
    drone_files: str = parameter("~/.truthbed/files", "`folder` of the drone's bridge")
    simulator: str = parameter("scene_sim", "Node of the simulator")
    images: tuple[str, ...] = parameter(
        [
            "/station/camera/image_raw",
            "/ground_truth/debug_image",
            "/viewpoint/left/image_raw/compressed",
            "/viewpoint/right/image_raw/compressed",
        ],
        "Images that a page may open: sensor_msgs/Image, or CompressedImage where it ends so",
    )


class _RosOutside:
    """What the server asks, done with ROS; called on the server's loop."""

    def __init__(self, node: PageServerNode) -> None:
        self._node = node

    async def act(self, session: str, action: Action, upload: Upload | None) -> Outcome:
        self._node.diagnostics.count("actions")
        return await self._node.actions.act(session, action, upload)

    def device(self, device: Device, age: float) -> None:
        self._node.diagnostics.count("poses of devices")
        self._node.devices.send(device, age)

    def eyes(self, eyes: Eyes) -> None:
        self._node.devices.set_eyes(eyes)

    def device_ended(self) -> None:
        self._node.devices.let_go()

    def session_ended(self, session: str) -> None:
        self._node.actions.session_ended(session)

    def refused(self, what: str, reason: str) -> None:
        self._node.diagnostics.refuse(what, reason)


class PageServerNode(QuietNode):
    """Joins the server and ROS."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters, read the scene, open the port; `node_options` go to rclpy's Node."""
        super().__init__("page_server", **node_options)
        options = self._options = declare_parameters(self, PageParameters)
        self.diagnostics = NodeDiagnostics(self, self._summary)
        specs = page_specs(options.drone, options.images)
        outside = _RosOutside(self)
        self.hub = Hub(specs, MAKERS, outside, options.limits, time.monotonic)
        self.topics = PageTopics(self, self.hub, options.drone, options.simulator, options.images)
        self.devices = PageDevices(self, self.hub)
        files = Path(options.drone_files).expanduser()
        self.actions = PageActions(self, self.topics, options.drone, options.simulator, files)
        self.server = self._open(options)
        wall_timer(self, 1.0 / WISHES_RATE, self._look_after)
        wall_timer(self, 1.0 / SETPOINT_RATE, self.actions.repeat_setpoint)
        wall_timer(self, 1.0, self.devices.tell_latency)
        self.server.start()
        self._tell_links()

    def _open(self, options: PageParameters) -> PageServer:
        share, assets = share_folder(), Assets()
        page = Path(options.page).expanduser() if options.page else _page_folder(share)
        try:
            models = [model_from_text(text, share) for text in options.models]
            document = scene_document(find_file(options.world, share), models, assets)
            door = make_door(options)
            return PageServer(options, door, self.hub, page, (document, assets), options.drone)
        except OSError as error:
            where = f"{options.host}:{options.port}: " if error.errno else ""
            reason = error.strerror or error
            if error.errno == errno.EADDRINUSE:
                reason = f"{reason}; does another page run? Port 0 takes any free one"
            raise ConfigurationError(f"{self.get_name()}: {where}{reason}") from None
        except ValueError as error:
            raise ConfigurationError(f"{self.get_name()}: {error}") from None

    def _tell_links(self) -> None:
        log, server = self.get_logger(), self.server
        if not server.site.has_page:
            log.warning("the page is not built: run `make page` in Truthbed's folder")
        lines = [f"the page: {'  or  '.join(server.links())}"]
        if server.guest_link():
            lines.append(f"for guests, who can only look: {server.guest_link()}")
        if server.fingerprint:
            lines.append(f"SHA-256 of its certificate: {server.fingerprint}")
        lines.append(
            f"a headset on a cable: adb reverse tcp:{server.port} tcp:{server.port}, then "
            f"{server.local_link()} in its browser"
        )
        log.info("\n  ".join(lines))

    def _look_after(self) -> None:
        if self.server.error is not None:
            raise RuntimeError("the page server broke down") from self.server.error
        self.topics.follow_wishes()

    def _summary(self) -> tuple[object, str]:
        sessions = list(self.hub.sessions.values())
        in_vr = sum(session.is_in_vr for session in sessions)
        return OK, f"port {self.server.port}, {len(sessions)} pages, {in_vr} of them in VR"

    def destroy_node(self) -> None:
        """End the server first."""
        if hasattr(self, "server"):
            self.server.close()
        super().destroy_node()


def _page_folder(share: Path) -> Path:
    """Return where the built page lies: installed, or in the source tree."""
    source = Path(__file__).resolve().parent / "page/dist"
    installed = share / "page"
    return installed if installed.is_dir() or not source.is_dir() else source


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(PageServerNode, args)


if __name__ == "__main__":
    sys.exit(main())
