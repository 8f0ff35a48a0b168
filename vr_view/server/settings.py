"""The page server's parameters."""

from __future__ import annotations

from dataclasses import dataclass, field

from spatial_types.parameters import ParameterError, parameter

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class AccessSettings:
    """Who may open the page."""

    folder: str = parameter(
        "~/.config/truthbed/vr_page",
        "private folder of token and certificate; made for its owner alone",
    )
    token_on_loopback: bool = parameter(
        False, "ask for the token on this machine too (elsewhere it is always asked for)"
    )
    guests: bool = parameter(True, "offer a second link, whose pages can look but not act")
    certificate: str = parameter("", "certificate (PEM) to use; empty: one made for this machine")
    key: str = parameter("", "its private key (PEM)")
    names: tuple[str, ...] = parameter(
        [""], "further host names or addresses for the made certificate"
    )

    def check(self) -> None:
        """Refuse a certificate without its key, and a key without its certificate."""
        if bool(self.certificate) != bool(self.key):
            raise ParameterError("access.certificate and access.key: expected both or neither")


@dataclass(frozen=True)
class Limits:
    """What one page may ask of the server."""

    clients: int = parameter(8, "pages at once", minimum=1, maximum=256)
    connections: int = parameter(64, "connections at once", minimum=4, maximum=4096)
    message_bytes: int = parameter(65536, "longest message", unit="B", minimum=1024)
    messages_per_second: float = parameter(
        240.0, "messages from one page; more are dropped", unit="1/s", minimum=1.0
    )
    upload_bytes: int = parameter(16 * 1024 * 1024, "longest file", unit="B", minimum=1)
    actions: int = parameter(8, "actions of one page under way at once", minimum=1)
    heartbeat: float = parameter(
        10.0, "time between signs of life; a page that misses one is gone", unit="s", minimum=0.05
    )
    send_timeout: float = parameter(
        10.0, "a page that reads nothing for so long is gone", unit="s", minimum=0.05
    )


@dataclass(frozen=True)
class ServerSettings:
    """Where the page is served, to whom, and how much of it."""

    host: str = parameter("127.0.0.1", "address to listen on; 0.0.0.0: the whole network, by https")
    port: int = parameter(8770, "its port; 0: any free one", minimum=0, maximum=65535)
    page: str = parameter("", "folder of the built page; empty: the installed one", unit="")
    access: AccessSettings = field(default_factory=AccessSettings)
    limits: Limits = field(default_factory=Limits)

    @property
    def is_local(self) -> bool:
        """True where only this machine can connect."""
        return self.host in LOOPBACK

    def check(self) -> None:
        """Check what the parts refuse."""
        self.access.check()
