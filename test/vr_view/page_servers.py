"""A page server on a free port with a stand-in for ROS, and a page's end of the socket."""

import asyncio
import contextlib
import json
import struct
import threading
import time
from pathlib import Path

import aiohttp

from vr_view.server.assets import Assets
from vr_view.server.hub import Hub
from vr_view.server.outside import Outcome
from vr_view.server.page_server import PageServer, make_door
from vr_view.server.settings import AccessSettings, Limits, ServerSettings
from vr_view.server.topics import TopicSpec, TransformTopic

LIMIT = 60.0  # s that a test waits for something at most
SPECS = [
    TopicSpec("/tf", "tf", 100.0),
    TopicSpec("/status", "status", 100.0),
    TopicSpec("/scan", "scan", 100.0),
    TopicSpec("/image", "image", 0.0),
]


class RecordingOutside:
    """Notes what reaches it; actions wait for `gate` and answer with their name."""

    def __init__(self):
        self.actions, self.devices, self.eye_reports, self.refusals = [], [], [], []
        self.ended, self.sessions_ended = 0, []
        self.gate = None

    async def act(self, session, action, upload):
        self.actions.append((action, upload))
        if self.gate is not None:
            await self.gate.wait()
        if action.name == "drone.land":
            raise RuntimeError("no drone")
        return Outcome(True, f"{action.name} done")

    def device(self, device, age):
        self.devices.append((device, age))

    def eyes(self, eyes):
        self.eye_reports.append(eyes)

    def device_ended(self):
        self.ended += 1

    def session_ended(self, session):
        self.sessions_ended.append(session)

    def refused(self, what, reason):
        self.refusals.append((what, reason))


@contextlib.contextmanager
def page_server(
    tmp_path,
    host="127.0.0.1",
    limits=None,
    page=None,
    assets=None,
    specs=SPECS,
    document=None,
    port=0,
    makers=None,
    **access,
):
    """Yield a running server; its files are below `tmp_path`."""
    settings = ServerSettings(
        host=host,
        port=port,
        access=AccessSettings(folder=str(tmp_path / "private"), **access),
        limits=limits or Limits(),
    )
    hub = Hub(
        specs, makers or {"tf": TransformTopic}, RecordingOutside(), settings.limits, time.monotonic
    )
    document = document or {"format": 1, "name": "test", "models": []}
    scene = (document, assets or Assets())
    server = PageServer(settings, make_door(settings), hub, page or tmp_path / "page", scene)
    try:
        server.start()
        yield server
    finally:
        server.close()
    assert server.error is None
    assert threading.active_count() < 50


def token(tmp_path, role="pilot"):
    return json.loads((Path(tmp_path) / "private/tokens.json").read_text())[role]


def base(server, scheme="http", host="localhost"):
    return f"{scheme}://{host}:{server.port}"


def in_page(work):
    """Run `work(http)` with an HTTP client that keeps cookies and trusts any certificate."""

    async def run():
        connector = aiohttp.TCPConnector(ssl=False)
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=jar) as http:
            return await asyncio.wait_for(work(http), LIMIT)

    return asyncio.run(run())


class Page:
    """A page's socket."""

    def __init__(self, socket):
        self.socket, self.passed_over = socket, []

    async def send(self, kind, **fields):
        await self.socket.send_str(json.dumps({"type": kind, **fields}))

    async def next(self, kind=None, **fields):
        """Return the next message that fits, as a dict; others are kept for later."""
        for message in self.passed_over:
            if _fits(message, kind, fields):
                self.passed_over.remove(message)
                return message
        while True:
            message = await self._receive()
            if _fits(message, kind, fields):
                return message
            self.passed_over.append(message)

    async def _receive(self):
        message = await asyncio.wait_for(self.socket.receive(), LIMIT)
        if message.type is aiohttp.WSMsgType.TEXT:
            return json.loads(message.data)
        if message.type is aiohttp.WSMsgType.BINARY:
            (length,) = struct.unpack_from("<I", message.data)
            header = json.loads(message.data[4 : 4 + length])
            return {"type": "binary", **header, "payload": message.data[4 + length :]}
        raise ConnectionError(f"closed with {self.socket.close_code}")

    async def end(self):
        """Return the code with which the server closes; 1006 where it cuts the connection."""
        while True:
            message = await asyncio.wait_for(self.socket.receive(), LIMIT)
            if message.type is aiohttp.WSMsgType.CLOSE:
                return message.data
            if message.type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR):
                return self.socket.close_code


def _fits(message, kind, fields):
    return kind in (None, message["type"]) and fields.items() <= message.items()


@contextlib.asynccontextmanager
async def open_page(http, server, session="", scheme="http", host="localhost", **options):
    url = f"{base(server, scheme, host)}/socket?session={session}"
    async with http.ws_connect(url, **options) as socket:
        page = Page(socket)
        page.hello = await page.next("hello")
        yield page


async def until(condition):
    """Wait for a condition that another thread brings about."""

    async def look():
        while not condition():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(look(), LIMIT)
