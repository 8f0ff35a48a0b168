"""Links by their address.

udpin:HOST:PORT     wait for peers (a ground station's usual 14550)
udpout:HOST:PORT    send to one peer
tcp:HOST:PORT       call, and call again when the connection breaks
tcpin:HOST:PORT     be called
serial:PATH:BAUD    a serial port; PATH may be a pattern, /dev/ttyACM*
thin:LINK?size=100&up=1000&down=8000
                    any of these, so thin; rates in bytes per second, 0 is no limit
bad:LINK?loss=0.2&delay=0.05&seed=1
                    any of these with what is sent spoilt (`channel.Conditions`), for trials
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from mavlink_bridge.links.bad_link import BadLink, BadOptions
from mavlink_bridge.links.link import Link, LinkError
from mavlink_bridge.links.serial import serial_link
from mavlink_bridge.links.tcp import TcpServer, tcp_client
from mavlink_bridge.links.thin import ThinLink, ThinOptions
from mavlink_bridge.links.udp import UdpListener, UdpSender
from spatial_types.parameters import ParameterError, from_mapping

T = TypeVar("T")

DEFAULT_BAUD = 57600
INTERNET: dict[str, Callable[[str, int], Link]] = {
    "udpin": UdpListener,
    "udpout": UdpSender,
    "tcp": tcp_client,
    "tcpin": TcpServer,
}
# Without a host these listen on all interfaces.
EVERYWHERE = {"udpin": "0.0.0.0", "tcpin": "0.0.0.0"}
WRAPPERS: dict[str, tuple[type[Any], Callable[[Link, Any], Link]]] = {
    "thin": (ThinOptions, ThinLink),
    "bad": (BadOptions, BadLink),
}
KINDS = (*INTERNET, "serial", *WRAPPERS)
HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]+\]|[^:\[\]?/]*):(?P<port>\d{1,5})")


def open_link(url: str) -> Link:
    """Return the link that `url` names, opened or opening itself.

    Raises LinkError, naming the address and what was expected, when it can never work. A peer or
    device that is not there yet is no error.
    """
    kind, colon, rest = url.partition(":")
    if kind in WRAPPERS:
        options_class, wrap = WRAPPERS[kind]
        inner, _, query = rest.rpartition("?") if "?" in rest else (rest, "", "")
        return wrap(open_link(inner), _options(url, options_class, query))
    if not colon or kind not in KINDS:
        raise LinkError(f"link {url!r}: expected one of {', '.join(f'{k}:' for k in KINDS)}")
    if kind == "serial":
        return _serial(url, rest)
    found = HOST_AND_PORT.fullmatch(rest)
    host = found["host"].strip("[]") or EVERYWHERE.get(kind) if found else None
    if found is None or host is None or int(found["port"]) > 65535:
        raise LinkError(f"link {url!r}: expected {kind}:HOST:PORT")
    return INTERNET[kind](host, int(found["port"]))


def _serial(url: str, rest: str) -> Link:
    path, colon, baud = rest.rpartition(":")
    if not colon:
        path, baud = rest, str(DEFAULT_BAUD)
    if not path or not baud.isdigit() or int(baud) == 0:
        raise LinkError(f"link {url!r}: expected serial:PATH:BAUD")
    return serial_link(path, int(baud))


def _options(url: str, options_class: type[T], query: str) -> T:
    values = {}
    for item in filter(None, query.split("&")):
        name, equals, value = item.partition("=")
        if not equals:
            raise LinkError(f"link {url!r}: {item!r}: expected name=value")
        values[name] = _value(value)
    try:
        return from_mapping(options_class, values)
    except ParameterError as error:
        raise LinkError(f"link {url!r}: {error}") from error


def _value(text: str) -> bool | int | float | str:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
