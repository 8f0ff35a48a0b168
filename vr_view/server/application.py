"""The one port's requests: page, scene, meshes, files for the drone, the socket."""

from __future__ import annotations

import hashlib
import html
import json
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from vr_view.server.access import PILOT, Access
from vr_view.server.assets import CONTENT_TYPES, Assets
from vr_view.server.hub import Hub
from vr_view.server.session import CLOSING_TIMEOUT, TOO_MANY, Session
from vr_view.server.settings import Limits
from vr_view.server.uploads import UploadError, Uploads

log = logging.getLogger(__name__)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SESSION_NAME = re.compile(r"[A-Za-z0-9_-]{8,64}")
HOST = re.compile(r"[A-Za-z0-9.:\[\]-]+")
PAGE_TYPES = {
    **CONTENT_TYPES,
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
HEADERS = {
    "Cache-Control": "no-cache",  # asked for each time, by ETag: an update is seen at once
    "Content-Security-Policy": (
        "default-src 'self'; connect-src 'self' {sockets}; img-src 'self' blob: data:; "
        "style-src 'self' 'unsafe-inline'; script-src 'self' 'wasm-unsafe-eval'; "
        "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "xr-spatial-tracking=(self), gyroscope=(self), accelerometer=(self)",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
PLAIN_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Truthbed</title>
<body style="font: 16px/1.5 sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em">
<h1>{title}</h1><p>{text}</p></body></html>"""
NO_PAGE = (
    "The page has not been built. In Truthbed's folder, run <code>make page</code>, then load this "
    "again."
)
NO_TOKEN = (
    "This page opens with the link that the server writes into its log when it starts: it ends in "
    "<code>?token=…</code>."
)


class Site:
    """Answers requests; everything on the server's loop."""

    def __init__(
        self,
        access: Access,
        hub: Hub,
        limits: Limits,
        page: Path,
        document: dict[str, Any],
        assets: Assets,
        drone: str = "drone",
    ) -> None:
        """`page` is the folder of the built page, `document` the scene (scene_document)."""
        self.access, self.hub, self.limits, self.page = access, hub, limits, page
        self.uploads = Uploads(limits.upload_bytes)
        self._drone, self._assets = drone, assets
        self._start = secrets.token_hex(8)  # another one after each start of the server
        self._document = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
        self._tag = hashlib.sha256(self._document).hexdigest()[:32]

    def application(self) -> web.Application:
        """Return the application with its routes."""
        application = web.Application(middlewares=[self._guard])
        application.router.add_get("/", self._root)
        application.router.add_get("/scene", self._scene)
        application.router.add_get("/assets/{key}/{path:.+}", self._asset)
        application.router.add_get("/socket", self._socket)
        application.router.add_post("/upload", self._upload)
        application.router.add_get("/{path:.+}", self._file)
        return application

    @property
    def has_page(self) -> bool:
        """Whether the page has been built."""
        return (self.page / "index.html").is_file()

    def cookie(self, request: web.Request) -> str:
        """Return the cookie's name, with the port: all ports of a host share their cookies."""
        return f"truthbed_{request.url.port}"

    # Who may

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await self._guarded(request, handler)
        except web.HTTPException as error:
            response = _page(error.status, error.reason, html.escape(error.text or ""))
        if not response.prepared:
            # Older Safaris do not count a page's own sockets as 'self'.
            known = HOST.fullmatch(request.host)
            sockets = f"ws://{request.host} wss://{request.host}" if known else ""
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value.replace("{sockets}", sockets))
        return response

    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not _has_address(request):
            raise web.HTTPBadRequest(text="Host: expected a name and a port.")
        if not self.access.is_own_host(request.host):
            self._refuse(request, "foreign host name")
            return _page(403, "Not here", "This server is called localhost.")
        is_act = request.method != "GET" or request.path == "/socket"
        if is_act and not self.access.is_own_origin(request.headers):
            self._refuse(request, "request of a foreign site")
            return _page(403, "Not from there", "Only the page of this server may do that.")
        if request.path == "/" and "token" in request.query:
            return self._let_in(request)
        if self._role(request) is None:
            return self._locked(request)
        return await handler(request)

    def _role(self, request: web.Request) -> str | None:
        cookie = request.cookies.get(self.cookie(request))
        return self.access.role(self.access.token_of(request.headers, cookie))

    def _locked(self, request: web.Request) -> web.Response:
        self._refuse(request, "no token, or a wrong one")
        response = _page(401, "Closed", NO_TOKEN)
        response.del_cookie(self.cookie(request))  # an old one must not lock an open server
        return response

    def _let_in(self, request: web.Request) -> web.Response:
        """Take the token out of the address, where it would be seen, into a cookie."""
        token = request.query["token"]
        if self.access.role(token) is None:
            return self._locked(request)
        response = web.Response(status=303, headers={"Location": "/", "Cache-Control": "no-store"})
        response.set_cookie(
            self.cookie(request),
            token,
            max_age=30 * 24 * 3600,
            httponly=True,
            secure=request.secure,
            samesite="Strict",
            path="/",
        )
        return response

    def _refuse(self, request: web.Request, reason: str) -> None:
        self.hub.outside.refused("requests", f"{reason} (from {request.remote})")

    # What is there

    async def _root(self, request: web.Request) -> web.StreamResponse:
        if not self.has_page:
            return _page(503, "No page yet", NO_PAGE)
        return self._page_file("index.html")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        return self._page_file(request.match_info["path"])

    def _page_file(self, path: str) -> web.StreamResponse:
        folder = self.page.resolve()
        try:
            file = (folder / path).resolve()
            is_there = file.is_relative_to(folder) and file.is_file()
        except (OSError, ValueError):
            is_there = False
        if not is_there or file.suffix not in PAGE_TYPES:
            raise web.HTTPNotFound(text="There is no such file.")
        return web.FileResponse(file, headers={"Content-Type": PAGE_TYPES[file.suffix]})

    async def _scene(self, request: web.Request) -> web.StreamResponse:
        tag = f'"{self._tag}"'
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304, headers={"ETag": tag})
        response = web.Response(
            body=self._document, content_type="application/json", headers={"ETag": tag}
        )
        response.enable_compression()
        return response

    async def _asset(self, request: web.Request) -> web.StreamResponse:
        file = self._assets.file(request.match_info["key"], request.match_info["path"])
        if file is None:
            raise web.HTTPNotFound(text="There is no such file.")
        return web.FileResponse(file, headers={"Content-Type": CONTENT_TYPES[file.suffix.lower()]})

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        if self._role(request) != PILOT:
            raise web.HTTPForbidden(text="Guests can only look.")
        try:
            name = request.query.get("name", "")
            pieces = request.content.iter_chunked(65536)
            key, upload = await self.uploads.take(name, pieces, request.content_length)
        except UploadError as error:
            return web.json_response({"error": str(error)}, status=400)
        return web.json_response({"upload": key, "size": upload.size})

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        asked = request.query.get("session", "")
        name = asked if SESSION_NAME.fullmatch(asked) else secrets.token_urlsafe(12)
        limits = self.limits
        socket = web.WebSocketResponse(
            heartbeat=limits.heartbeat,
            max_msg_size=limits.message_bytes,
            compress=False,
            timeout=CLOSING_TIMEOUT,
        )
        if not socket.can_prepare(request).ok:
            raise web.HTTPBadRequest(text="This is a WebSocket.")
        await socket.prepare(request)
        role = self._role(request)
        if request.transport is None or role is None:
            return socket
        session = Session(name, role, socket, request.transport, self.hub, self.uploads)
        if not self.hub.has_room(session.key):
            await socket.close(code=TOO_MANY, message=b"too many pages are open")
            return socket
        session.say(session.hello(self._start, self._drone))
        self.hub.add(session)
        try:
            await session.run()
        finally:
            self.hub.remove(session)
        return socket


def _has_address(request: web.Request) -> bool:
    """Tell whether the Host header makes an address: aiohttp passes any on."""
    try:
        return request.url.port is not None
    except ValueError:
        return False


def _page(status: int, title: str, text: str) -> web.Response:
    body = PLAIN_PAGE.format(title=html.escape(title), text=text)
    return web.Response(status=status, text=body, content_type="text/html")
