"""TCP both ways: `tcp:` calls, `tcpin:` is called, by several if they come."""

from __future__ import annotations

import errno
import os
import socket

from mavlink_bridge.links.buffered_stream import BufferedStream, StreamClosedError
from mavlink_bridge.links.link import LinkError, LinkLimits, LinkStatistics
from mavlink_bridge.links.piece import Piece
from mavlink_bridge.links.reconnecting import LOOK_AGAIN, ReconnectingLink

BUFFER = 65536
MOST_CLIENTS = 16
STREAM = LinkLimits(keeps_packets=False)
# A peer that vanished without a word is noticed after this many seconds of unacknowledged data.
DEAD_AFTER = 10


class SocketStream:
    """A connected socket as a `ByteStream`."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in (("TCP_USER_TIMEOUT", 1000 * DEAD_AFTER), ("TCP_KEEPIDLE", 5)):
            if hasattr(socket, option):
                connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
        self._socket = connected
        self.fileno = connected.fileno
        self.read = connected.recv
        self.close = connected.close

    def write(self, data: bytes) -> int:
        """Write what fits."""
        return self._socket.send(data)


class TcpOpener:
    """Connects without waiting for the other end."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._half_open: socket.socket | None = None
        self._address: object = None

    def open(self) -> SocketStream | None:
        """Start, or look whether the other end has answered."""
        if self._half_open is None:
            family, kind, protocol, _, self._address = socket.getaddrinfo(
                self._host, self._port, type=socket.SOCK_STREAM
            )[0]
            self._half_open = socket.socket(family, kind, protocol)
            self._half_open.setblocking(False)
        error = self._half_open.connect_ex(self._address)  # type: ignore[arg-type]
        if error in (0, errno.EISCONN):
            stream, self._half_open = SocketStream(self._half_open), None
            return stream
        if error in (errno.EINPROGRESS, errno.EALREADY, errno.EWOULDBLOCK):
            return None
        self.close()
        raise OSError(error, os.strerror(error))

    def close(self) -> None:
        """Stop connecting."""
        if self._half_open is not None:
            self._half_open.close()
            self._half_open = None


def tcp_client(host: str, port: int) -> ReconnectingLink:
    """Return a link that calls host and port, and calls again whenever the connection breaks."""
    return ReconnectingLink(f"tcp:{host}:{port}", TcpOpener(host, port), BUFFER, STREAM)


class TcpServer:
    """Takes calls, and sends to all who have called."""

    def __init__(self, host: str, port: int) -> None:
        self.name = f"tcpin:{host}:{port}"
        self.statistics = LinkStatistics()
        self.limits = STREAM
        self._clients: dict[int, BufferedStream] = {}
        self._next = float("-inf")
        self._count = 0
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            self._listener = socket.socket(family, kind, protocol)
            self._listener.setblocking(False)
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind(address)
            self._listener.listen()
        except OSError as error:
            raise LinkError(f"{self.name}: {error}") from error

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that clients reach."""
        host, port = self._listener.getsockname()[:2]
        return host, port

    @property
    def connected(self) -> bool:
        """Whether anybody has called."""
        return bool(self._clients)

    def send(self, packet: bytes, now: float) -> None:
        """Send to every client; one that does not keep up loses packets of its own."""
        self._accept()
        if not self._clients:
            self.statistics.dropped(packet, "nobody has connected")
        for number, client in list(self._clients.items()):
            try:
                client.send(packet)
            except StreamClosedError as error:
                self._lost(number, str(error))
        self._next = now + LOOK_AGAIN

    def receive(self, now: float) -> list[bytes]:
        """Return what has come, each piece marked with its client."""
        self._accept()
        pieces: list[bytes] = []
        for number, client in list(self._clients.items()):
            try:
                client.flush()
                pieces += [Piece(data, number) for data in client.receive()]
            except StreamClosedError as error:
                self._lost(number, str(error))
        self._next = now + LOOK_AGAIN
        return pieces

    def files(self) -> list[int]:
        """Return the listener's and the clients' descriptors."""
        return [self._listener.fileno(), *(client.fileno() for client in self._clients.values())]

    def next_time(self) -> float | None:
        """Return when to write what some client has not taken."""
        return self._next if any(client.waiting for client in self._clients.values()) else None

    def close(self) -> None:
        """Close the listener and all clients."""
        self._listener.close()
        for number in list(self._clients):
            self._lost(number, "closed")

    def _accept(self) -> None:
        while len(self._clients) < MOST_CLIENTS:
            try:
                client, _ = self._listener.accept()
                stream = SocketStream(client)
            except BlockingIOError:
                return
            except OSError as error:
                self.statistics.last_error = str(error)
                return
            self._count += 1
            self.statistics.connections += 1
            self._clients[self._count] = BufferedStream(stream, self.statistics, BUFFER)

    def _lost(self, number: int, reason: str) -> None:
        self._clients.pop(number).close()
        self.statistics.last_error = reason
