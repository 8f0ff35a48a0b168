"""One end of a link with all that speaks over it: queue, commands both ways, files both ways.

What a node, a simulated autopilot and a trial have in common. Like everything below it, it reads no
clock and waits for nothing: call `poll(now)` often, from one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mavlink_bridge.connection import Connection
from mavlink_bridge.files.file_transfer import MESSAGES, FileTransfer
from mavlink_bridge.files.mavlink_ftp_client import FtpClientParameters, MavlinkFtpClient
from mavlink_bridge.files.mavlink_ftp_server import FtpServerParameters, MavlinkFtpServer
from mavlink_bridge.files.transfer_protocol import TransferParameters, TransferProgress
from mavlink_bridge.links.link import Link
from mavlink_bridge.missions.mission_client import MESSAGES as MISSION_MESSAGES
from mavlink_bridge.missions.mission_client import MissionClient, MissionClientParameters
from mavlink_bridge.sending.budget import Budget, BudgetParameters
from mavlink_bridge.sending.command_receiver import CommandReceiver
from mavlink_bridge.sending.command_result import CommandParameters
from mavlink_bridge.sending.command_tracker import CommandTracker, PendingCommand
from mavlink_bridge.sending.sender import Sender, SenderParameters
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.wire.frame import Frame
from mavlink_bridge.wire.signing import Signing

_COMMANDS = ("COMMAND_LONG", "COMMAND_INT", "COMMAND_CANCEL")


@dataclass(frozen=True)
class EndpointParameters:
    """All that can be set. A budget without a rate takes the link's."""

    budget: BudgetParameters = field(default_factory=BudgetParameters)
    sender: SenderParameters = field(default_factory=SenderParameters)
    command: CommandParameters = field(default_factory=CommandParameters)
    files: TransferParameters = field(default_factory=TransferParameters)
    ftp_server: FtpServerParameters = field(default_factory=FtpServerParameters)
    ftp_client: FtpClientParameters = field(default_factory=FtpClientParameters)
    mission: MissionClientParameters = field(default_factory=MissionClientParameters)


class Endpoint:
    """A connection, what leaves through it, and who answers what comes.

    `handlers` are those of the connection, whose context is this object; `now` is the time of the
    poll that runs.
    """

    def __init__(
        self,
        link: Link,
        system: int,
        component: int,
        folder: Path,
        parameters: EndpointParameters | None = None,
        *,
        signing: Signing | None = None,
        on_file: Callable[[TransferProgress, Path], None] | None = None,
    ) -> None:
        """`folder` is where files come to and are served from."""
        parameters = parameters or EndpointParameters()
        self.now = 0.0
        self.connection = Connection(link, system, component, signing=signing, context=self)
        self.dialect = self.connection.dialect
        self.handlers = self.connection.handlers
        limits = link.limits
        self.sender = Sender(
            self.connection.writer.write,
            Budget(_with_rate(parameters.budget, limits.up)),
            parameters.sender,
        )
        self.connection.outbox = self.sender
        me = (self.sender, system, component)
        cancel = self.dialect.MAVLink_command_cancel_message
        self.commands = CommandTracker(*me, cancel, parameters.command)
        self.receiver = CommandReceiver(*me, self.dialect.MAVLink_command_ack_message)
        self.files = FileTransfer(
            *me,
            folder,
            packet_size=limits.packet_size,
            signed=signing is not None,
            parameters=parameters.files,
            on_end=on_file,
        )
        self.ftp_server = MavlinkFtpServer(*me, folder, parameters.ftp_server)
        self.ftp_client = MavlinkFtpClient(*me, parameters.ftp_client, limits.packet_size)
        self.missions = MissionClient(*me, parameters.mission)
        self._add_handlers()

    def submit(self, message: Any, traffic_class: TrafficClass, now: float, **options: Any) -> None:
        """Queue a message; the options are those of `Sender.submit`."""
        self.sender.submit(message, traffic_class, now, **options)

    def command(self, message: Any, now: float, **options: Any) -> PendingCommand:
        """Start a command; the options are those of `CommandTracker.start`."""
        return self.commands.start(message, now, **options)

    def poll(self, now: float) -> list[Frame]:
        """Read, answer, repeat what is due, and send; return the frames that came."""
        self.now = now
        self.commands.poll(now)
        self.files.poll(now)
        self.ftp_server.poll(now)
        self.ftp_client.poll(now)
        self.missions.poll(now)
        return self.connection.poll(now)

    def next_opening(self) -> float | None:
        """Return when the budget lets the next frame leave that waits; None: nothing waits."""
        return self.sender.next_opening(self.now)

    def close(self) -> None:
        """Keep unfinished files for another time, and close the link."""
        self.files.close()
        self.ftp_server.close()
        self.connection.close()

    def _add_handlers(self) -> None:
        add = self.handlers.add
        add(self._to_tracker, "COMMAND_ACK")
        add(self._to_receiver, *_COMMANDS)
        add(self._to_files, *MESSAGES)
        add(self._to_ftp, "FILE_TRANSFER_PROTOCOL")
        add(self._to_missions, *MISSION_MESSAGES)

    def _to_tracker(self, frame: Frame, _: Any) -> None:
        self.commands.handle(*frame[:4], self.now)

    def _to_receiver(self, frame: Frame, _: Any) -> None:
        self.receiver.handle(*frame[:4], self.now)

    def _to_files(self, frame: Frame, _: Any) -> None:
        self.files.handle(*frame[:3], self.now)

    def _to_ftp(self, frame: Frame, _: Any) -> None:
        self.ftp_server.handle(*frame[:3], self.now)
        self.ftp_client.handle(*frame[:3], self.now)

    def _to_missions(self, frame: Frame, _: Any) -> None:
        self.missions.handle(*frame[:3], self.now)


def _with_rate(budget: BudgetParameters, rate: float | None) -> BudgetParameters:
    if budget.rate or not rate:
        return budget
    return replace(budget, rate=rate)
