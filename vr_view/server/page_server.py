"""The server as a whole, on a thread with a loop of its own."""

from __future__ import annotations

import asyncio
import datetime
import logging
import ssl
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from vr_view.server.access import Access, Tokens, load_tokens
from vr_view.server.application import Site
from vr_view.server.assets import Assets
from vr_view.server.certificates import (
    certificate_file,
    fingerprint,
    network_addresses,
    own_names,
    ssl_context,
)
from vr_view.server.hub import Hub
from vr_view.server.listener import Listener, bound_socket
from vr_view.server.private_folder import open_private_folder
from vr_view.server.settings import ServerSettings

START_TIMEOUT = 20.0  # s
CLOSE_TIMEOUT = 5.0  # s


LOG = logging.getLogger(__name__)


def _is_ours(record: logging.LogRecord) -> bool:
    """Tell whether it is not about a stranger's bytes, which aiohttp cannot read as a request."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)


LOG.addFilter(_is_ours)


@dataclass(frozen=True)
class Door:
    """What is needed to let people in: tokens, and TLS beyond this machine."""

    access: Access
    context: ssl.SSLContext | None
    fingerprint: str = ""


def make_door(settings: ServerSettings) -> Door:
    """Return who is let in and how; PrivateFolderError where private files are not private.

    Nothing is written for a server that only this machine can reach and that asks for no token.
    """
    access = settings.access
    is_open = settings.is_local and not access.token_on_loopback
    if is_open:
        return Door(Access(Tokens("", ""), True, True), None)
    folder = open_private_folder(access.folder)
    made = Access(load_tokens(folder, access.guests), False, settings.is_local)
    if settings.is_local:
        return Door(made, None)
    if access.certificate:
        certificate = Path(access.certificate).expanduser()
        context = ssl_context(certificate, Path(access.key).expanduser())
    else:
        now = datetime.datetime.now(datetime.timezone.utc)
        certificate = certificate_file(folder, own_names(access.names), now)
        context = ssl_context(certificate)
    return Door(made, context, fingerprint(certificate))


class PageServer:
    """Serves the page from `start` to `close`. Made on any thread; it runs on its own."""

    def __init__(
        self,
        settings: ServerSettings,
        door: Door,
        hub: Hub,
        page: Path,
        scene: tuple[dict[str, Any], Assets],
        drone: str = "drone",
    ) -> None:
        """Open the port (OSError where it is taken); `scene` is the document and its files."""
        self._settings, self._door, self.hub = settings, door, hub
        document, assets = scene
        self.site = Site(door.access, hub, settings.limits, page, document, assets, drone)
        self._socket = bound_socket(settings.host, settings.port)
        self.port: int = self._socket.getsockname()[1]
        self._ready, self._stop = threading.Event(), asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="page server", daemon=True)

    def start(self) -> None:
        """Begin to serve; raises what went wrong."""
        self._thread.start()
        self._ready.wait(START_TIMEOUT)
        if self.error is not None:
            raise RuntimeError("the page server broke down") from self.error

    def close(self) -> None:
        """End all sessions and the thread."""
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(CLOSE_TIMEOUT)
        self._socket.close()
        self.site.uploads.close()

    def links(self) -> list[str]:
        """Return the addresses under which a pilot may open the page, with the token."""
        return [self._link(host, self._door.access.tokens.pilot) for host in self._hosts()]

    @property
    def fingerprint(self) -> str:
        """The certificate's SHA-256 fingerprint, empty without one."""
        return self._door.fingerprint

    def guest_link(self) -> str:
        """Return the link for guests, empty where none are let in."""
        token = self._door.access.tokens.guest
        return self._link(self._hosts()[0], token) if token else ""

    def local_link(self) -> str:
        """Return a pilot's link for this machine, by plain http: a browser allows VR there too."""
        return self._link("localhost", self._door.access.tokens.pilot, "http")

    def _hosts(self) -> list[str]:
        if self._settings.is_local:
            return ["localhost"]
        if self._settings.host in ("0.0.0.0", "::", ""):
            return network_addresses() or ["localhost"]
        return [self._settings.host]

    def _link(self, host: str, token: str, scheme: str = "") -> str:
        scheme = scheme or ("https" if self._door.context else "http")
        name = f"[{host}]" if ":" in host else host
        return f"{scheme}://{name}:{self.port}/" + (f"?token={token}" if token else "")

    def _work(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # told by whoever owns the server
            self.error = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        runner = web.AppRunner(
            self.site.application(),
            access_log=None,
            handle_signals=False,
            shutdown_timeout=2.0,
            logger=LOG,
        )
        await runner.setup()
        server = runner.server
        assert server is not None
        limit = self._settings.limits.connections
        listener = Listener(
            self._socket,
            server,
            self._door.context,
            lambda greeting: greeting + len(server.connections) < limit,
        )
        self.hub.start()
        accepting = asyncio.ensure_future(listener.serve())
        self._ready.set()
        try:
            stop = asyncio.ensure_future(self._stop.wait())
            await asyncio.wait({accepting, stop}, return_when=asyncio.FIRST_COMPLETED)
            if accepting.done():
                accepting.result()
        finally:
            accepting.cancel()
            await listener.close()
            await self.hub.stop()
            await runner.cleanup()
