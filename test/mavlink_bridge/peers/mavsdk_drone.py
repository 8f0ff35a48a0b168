"""MAVSDK as a vehicle, by its server plugins."""

from __future__ import annotations

from pathlib import Path


class Drone:
    """MAVSDK's side."""

    def __init__(self, port: int, files: Path) -> None:
        from mavsdk import ComponentType, Configuration, Mavsdk
        from mavsdk.plugins.action_server import ActionServer
        from mavsdk.plugins.ftp_server import FtpServer
        from mavsdk.plugins.param_server import ParamServer
        from mavsdk.plugins.telemetry_server import TelemetryServer

        kind = ComponentType.AUTOPILOT
        self.mavsdk = Mavsdk(Configuration.create_with_component_type(kind))
        assert self.mavsdk.add_any_connection(f"udpout://127.0.0.1:{port}").name == "SUCCESS"
        component = self.mavsdk.server_component_by_type(kind)
        self.telemetry = TelemetryServer(component)
        self.files = FtpServer(component)
        self.files.set_root_dir(str(files))
        self.parameters = ParamServer(component)
        self.parameters.provide_param_float("MY_SPEED", 2.5)
        self.done: list[tuple[str, bool]] = []
        self.action = ActionServer(component)
        self.action.set_armable(True, True)
        self.action.set_allow_takeoff(True)
        self.action.subscribe_arm_disarm(lambda _, asked, __: self.done.append(("arm", asked.arm)))
        self.action.subscribe_takeoff(lambda _, asked, __: self.done.append(("takeoff", asked)))

    def publish(self) -> None:
        from mavsdk.plugins.telemetry_server import Heading, Position, VelocityNed

        self.telemetry.publish_position(
            Position(47.0, 8.0, 500.0, 5.0), VelocityNed(1.0, 2.0, 3.0), Heading(90.0)
        )
