"""The page's server over real sockets: what pages get, and what is done for them."""

import asyncio
import json

import numpy as np
import pytest
from page_servers import base, in_page, open_page, page_server, until

from vr_view.server.assets import Assets
from vr_view.server.listener import bound_socket
from vr_view.server.settings import Limits

POSE = [0.0, 1.6, 0.0, 0.0, 0.0, 0.0, 1.0]


def test_the_built_page_is_served_with_its_types(tmp_path):
    page = tmp_path / "page"
    page.mkdir()
    (page / "index.html").write_text("<title>view</title>")
    (page / "app.js").write_text("1")
    (page / "notes.py").write_text("secret")
    (tmp_path / "outside.js").write_text("secret")

    async def work(http):
        async with http.get(base(server)) as answer:
            assert answer.status == 200
            assert "view" in await answer.text()
            assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        async with http.get(f"{base(server)}/app.js") as answer:
            assert answer.content_type == "text/javascript"
            assert answer.headers["Cache-Control"] == "no-cache"
        for path in ("/notes.py", "/none.js", "/%2e%2e/outside.js", "/..%2foutside.js"):
            async with http.get(base(server) + path) as answer:
                assert answer.status == 404, path

    with page_server(tmp_path) as server:
        in_page(work)


def test_without_a_built_page_it_says_how_to_make_one(tmp_path):
    async def work(http):
        async with http.get(base(server)) as answer:
            assert answer.status == 503
            assert "make page" in await answer.text()

    with page_server(tmp_path) as server:
        in_page(work)


def test_the_scene_and_its_meshes(tmp_path):
    mesh = tmp_path / "model/meshes/a.obj"
    mesh.parent.mkdir(parents=True)
    mesh.write_text("v 0 0 0\n")
    assets = Assets()
    url = assets.url(mesh)

    async def work(http):
        async with http.get(f"{base(server)}/scene") as answer:
            assert (await answer.json())["name"] == "test"
            tag = answer.headers["ETag"]
        async with http.get(f"{base(server)}/scene", headers={"If-None-Match": tag}) as answer:
            assert answer.status == 304
        async with http.get(base(server) + url) as answer:
            assert await answer.text() == "v 0 0 0\n"
        async with http.get(base(server) + url.replace("a.obj", "b.obj")) as answer:
            assert answer.status == 404

    with page_server(tmp_path, assets=assets) as server:
        in_page(work)


def test_hello_tells_role_limits_clock_and_topics(tmp_path):
    async def work(http):
        async with open_page(http, server, "page-number-1") as page:
            hello = page.hello
            assert hello["protocol"] == 1
            assert hello["role"] == "pilot"
            assert hello["session"] == "page-number-1"
            assert {"topic": "/image", "kind": "image", "rate": 0.0} in hello["topics"]
            assert "simulator.pause" in hello["actions"]
            await page.send("ping", t=17.25)
            pong = await page.next("pong")
            assert pong["t"] == 17.25
            assert pong["time"] >= hello["time"]

    with page_server(tmp_path) as server:
        in_page(work)


def test_two_pages_get_the_newest_value_each_at_its_rate(tmp_path):
    ranges = np.array([1.0, np.inf, 2.5], "<f4")

    async def work(http):
        async with open_page(http, server) as one, open_page(http, server) as two:
            await two.send("subscribe", topics={"/status": 0, "/image": 30})
            await until(lambda: server.hub.rate("/image") == 30.0)
            server.hub.put("/status", {"text": "tracking"})
            server.hub.put("/scan", ({"count": 3}, ranges.tobytes()))
            server.hub.put("/image", ({"format": "jpeg"}, b"picture"))
            assert (await one.next("topic", topic="/status"))["text"] == "tracking"
            for page in (one, two):
                scan = await page.next("binary", topic="/scan")
                np.testing.assert_array_equal(np.frombuffer(scan["payload"], "<f4"), ranges)
            assert (await two.next("binary", topic="/image"))["payload"] == b"picture"
            server.hub.put("/scan", ({"count": 0}, b""))
            told = [await two.next(), await one.next()]
            assert [message["topic"] for message in told] == ["/scan", "/scan"]

    with page_server(tmp_path) as server:
        in_page(work)
    assert server.hub.rate("/image") == 0.0


def test_a_page_that_comes_late_gets_all_transforms_and_then_the_changed_ones(tmp_path):
    def row(child, x):
        return ["map", child, 1.0, x, 0, 0, 0, 0, 0, 1]

    async def work(http):
        server.hub.put("/tf", [row("a", 1), row("b", 1)])
        server.hub.put("/tf", [row("b", 2)])
        async with open_page(http, server) as page:
            first = await page.next("topic", topic="/tf")
            assert sorted(first["transforms"]) == [row("a", 1), row("b", 2)]
            server.hub.put("/tf", [row("a", 3)])
            assert (await page.next("topic", topic="/tf"))["transforms"] == [row("a", 3)]

    with page_server(tmp_path) as server:
        in_page(work)


def test_actions_are_done_and_answered_by_their_number(tmp_path):
    async def work(http):
        async with open_page(http, server) as page:
            await page.send("action", id=3, name="simulator.pause", arguments={"on": True})
            result = await page.next("result")
            assert result == {
                "type": "result",
                "id": 3,
                "ok": True,
                "text": "simulator.pause done",
            }
            await page.send("action", id=4, name="drone.land")
            result = await page.next("result")
            assert (result["id"], result["ok"]) == (4, False)
            assert "no drone" in result["text"]

    with page_server(tmp_path) as server:
        in_page(work)
    action, _ = server.hub.outside.actions[0]
    assert action.arguments == {"on": True}


def test_too_many_actions_at_once_are_refused_and_end_with_the_page(tmp_path):
    async def work(http):
        async with open_page(http, server) as page:
            for number in range(3):
                await page.send("action", id=number, name="drone.hover")
            result = await page.next("result")
            assert (result["id"], result["ok"]) == (2, False)

    with page_server(tmp_path, limits=Limits(actions=2)) as server:
        server.hub.outside.gate = asyncio.Event()  # never set: nothing may wait for it for ever
        in_page(work)
        assert len(server.hub.outside.actions) == 2


def test_bad_messages_are_answered_and_the_page_lives_on(tmp_path):
    async def work(http):
        async with open_page(http, server) as page:
            for line, named in (("{", "JSON"), ('{"type": "fly"}', "type"), ("[1]", "object")):
                await page.socket.send_str(line)
                assert named in (await page.next("error"))["text"]
            await page.socket.send_bytes(b"\0\1")
            assert "binary" in (await page.next("error"))["text"]
            await page.send("subscribe", topics={"/nothing": 1})
            assert "/nothing" in (await page.next("error"))["text"]
            await page.send("ping", t=1)
            await page.next("pong")

    with page_server(tmp_path) as server:
        in_page(work)


def test_a_file_is_handed_over_and_named_in_an_action(tmp_path):
    async def work(http):
        url = f"{base(server)}/upload"
        async with http.post(url, params={"name": "square.traj"}, data=b"x" * 90_000) as answer:
            told = await answer.json()
            assert told["size"] == 90_000
        async with open_page(http, server) as page:
            arguments = {"upload": told["upload"]}
            await page.send("action", id=1, name="drone.send_file", arguments=arguments)
            assert (await page.next("result"))["ok"]
            await page.send("action", id=2, name="drone.send_file", arguments={"upload": "ab"})
            assert "no such file" in (await page.next("result"))["text"]
        upload = server.hub.outside.actions[0][1]
        assert upload.name == "square.traj"
        assert upload.file.read_bytes() == b"x" * 90_000
        for name, data in (("../a", b"x"), ("", b"x"), (".a", b"x"), ("a", b"x" * 200_000)):
            async with http.post(url, params={"name": name}, data=data) as answer:
                assert answer.status == 400, name

    with page_server(tmp_path, limits=Limits(upload_bytes=100_000)) as server:
        in_page(work)
        folder = server.hub.outside.actions[0][1].file.parents[1]
    assert not folder.exists()


def test_one_page_at_a_time_has_the_device(tmp_path):
    async def work(http):
        outside = server.hub.outside
        async with open_page(http, server) as one:
            await one.send("device", t=one.hello["time"], head=POSE)
            await until(lambda: outside.devices)
            assert outside.devices[0][1] >= 0.0
            async with open_page(http, server) as two:
                await one.send("device", t=0, head=POSE)
                await two.send("device", t=0, head=POSE)
                assert "another page" in (await two.next("error"))["text"]
                await one.send("vr", active=False)
                await until(lambda: outside.ended == 1)
                await two.send("device", t=0, head=POSE)
                await until(lambda: len(outside.devices) == 3)
            await until(lambda: outside.ended == 2)

    with page_server(tmp_path) as server:
        in_page(work)


def test_haptics_reach_every_page(tmp_path):
    async def work(http):
        async with open_page(http, server) as one, open_page(http, server) as two:
            server.hub.tell("haptics", "haptics left", hand="left", amplitude=0.5, seconds=0.1)
            for page in (one, two):
                assert (await page.next("haptics"))["amplitude"] == 0.5

    with page_server(tmp_path) as server:
        in_page(work)


def test_when_the_server_stops_pages_are_told_to_try_again(tmp_path):
    async def work(http):
        async with open_page(http, server) as page:
            await asyncio.to_thread(server.close)
            assert await page.end() == 1001

    with page_server(tmp_path) as server:
        in_page(work)


def test_a_port_that_is_taken_is_told(tmp_path):
    with page_server(tmp_path) as server, pytest.raises(OSError, match="in use"):
        bound_socket("127.0.0.1", server.port)


def test_a_value_that_json_does_not_have_is_told_and_costs_nothing_else(tmp_path):
    async def work(http):
        async with open_page(http, server) as page:
            server.hub.put("/status", {"x": float("nan")})
            await until(lambda: server.hub.outside.refusals)
            server.hub.put("/status", {"x": 1})
            assert (await page.next("topic"))["x"] == 1

    with page_server(tmp_path) as server:
        in_page(work)
    assert "cannot be shown" in json.dumps(server.hub.outside.refusals)
