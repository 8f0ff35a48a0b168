"""Who is let in to the page, and what one page can do to the others."""

import asyncio
import contextlib
import datetime
import json
import socket
import stat

import aiohttp
import pytest
from page_servers import (
    LIMIT,
    base,
    in_page,
    open_page,
    page_server,
    token,
    until,
)

from vr_view.server.access import Access, Tokens, load_tokens
from vr_view.server.certificates import certificate_file, fingerprint
from vr_view.server.private_folder import PrivateFolderError, open_private_folder
from vr_view.server.settings import Limits

NOW = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


async def status_of_socket(http, server, scheme="http", host="localhost", **options):
    """Return the HTTP status with which a socket is refused."""
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        async with http.ws_connect(f"{base(server, scheme, host)}/socket", **options):
            pass
    return refused.value.status


def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}


def test_the_link_lets_in_and_the_token_leaves_the_address(tmp_path):
    async def work(http):
        assert await status_of_socket(http, server) == 401
        for path in ("/", "/scene", "/assets/a/b.png", "/app.js"):
            async with http.get(base(server) + path) as answer:
                assert answer.status == 401, path
        (link,) = server.links()
        assert token(tmp_path) in link
        async with http.get(link, allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, "/")
            cookie = answer.headers["Set-Cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
        async with http.get(f"{base(server)}/scene") as answer:
            assert answer.status == 200
        async with open_page(http, server) as page:
            assert page.hello["role"] == "pilot"

    with page_server(tmp_path, token_on_loopback=True) as server:
        in_page(work)


@pytest.mark.parametrize("secret", ["", "x", "wrong" * 8, "tökén"])
def test_a_wrong_token_is_refused(tmp_path, secret):
    async def work(http):
        async with http.get(base(server), params={"token": secret}) as answer:
            assert answer.status == 401
        coded = secret.encode().decode("latin-1")
        assert await status_of_socket(http, server, headers=bearer(coded)) == 401

    with page_server(tmp_path, token_on_loopback=True) as server:
        in_page(work)
    assert all(secret not in reason for _, reason in server.hub.outside.refusals if secret)


def test_a_guest_looks_and_does_nothing(tmp_path):
    async def work(http):
        headers = bearer(token(tmp_path, "guest"))
        async with open_page(http, server, headers=headers) as page:
            assert page.hello["role"] == "guest"
            assert page.hello["actions"] == []
            server.hub.put("/status", {"text": "tracking"})
            await page.next("topic", topic="/status")
            await page.send("action", id=1, name="drone.arm", arguments={"on": True})
            assert not (await page.next("result"))["ok"]
            await page.send("device", t=0, head=[0, 0, 0, 0, 0, 0, 1])
            assert "guest" in (await page.next("error"))["text"]
        url = f"{base(server)}/upload?name=a"
        async with http.post(url, data=b"x", headers=headers) as answer:
            assert answer.status == 403

    with page_server(tmp_path, token_on_loopback=True) as server:
        in_page(work)
    assert server.hub.outside.actions == []
    assert server.hub.outside.devices == []


def test_without_guests_their_token_opens_nothing(tmp_path):
    async def work(http):
        headers = bearer(token(tmp_path, "guest"))
        assert await status_of_socket(http, server, headers=headers) == 401
        assert await status_of_socket(http, server, headers=bearer(" ")) == 401

    with page_server(tmp_path, token_on_loopback=True, guests=False) as server:
        assert server.guest_link() == ""
        in_page(work)


def test_a_foreign_site_gets_no_socket_and_hands_over_no_file(tmp_path):
    async def work(http):
        for origin in ("https://evil.example", "null", f"http://evil.example:{server.port}"):
            headers = {"Origin": origin}
            assert await status_of_socket(http, server, headers=headers) == 403
            url = f"{base(server)}/upload?name=a"
            async with http.post(url, data=b"x", headers=headers) as answer:
                assert answer.status == 403
        async with open_page(http, server, headers={"Origin": base(server)}) as page:
            assert page.hello["role"] == "pilot"

    with page_server(tmp_path) as server:
        in_page(work)


def test_a_foreign_name_that_is_pointed_at_this_machine_is_refused(tmp_path):
    async def work(http):
        for path in ("/", "/scene"):
            async with http.get(base(server) + path, headers={"Host": "evil.example"}) as answer:
                assert answer.status == 403

    with page_server(tmp_path) as server:
        in_page(work)


def test_beyond_this_machine_it_is_https_with_socket_and_page_on_one_port(tmp_path):
    async def work(http):
        secret = token(tmp_path)
        url = base(server, "https")
        async with http.get(f"{url}/scene") as answer:
            assert answer.status == 401
        async with http.get(f"{url}/?token={secret}", allow_redirects=False) as answer:
            assert "Secure" in answer.headers["Set-Cookie"]
        async with http.get(f"{url}/scene") as answer:
            assert answer.status == 200
        async with open_page(http, server, scheme="https") as page:
            assert page.hello["role"] == "pilot"

    with page_server(tmp_path, host="0.0.0.0") as server:
        assert all(link.startswith("https://") for link in server.links())
        in_page(work)


def test_a_headset_behind_adb_reverse_needs_no_trusted_certificate(tmp_path):
    """It comes from this machine, where plain http is as private and browsers allow VR."""

    async def work(http):
        headers = bearer(token(tmp_path))
        assert await status_of_socket(http, server) == 401
        async with open_page(http, server, headers=headers) as page:
            assert page.hello["role"] == "pilot"

    with page_server(tmp_path, host="0.0.0.0") as server:
        in_page(work)


def test_plain_http_from_elsewhere_is_led_to_https(tmp_path, monkeypatch):
    monkeypatch.setattr("vr_view.server.listener._is_loopback", lambda peer: False)

    async def work(http):
        url = f"{base(server)}/scene?token=secret"
        async with http.get(url, allow_redirects=False) as answer:
            assert answer.status == 307
            assert answer.headers["Location"] == f"{base(server, 'https')}/scene"

    with page_server(tmp_path, host="0.0.0.0") as server:
        in_page(work)
        with socket.create_connection(("127.0.0.1", server.port), LIMIT) as broken:
            broken.sendall(b"\r\n\r\nGET\0")
            broken.settimeout(LIMIT)
            assert broken.recv(100) == b""


def test_more_pages_than_allowed_are_told_so(tmp_path):
    async def work(http):
        async with open_page(http, server), open_page(http, server):
            url = f"{base(server)}/socket"
            async with http.ws_connect(url) as third:
                message = await asyncio.wait_for(third.receive(), LIMIT)
                assert message.type is aiohttp.WSMsgType.CLOSE
                assert third.close_code == 4002
        await until(lambda: not server.hub.sessions)
        async with open_page(http, server) as page:
            assert page.hello["role"] == "pilot"

    with page_server(tmp_path, limits=Limits(clients=2)) as server:
        in_page(work)


def test_connections_without_end_are_not_taken(tmp_path):
    with page_server(tmp_path, limits=Limits(connections=4)) as server:
        idle = [socket.create_connection(("127.0.0.1", server.port), LIMIT) for _ in range(4)]
        try:
            fifth = socket.create_connection(("127.0.0.1", server.port), LIMIT)
            fifth.settimeout(LIMIT)
            assert fifth.recv(1) == b""
            fifth.close()
        finally:
            for connection in idle:
                connection.close()

        async def work(http):
            async with http.get(f"{base(server)}/scene") as answer:
                assert answer.status == 200

        async def freed():
            await until(lambda: not server.hub.sessions)

        asyncio.run(freed())
        in_page(work)


def test_a_flood_is_cut_down_then_ended(tmp_path):
    async def work(http):
        async with open_page(http, server) as calm, open_page(http, server) as flooding:
            with contextlib.suppress(ConnectionError):  # cut off while it sends
                for number in range(100_000):
                    await flooding.send("ping", t=number)
            assert await flooding.end() in (1008, 1006)
            await until(lambda: len(server.hub.sessions) == 1)
            await calm.send("ping", t=5)
            assert (await calm.next("pong"))["t"] == 5

    limits = Limits(messages_per_second=20.0)
    with page_server(tmp_path, limits=limits) as server:
        in_page(work)
    assert any("too many messages" in reason for _, reason in server.hub.outside.refusals)


def test_a_message_that_is_too_long_ends_the_page(tmp_path):
    async def work(http):
        async with open_page(http, server) as page:
            await page.socket.send_str(json.dumps({"type": "ping", "t": 1, "x": "y" * 3000}))
            assert await page.end() == 1009

    with page_server(tmp_path, limits=Limits(message_bytes=2000)) as server:
        in_page(work)


def test_a_page_that_reads_nothing_grows_no_memory_and_is_ended(tmp_path):
    async def work(http):
        async with open_page(http, server) as calm:
            request = (
                f"GET /socket HTTP/1.1\r\nHost: localhost:{server.port}\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
            )
            stuck = socket.create_connection(("127.0.0.1", server.port), LIMIT)
            stuck.sendall(request.encode())
            await until(lambda: len(server.hub.sessions) == 2)
            session = list(server.hub.sessions.values())[1]
            picture = bytes(500_000)
            most, number = 0, 0
            while session.key in server.hub.sessions:
                number += 1
                server.hub.put("/scan", ({"number": number}, picture))
                await calm.next("binary", topic="/scan")
                most = max(most, session.waiting_bytes)
            stuck.close()
            return most, number

    limits = Limits(send_timeout=1.0)
    with page_server(tmp_path, limits=limits) as server:
        most, number = in_page(work)
    assert number > 8, "the page did not get enough to be slow"
    assert most < 3 * 500_000
    assert ("pages ended", "reads nothing") in server.hub.outside.refusals


def test_a_page_without_signs_of_life_is_ended(tmp_path):
    async def work(http):
        async with open_page(http, server, "silent-page", autoping=False):
            await until(lambda: not server.hub.sessions)

    with page_server(tmp_path, limits=Limits(heartbeat=0.1)) as server:
        in_page(work)
    assert server.hub.outside.sessions_ended == ["pilot:silent-page"]


def test_a_page_that_comes_again_takes_the_place_of_its_ghost(tmp_path):
    async def work(http):
        async with open_page(http, server, "same-page") as ghost:
            await ghost.send("device", t=0, head=[0, 0, 0, 0, 0, 0, 1])
            await until(lambda: server.hub.outside.devices)
            async with open_page(http, server, "same-page") as page:
                assert await ghost.end() == 4001
                assert server.hub.outside.ended == 1
                await page.send("device", t=0, head=[0, 0, 0, 0, 0, 0, 1])
                await until(lambda: len(server.hub.outside.devices) == 2)
                assert len(server.hub.sessions) == 1

    with page_server(tmp_path, limits=Limits(clients=1)) as server:
        in_page(work)


@pytest.mark.parametrize("session", ["", "a", "../../etc/passwd", "x" * 500, "%00%ff", "ü" * 10])
def test_whatever_a_page_calls_itself_the_server_lives(tmp_path, session):
    async def work(http):
        async with open_page(http, server, session) as page:
            assert page.hello["session"] != session
        async with open_page(http, server) as page:
            assert page.hello["role"] == "pilot"

    with page_server(tmp_path) as server:
        in_page(work)


# Private files


def test_certificate_and_tokens_are_made_here_and_for_their_owner_alone(tmp_path):
    with page_server(tmp_path / "a", host="0.0.0.0"), page_server(tmp_path / "b", host="0.0.0.0"):
        pass
    files = sorted((tmp_path / "a/private").iterdir())
    assert [file.name for file in files] == ["certificate_and_key.pem", "tokens.json"]
    assert stat.S_IMODE((tmp_path / "a/private").stat().st_mode) == 0o700
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.read_bytes() != (tmp_path / "b/private" / file.name).read_bytes()


def test_a_server_for_this_machine_alone_writes_nothing(tmp_path):
    with page_server(tmp_path):
        assert not (tmp_path / "private").exists()


def test_a_certificate_is_kept_until_it_ends_or_lacks_a_name(tmp_path):
    first = certificate_file(tmp_path, ["robot", "10.0.0.2"], NOW)
    print_of_first = fingerprint(first)
    assert fingerprint(certificate_file(tmp_path, ["10.0.0.2"], NOW)) == print_of_first
    almost = NOW + datetime.timedelta(days=800)
    assert fingerprint(certificate_file(tmp_path, ["10.0.0.2"], almost)) == print_of_first
    later = NOW + datetime.timedelta(days=820)
    renewed = fingerprint(certificate_file(tmp_path, ["10.0.0.2"], later))
    assert renewed != print_of_first
    assert fingerprint(certificate_file(tmp_path, ["10.0.0.3"], later)) != renewed


def test_what_others_could_read_is_refused(tmp_path):
    folder = tmp_path / "private"
    load_tokens(open_private_folder(folder), True)
    (folder / "tokens.json").chmod(0o644)
    with pytest.raises(PrivateFolderError, match="0644"):
        load_tokens(folder, True)
    folder.chmod(0o755)
    with pytest.raises(PrivateFolderError, match="0755"):
        open_private_folder(folder)


@pytest.mark.parametrize("content", ["", "[]", '{"pilot": "short", "guest": "short"}', "{}"])
def test_a_token_file_that_holds_none_is_refused(tmp_path, content):
    file = tmp_path / "tokens.json"
    file.write_text(content)
    file.chmod(0o600)
    with pytest.raises(PrivateFolderError, match="tokens"):
        load_tokens(tmp_path, True)


def test_tokens_stay_the_same(tmp_path):
    assert load_tokens(tmp_path, True) == load_tokens(tmp_path, True)
    assert load_tokens(tmp_path, False).guest == ""


def test_an_open_server_takes_no_wrong_token_for_none():
    access = Access(Tokens("", ""), is_open=True, is_local=True)
    assert access.role(None) == "pilot"
