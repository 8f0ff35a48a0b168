"""What no page of ours sends: the server refuses it in words and goes on."""

import json
import logging
import socket

import pytest
from page_servers import LIMIT, base, in_page, open_page, page_server

from vr_view.server.access import Access, Tokens
from vr_view.server.checks import ProtocolError
from vr_view.server.protocol import parse_message
from vr_view.server.uploads import UploadError, checked_name

HUGE = "1" + "0" * 400  # an integer that no float holds
SOCKET = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
SOCKET += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


def status(port, head):
    """Send a request as it is and return the status of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as raw:
        raw.sendall(head.encode("latin-1") + b"\r\n")
        return int(raw.makefile("rb").readline().split()[1])


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("GET / HTTP/1.1\r\nHost: localhost:99999\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: localhost:x\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: [::1\r\n", 403),
        (f"GET /socket HTTP/1.1\r\nHost: localhost\r\nOrigin: http://[\r\n{SOCKET}", 403),
        (f"GET /socket HTTP/1.1\r\nHost: localhost\r\nOrigin: \xff\r\n{SOCKET}", 403),
        ("POST /upload?name=a HTTP/1.1\r\nHost: localhost\r\nOrigin: http://[::\r\n", 403),
        ("GET /scene HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \xff\xfe\r\n", 401),
        ("GET /?token=%ff%00 HTTP/1.1\r\nHost: localhost\r\n", 401),
        ("GET /%00/a.js HTTP/1.1\r\nHost: localhost\r\n", 404),
        (f"GET /{'a/' * 3000}b.js HTTP/1.1\r\nHost: localhost\r\n", 404),
        (f"GET /{'a/' * 5000}b.js HTTP/1.1\r\nHost: localhost\r\n", 400),
        (f"POST /upload?name=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: {10**11}\r\n", 400),
        ("GET /assets/x/..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: localhost\r\n", 404),
        ("GET /socket HTTP/1.1\r\nHost: localhost\r\n", 400),
    ],
)
def test_headers_that_nobody_can_read_are_refused(tmp_path, caplog, head, expected):
    with caplog.at_level(logging.ERROR), page_server(tmp_path) as server:
        assert status(server.port, head) == expected
    assert not caplog.records


@pytest.mark.parametrize("kind", ["ping", "device", "report", "action", "vr", "subscribe"])
def test_numbers_beyond_all_floats_are_refused(kind):
    number = json.loads(HUGE)
    fields = {"t": number, "round_trip": number, "rate": number, "topics": {"/tf": number}}
    message = {"type": kind, "id": number, "name": "drone.land", "active": True, **fields}
    with pytest.raises(ProtocolError):
        parse_message(json.dumps(message))


def test_a_page_that_sends_nonsense_keeps_its_socket(tmp_path):
    nonsense = [f'{{"type":"ping","t":{HUGE}}}', "[" * 5000, '{"type":[]}', "\x00", "null"]
    nonsense += ['{"type":"action","id":1e999,"name":"drone.land"}', '{"type":"vr","active":1}']

    async def work(http):
        async with open_page(http, server) as page:
            for line in nonsense:
                await page.socket.send_str(line)
            await page.socket.send_bytes(b"\xff" * 1000)
            await page.socket.send_str('{"type":"ping","t":5}')
            assert (await page.next("pong"))["t"] == 5

    with page_server(tmp_path) as server:
        in_page(work)


def test_names_of_files_are_measured_in_bytes(tmp_path):
    checked_name("é" * 100)
    with pytest.raises(UploadError, match="name"):
        checked_name("\N{AIRPLANE}" * 100)

    async def work(http):
        target = f"{base(server)}/upload"
        async with http.post(target, params={"name": "✈" * 100}, data=b"1") as answer:
            assert answer.status == 400
            assert "name" in (await answer.json())["error"]

    with page_server(tmp_path) as server:
        in_page(work)


def test_a_disk_that_takes_nothing_is_told(tmp_path):
    async def work(http):
        server.site.uploads.close()  # its folder is gone
        async with http.post(f"{base(server)}/upload", params={"name": "a"}, data=b"1") as answer:
            assert answer.status == 400
            assert "cannot be stored" in (await answer.json())["error"]

    with page_server(tmp_path) as server:
        in_page(work)


def test_a_token_of_any_characters_is_only_wrong():
    access = Access(Tokens("p" * 24), is_open=False, is_local=True)
    assert access.role("\udcff\ud800") is None
