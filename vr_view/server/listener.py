"""One port for https and for those who come with plain http.

The first byte of a connection tells TLS from HTTP. On a port with TLS, plain HTTP is answered from
this machine (a headset that comes through `adb reverse` is that too) and led on to https from
elsewhere, so that nobody sees an empty page for a missing letter.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import socket
import ssl
from collections.abc import Callable

TLS_HANDSHAKE = 0x16
GREETING_TIMEOUT = 10.0  # s until the first byte and the handshake
LONGEST_GREETING = 4096
PLAIN_TARGET = re.compile(rb"[A-Z]+ (/[A-Za-z0-9._~/-]*)")
PLAIN_HOST = re.compile(rb"\r\nhost:[ \t]*([A-Za-z0-9.:\[\]-]+)\r\n", re.IGNORECASE)


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; OSError where the address is not ours or the port is taken."""
    family, kind, number, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    made = socket.socket(family, kind, number)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(64)
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made


class Listener:
    """Takes connections and hands each to the web server, with TLS or without."""

    def __init__(
        self,
        listening: socket.socket,
        protocol: Callable[[], asyncio.Protocol],
        context: ssl.SSLContext | None,
        has_room: Callable[[int], bool],
    ) -> None:
        """`has_room(n)`: whether one more connection may come while n are still greeting."""
        self._socket, self._protocol, self._context = listening, protocol, context
        self._has_room = has_room
        self._greeting: set[asyncio.Task[None]] = set()
        self.refused = 0

    async def serve(self) -> None:
        """Accept connections until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(self._socket)
            except OSError:  # out of file descriptors, or gone before it was accepted
                await asyncio.sleep(0.1)
                continue
            if not self._has_room(len(self._greeting)):
                self.refused += 1
                connection.close()
                continue
            task = asyncio.ensure_future(self._greet(connection, address[0]))
            self._greeting.add(task)
            task.add_done_callback(self._greeting.discard)

    async def close(self) -> None:
        """Stop listening, and forget those who are still greeting."""
        self._socket.close()
        for task in list(self._greeting):
            task.cancel()
        await asyncio.gather(*self._greeting, return_exceptions=True)

    async def _greet(self, connection: socket.socket, peer: str) -> None:
        """Find out what the other side speaks, and hand it on; a slow or broken one is closed."""
        connection.setblocking(False)
        handed_on = False
        try:
            # Small messages go out at once: a pose waits for no other.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            first = await asyncio.wait_for(_peek(connection), GREETING_TIMEOUT)
            context = self._context if first == TLS_HANDSHAKE else None
            if self._context is not None and context is None and not _is_loopback(peer):
                await asyncio.wait_for(_lead_to_https(connection), GREETING_TIMEOUT)
            elif first is not None:
                handed_on = True
                await self._hand_on(connection, context)
        except (OSError, ssl.SSLError, asyncio.TimeoutError):
            self.refused += 1
        finally:
            if not handed_on:
                connection.close()

    async def _hand_on(self, connection: socket.socket, context: ssl.SSLContext | None) -> None:
        loop = asyncio.get_running_loop()
        timeout = GREETING_TIMEOUT if context is not None else None
        await loop.connect_accepted_socket(
            self._protocol, connection, ssl=context, ssl_handshake_timeout=timeout
        )


async def _peek(connection: socket.socket) -> int | None:
    """Return the first byte without taking it, None where the other side has closed."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(connection.fileno(), _set, ready)
    try:
        await ready
    finally:
        loop.remove_reader(connection.fileno())
    first = connection.recv(1, socket.MSG_PEEK)
    return first[0] if first else None


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def _lead_to_https(connection: socket.socket) -> None:
    """Answer a plain request with the same address in https; the token, if any, is left out."""
    loop = asyncio.get_running_loop()
    request = b""
    while b"\r\n\r\n" not in request and len(request) < LONGEST_GREETING:
        piece = await loop.sock_recv(connection, LONGEST_GREETING)
        if not piece:
            return
        request += piece
    target, host = PLAIN_TARGET.match(request), PLAIN_HOST.search(request)
    if target is None or host is None:
        return
    where = b"https://" + host.group(1) + target.group(1)
    text = b"This port speaks https.\n"
    answer = (
        b"HTTP/1.1 307 Use https\r\nLocation: %s\r\nContent-Type: text/plain\r\n"
        b"Content-Length: %d\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n%s"
    )
    with contextlib.suppress(OSError):
        await loop.sock_sendall(connection, answer % (where, len(text), text))
        connection.shutdown(socket.SHUT_WR)


def _is_loopback(peer: str) -> bool:
    try:
        return ipaddress.ip_address(peer.partition("%")[0]).is_loopback
    except ValueError:
        return False
