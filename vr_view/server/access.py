"""Who is let in: the token in the link, then a cookie; and from which pages requests may come."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from vr_view.server.private_folder import PrivateFolderError, read_private, write_private

PILOT, GUEST = "pilot", "guest"
TOKEN_FILE = "tokens.json"
SHORTEST_TOKEN = 20
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Tokens:
    """What opens the page: for a pilot, and for guests (empty: none are let in)."""

    pilot: str
    guest: str = ""


def load_tokens(folder: Path, guests: bool) -> Tokens:
    """Return the tokens of a private folder, made where they are not there.

    They stay the same, so that a link in a headset works tomorrow; delete the file for new ones.
    Raises PrivateFolderError where the file is not private or holds something else.
    """
    file = folder / TOKEN_FILE
    content = read_private(file)
    if content is None:
        made = {PILOT: secrets.token_urlsafe(24), GUEST: secrets.token_urlsafe(24)}
        write_private(file, json.dumps(made).encode())
        content = json.dumps(made).encode()
    try:
        held = json.loads(content)
        pilot, guest = held[PILOT], held[GUEST]
    except (ValueError, TypeError, KeyError):
        pilot = guest = ""
    for token in (pilot, guest):
        if not isinstance(token, str) or len(token) < SHORTEST_TOKEN or not token.isascii():
            raise PrivateFolderError(
                f"'{file}' holds no tokens: expected {PILOT} and {GUEST}, each of {SHORTEST_TOKEN} "
                "characters or more; delete it to have it made anew"
            )
    return Tokens(pilot, guest if guests else "")


class Access:
    """Decides on roles and origins. With `is_open`, who brings no token is a pilot."""

    def __init__(self, tokens: Tokens, is_open: bool, is_local: bool) -> None:
        """`is_local`: only this machine can connect, so no other host name is ours."""
        self.tokens, self.is_open, self._is_local = tokens, is_open, is_local

    def role(self, token: str | None) -> str | None:
        """Return the role that a token gives, None where it gives none.

        All tokens are compared, each in a time that does not depend on where it differs.
        """
        if token is None:
            return PILOT if self.is_open else None
        given = token.encode(errors="surrogatepass")  # a header may hold any bytes
        is_pilot = hmac.compare_digest(given, self.tokens.pilot.encode())
        is_guest = hmac.compare_digest(given, self.tokens.guest.encode())
        if is_pilot:
            return PILOT
        return GUEST if is_guest and self.tokens.guest else None

    def token_of(self, headers: Mapping[str, str], cookie: str | None) -> str | None:
        """Return the token that a request brings, in its header before its cookie."""
        kind, _, token = headers.get("Authorization", "").partition(" ")
        if kind.lower() == "bearer" and token:
            return token.strip()
        return cookie

    def is_own_host(self, host: str) -> bool:
        """Return whether a Host header means this server.

        On loopback a foreign name would be another site's, pointed at us (DNS rebinding).
        """
        return not self._is_local or _hostname(f"//{host}") in LOCAL_NAMES

    def is_own_origin(self, headers: Mapping[str, str]) -> bool:
        """Return whether a request comes from our own page, or from no page at all.

        Browsers name the origin of every socket and every POST: a foreign site's is refused.
        """
        origin = headers.get("Origin")
        if origin is None:
            return headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        scheme, _, host = origin.partition("://")
        return scheme in ("http", "https") and host == headers.get("Host")


def _hostname(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
