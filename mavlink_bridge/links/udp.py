"""UDP: `udpin:` waits for peers and learns their addresses, `udpout:` knows its one peer."""

from __future__ import annotations

import socket
from typing import Any

from mavlink_bridge.links.link import LinkError, LinkLimits, LinkStatistics
from mavlink_bridge.links.piece import Piece

LARGEST_DATAGRAM = 65535
# So that a flood cannot keep one call from returning.
MOST_DATAGRAMS_AT_ONCE = 512
RECEIVE_BUFFER = 1 << 20
MOST_PEERS = 16


def udp_socket(host: str, port: int, name: str) -> tuple[socket.socket, Any]:
    """Return a socket that does not wait, and the address; LinkError when there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_DGRAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise LinkError(f"{name}: {host!r} is no address: {error}") from error
    made = socket.socket(family, kind, protocol)
    made.setblocking(False)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    return made, address


class UdpListener:
    """Sends to every peer that was heard within `peer_timeout` seconds.

    So two ground stations may listen to one drone, and a peer that comes back under another port
    is found again by its first packet.
    """

    def __init__(self, host: str, port: int, peer_timeout: float = 60.0) -> None:
        self.name = f"udpin:{host}:{port}"
        self.statistics = LinkStatistics()
        self.limits = LinkLimits()
        self._timeout = peer_timeout
        self._peers: dict[Any, float] = {}
        self._socket, address = udp_socket(host, port, self.name)
        try:
            self._socket.bind(address)
        except OSError as error:
            self._socket.close()
            raise LinkError(f"{self.name}: {error}") from error

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that peers reach; the port is the system's choice where 0 was asked for."""
        host, port = self._socket.getsockname()[:2]
        return host, port

    @property
    def connected(self) -> bool:
        """Whether any peer is known."""
        return bool(self._peers)

    def send(self, packet: bytes, now: float) -> None:
        """Send to every known peer."""
        self._forget_old(now)
        if not self._peers:
            self.statistics.dropped(packet, "no peer yet")
            return
        for peer in self._peers:
            try:
                self._socket.sendto(packet, peer)
                self.statistics.sent(packet)
            except OSError as error:
                self.statistics.dropped(packet, str(error))

    def receive(self, now: float) -> list[bytes]:
        """Return the datagrams that came, each marked with its peer."""
        pieces: list[bytes] = []
        for _ in range(MOST_DATAGRAMS_AT_ONCE):
            try:
                data, peer = self._socket.recvfrom(LARGEST_DATAGRAM)
            except BlockingIOError:
                break
            except OSError as error:  # a peer's host refused an earlier packet; others may live
                self.statistics.last_error = str(error)
                continue
            self._learn(peer, now)
            self.statistics.received(data)
            pieces.append(Piece(data, peer))
        return pieces

    def _learn(self, peer: Any, now: float) -> None:
        if peer not in self._peers:
            if len(self._peers) >= MOST_PEERS:
                del self._peers[min(self._peers, key=self._peers.__getitem__)]
            self.statistics.connections += 1
        self._peers[peer] = now

    def _forget_old(self, now: float) -> None:
        old = [peer for peer, heard in self._peers.items() if now - heard > self._timeout]
        for peer in old:
            del self._peers[peer]

    def files(self) -> list[int]:
        """Return the socket's descriptor."""
        return [self._socket.fileno()]

    def next_time(self) -> float | None:
        """Return None: it needs no polling."""
        return None

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class UdpSender:
    """Sends to one address and hears only that one, so a stranger cannot speak on this link."""

    def __init__(self, host: str, port: int) -> None:
        self.name = f"udpout:{host}:{port}"
        self.statistics = LinkStatistics(connections=1)
        self.limits = LinkLimits()
        self.connected = True
        self._socket, address = udp_socket(host, port, self.name)
        try:
            self._socket.connect(address)
        except OSError as error:
            self._socket.close()
            raise LinkError(f"{self.name}: {error}") from error

    def send(self, packet: bytes, now: float) -> None:
        """Send; while nobody listens there the packet counts as dropped where the host says so."""
        try:
            self._socket.send(packet)
            self.statistics.sent(packet)
        except OSError as error:
            self.statistics.dropped(packet, str(error))

    def receive(self, now: float) -> list[bytes]:
        """Return the datagrams that came."""
        packets: list[bytes] = []
        for _ in range(MOST_DATAGRAMS_AT_ONCE):
            try:
                packets.append(self._socket.recv(LARGEST_DATAGRAM))
            except BlockingIOError:
                break
            except OSError as error:  # "connection refused": nobody listens there at the moment
                self.statistics.last_error = str(error)
                continue
            self.statistics.received(packets[-1])
        return packets

    def files(self) -> list[int]:
        """Return the socket's descriptor."""
        return [self._socket.fileno()]

    def next_time(self) -> float | None:
        """Return None: it needs no polling."""
        return None

    def close(self) -> None:
        """Close the socket."""
        self.connected = False
        self._socket.close()
