"""The page in a browser, on a screen and on a phone, against a server without ROS."""

import functools
import http.server
import threading

import numpy as np
import pytest
from browsers import PAGE, Tab, blob, running_browser
from page_scenes import MAGENTA, MARK, SPECS, ball, document, flat_pixel
from page_servers import page_server, token

GREEN = (0, 255, 0)
YELLOW = (255, 255, 0)
SIZE = (800, 400)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def browser():
    with running_browser() as running:
        yield running


@pytest.fixture
def server(tmp_path):
    drone = ball("drone", "drone", (1, 2, 0.5), YELLOW)
    scene = document(ball("robot", "robot", (0, 1, 0.5), GREEN), drone)
    with page_server(tmp_path, page=PAGE / "dist", specs=SPECS, document=scene) as running:
        yield running


@pytest.fixture
def tab(browser, server):
    opened = Tab(browser, size=SIZE).open(url(server))
    yield opened
    opened.close()


def url(server):
    return f"http://localhost:{server.port}/"


def sees(tab, colour, point):
    """Whether a colour is where the flat view shows a point of the map."""
    centre = blob(tab.picture(), colour)
    return centre is not None and np.abs(centre - flat_pixel(np.array(point), SIZE)).max() < 1.0


def stand(x, y, z):
    return [x, y, z, 0.0, 0.0, 0.0, 1.0]


def test_scene_stands_upright_where_the_document_has_it(tab):
    """V11: z of the files is up on the screen."""
    tab.until(lambda: sees(tab, MAGENTA, MARK))
    assert sees(tab, GREEN, (0, 1, 0.5))


def test_links_go_where_tf_has_them_else_where_the_truth_has(tab, server):
    truth = {"frame": "map", "child": "base", "linear": [0] * 3, "angular": [0] * 3, "stamp": 1.0}
    server.hub.put("/tf", [["base", "robot", 1.0, *stand(0.0, 0.0, 0.25)]])
    server.hub.put("/reference/phone_robot", {**truth, "pose": stand(0.5, 1.5, 0.0)})
    tab.until(lambda: sees(tab, GREEN, (0.5, 1.5, 0.25)))
    server.hub.put("/tf", [["map", "base", 1.0, *stand(-0.5, 1.2, 0.1)]])
    tab.until(lambda: sees(tab, GREEN, (-0.5, 1.2, 0.35)))


def test_what_was_told_before_a_lost_connection_is_gone(tab, server):
    """V6: after it the robot does not stay where nobody says it is, and comes back with news."""
    server.hub.put("/tf", [["map", "robot", 1.0, *stand(-0.5, 1.2, 0.35)]])
    tab.until(lambda: sees(tab, GREEN, (-0.5, 1.2, 0.35)))
    server.close()
    tab.page.get_by_text("connecting again").wait_for()
    tab.until(lambda: sees(tab, GREEN, (0, 1, 0.5)))


def test_page_connects_again_to_a_server_that_was_started_anew(browser, server, tmp_path):
    """V4, V6: the same page, without being loaded again, shows the new server's scene."""
    tab = Tab(browser, size=SIZE).open(url(server))
    server.close()
    tab.page.locator(".state:not(.on)").wait_for()
    scene = document(ball("robot", "robot", (1, 1.5, 0.3), GREEN))
    again = {"specs": SPECS, "document": scene, "port": server.port, "page": PAGE / "dist"}
    with page_server(tmp_path, **again):
        tab.connected()
        tab.until(lambda: sees(tab, GREEN, (1, 1.5, 0.3)))
        tab.page.get_by_text("connecting again").wait_for(state="hidden")
        tab.close()


def test_errors_are_shown_and_go_stale(tab, server):
    value = {"stamp": 1.0, "x": 0.001, "y": -0.002, "distance": 0.0022, "yaw": None}
    server.hub.put("/error", value)
    tab.page.get_by_text("2.2 mm").wait_for()
    tab.page.get_by_text("2.2 mm").wait_for(state="hidden")


def test_without_an_error_the_page_says_what_is_missing(tab, server):
    here = {"frame": "map", "stamp": 1.0, "pose": stand(0.0, 2.0, 0.0)}
    still = {"child": "target", "linear": [0] * 3, "angular": [0] * 3}
    tab.page.get_by_text("no estimate (/ground_truth/pose) and no reference").wait_for()
    wanted = tab.page.get_by_text("No error: no reference (/reference/target) has come yet.")

    def says_reference():
        server.hub.put("/ground_truth/pose", {**here, "covariance": [0.0] * 36})
        return wanted.is_visible()

    tab.until(says_reference)
    meet = tab.page.get_by_text("have not met")

    def says_times():
        server.hub.put("/ground_truth/pose", {**here, "covariance": [0.0] * 36})
        server.hub.put("/reference/target", {**here, **still})
        return meet.is_visible()

    tab.until(says_times)
    server.close()
    tab.page.get_by_text("No error: not connected.").wait_for()


def test_what_came_before_is_late_not_missing_and_a_slow_simulator_is_told(tab, server):
    here = {"frame": "map", "stamp": 1.0, "pose": stand(0.0, 2.0, 0.0)}
    still = {"child": "target", "linear": [0] * 3, "angular": [0] * 3}
    server.hub.put("/ground_truth/pose", {**here, "covariance": [0.0] * 36})
    server.hub.put("/reference/target", {**here, **still})
    tab.page.get_by_text("nothing new for").wait_for()
    state = {"time": 1.0, "paused": False, "wished": 1.0, "level": 0, "text": ""}
    server.hub.put("/simulator", {**state, "factor": 0.5})
    tab.page.get_by_text("the simulator runs at 0.50 of real time").wait_for()


def test_without_a_drone_in_the_scene_nothing_is_offered_until_one_is_heard(browser, tmp_path):
    with page_server(tmp_path, page=PAGE / "dist", specs=SPECS, document=document()) as server:
        tab = Tab(browser, size=SIZE).open(url(server))
        tab.panel("Drone")
        none = tab.page.get_by_text("no drone in this scene")
        none.wait_for()
        arm = tab.page.get_by_role("button", name="Arm", exact=True)
        assert arm.is_disabled()
        said = "px4 1: AUTO.LOITER, armed, in air"
        state = {"name": "drone", "level": 0, "text": said, "values": {"setpoint": "none"}}
        server.hub.put("/drone/state", state)
        tab.page.get_by_title(said).wait_for()
        assert arm.is_enabled()
        assert none.is_hidden()
        tab.close()


@pytest.mark.parametrize("size", [(1100, 680), (800, 400), (390, 800)])
def test_tabs_stand_in_one_row_and_none_is_cut(browser, server, size):
    tab = Tab(browser, size=size).open(url(server))
    tabs = tab.page.get_by_role("tab")
    places = [tabs.nth(k).bounding_box() for k in range(tabs.count())]
    assert len(places) == 5
    assert len({place["y"] for place in places}) == 1
    assert max(place["x"] + place["width"] for place in places) <= size[0]
    cut = "all => all.some(each => each.scrollWidth > each.clientWidth)"
    assert not tabs.evaluate_all(cut)
    tab.close()


def test_own_page_is_told_from_others(tab, server):
    (session,) = server.hub.sessions.values()
    values = {f"page {session.name[:8]} render_ms": "4.5", "page 00000000 render_ms": "7.5"}
    tab.panel("Latency")
    server.hub.put("/viewpoint/latency", {"values": values})
    tab.page.get_by_text("this page: render", exact=True).wait_for()
    tab.page.get_by_text("other page 00000000: render", exact=True).wait_for()


def test_simulator_is_paused_and_told_so(tab, server):
    tab.panel("Simulator")
    tab.click("Pause")
    tab.page.get_by_text("simulator.pause done").wait_for()
    assert server.hub.outside.actions[0][0].arguments == {"on": True}
    tab.click("Go on")
    tab.until(lambda: len(server.hub.outside.actions) == 2)
    assert server.hub.outside.actions[1][0].arguments == {"on": False}


def test_failed_action_is_told(tab):
    tab.panel("Drone")
    tab.click("Land")
    tab.page.locator(".answer.bad").wait_for()


def test_click_sets_a_setpoint(tab, server):
    tab.panel("Drone")
    tab.click("Set by click")
    x, y = flat_pixel(np.array([-0.4, 1.6, 1.2]), SIZE)
    tab.page.mouse.click(x, y)
    tab.until(lambda: server.hub.outside.actions)
    action = server.hub.outside.actions[0][0]
    assert action.name == "drone.setpoint"
    assert action.arguments["position"] == pytest.approx((-0.4, 1.6, 1.2), abs=0.02)
    assert action.arguments["yaw"] is None


def test_trajectory_is_drawn_and_flown(tab, server):
    corners = [(-0.6, 1.4, 1.2), (-0.2, 1.9, 1.2)]
    tab.panel("Drone")
    tab.click("Draw")
    for corner in corners:
        tab.page.mouse.click(*flat_pixel(np.array(corner), SIZE))
    tab.click("Fly it")
    tab.until(lambda: server.hub.outside.actions)
    action = server.hub.outside.actions[0][0]
    assert action.name == "drone.trajectory"
    for point, corner in zip(action.arguments["points"], corners, strict=True):
        assert point == pytest.approx(corner, abs=0.02)


def test_file_goes_to_the_drone_with_its_progress(tab, server, tmp_path):
    file = tmp_path / "mission.yaml"
    file.write_bytes(b"speed: 1\n" * 1000)
    tab.panel("Drone")
    tab.page.locator("input[type=file]").set_input_files(file)
    tab.until(lambda: server.hub.outside.actions)
    action, upload = server.hub.outside.actions[0]
    assert action.name == "drone.send_file"
    assert upload.name == "mission.yaml"
    progress = {"name": "mission.yaml", "state": "sending", "fraction": 0.5, "text": ""}
    server.hub.put("/drone/transfer", progress)
    tab.page.get_by_text("mission.yaml: sending, 50 %").wait_for()


def test_a_trajectorys_file_is_flown_with_its_progress(tab, server, tmp_path):
    file = tmp_path / "square.yaml"
    file.write_bytes(b"points: []\n")
    tab.panel("Drone")
    with tab.page.expect_file_chooser() as chooser:
        tab.click("Fly a file…")
    chooser.value.set_files(file)
    tab.until(lambda: server.hub.outside.actions)
    action, upload = server.hub.outside.actions[0]
    assert (action.name, upload.name) == ("drone.fly_file", "square.yaml")
    state = {"name": "drone", "level": 0, "text": "OFFBOARD", "values": {"setpoint": "none"}}
    server.hub.put("/drone/state", state)
    bar = tab.page.get_by_title("How much of the trajectory is flown")
    tab.page.get_by_text("OFFBOARD").wait_for()
    assert bar.is_hidden()
    server.hub.put("/drone/state", {**state, "values": {"setpoint": "trajectory 40%"}})
    bar.wait_for()
    assert bar.evaluate("bar => bar.value") == 40
    tab.click("Fly")  # the same again, by its name
    tab.until(lambda: len(server.hub.outside.actions) == 2)
    action = server.hub.outside.actions[1][0]
    assert (action.name, action.arguments) == ("drone.fly_stored_file", {"name": "square.yaml"})


def test_a_file_is_fetched_with_its_progress(tab, server):
    tab.panel("Drone")
    tab.click("Fetch")
    tab.page.get_by_text("Which file?").wait_for()
    tab.page.get_by_label("Name of a file").fill("flight.log")
    tab.click("Fetch")
    tab.until(lambda: server.hub.outside.actions)
    action = server.hub.outside.actions[0][0]
    assert (action.name, action.arguments) == ("drone.fetch_file", {"name": "flight.log"})
    progress = {"name": "flight.log", "state": "receiving", "fraction": 0.25, "text": ""}
    server.hub.put("/drone/transfer", progress)
    tab.page.get_by_text("flight.log: receiving, 25 %").wait_for()
    assert tab.page.locator("progress:visible").evaluate("bar => bar.value") == 0.25


def test_a_flight_mode_is_set_by_name(tab, server):
    tab.panel("Drone")
    tab.page.get_by_label("Flight mode").fill(" AUTO.LOITER ")
    tab.click("Set mode")
    tab.page.get_by_text("drone.mode done").wait_for()
    action = server.hub.outside.actions[0][0]
    assert (action.name, action.arguments) == ("drone.mode", {"name": "AUTO.LOITER"})


def test_two_pages_see_the_same_and_one_of_them_acts(tab, browser, server):
    other = Tab(browser, size=SIZE).open(url(server))
    server.hub.put("/tf", [["map", "robot", 1.0, *stand(-0.5, 1.2, 0.35)]])
    for each in (tab, other):
        each.until(lambda each=each: sees(each, GREEN, (-0.5, 1.2, 0.35)))
    other.panel("Simulator")
    other.click("Reset")
    other.page.get_by_text("simulator.reset done").wait_for()
    other.close()


def test_wrong_token_is_refused_and_the_right_one_lets_in(browser, tmp_path):
    with page_server(tmp_path, page=PAGE / "dist", token_on_loopback=True, specs=SPECS) as server:
        tab = Tab(browser)
        for link in (url(server), url(server) + "?token=wrong"):
            assert tab.page.goto(link).status == 401
        tab.open(f"{url(server)}?token={token(tmp_path)}")
        assert "token" not in tab.page.url
        tab.close()


def test_guest_looks_and_has_nothing_to_press(browser, tmp_path):
    with page_server(tmp_path, page=PAGE / "dist", token_on_loopback=True, specs=SPECS) as server:
        tab = Tab(browser).open(f"{url(server)}?token={token(tmp_path, 'guest')}")
        tab.page.get_by_text("looking only").wait_for()
        tab.panel("Drone")
        for name in ("Arm", "Take off", "Land", "Set by click", "Fly it", "Send a file…"):
            assert tab.page.get_by_role("button", name=name, exact=True).is_disabled()
        tab.close()


def test_everything_comes_from_this_server(browser, server):
    """V17: nothing is loaded from elsewhere, so that nobody's update can break the page."""
    tab = Tab(browser)
    asked = []
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.open(url(server))
    assert len(asked) > 4
    assert all(f"localhost:{server.port}/" in each or each.startswith("blob:") for each in asked)
    tab.close()


def test_plain_http_over_the_network_is_told_with_what_to_do(browser):
    """V1: browsers offer no VR there; no server of ours would serve it so."""
    handler = functools.partial(Quiet, directory=str(PAGE / "dist"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as plain:
        threading.Thread(target=plain.serve_forever, daemon=True).start()
        tab = Tab(browser)
        tab.page.goto(f"http://lan.test:{plain.server_port}/")
        tab.page.get_by_text(f"https://lan.test:{plain.server_port}").wait_for()
        tab.page.get_by_text(f"adb reverse tcp:{plain.server_port}").wait_for()
        tab.close()
        plain.shutdown()


def test_phone_without_webxr_looks_around_with_two_eyes(browser, server):
    """V16: orientation instead of a headset, after a permission that a tap asks for."""
    tab = Tab(browser, size=(800, 400), has_touch=True, is_mobile=True)
    tab.page.add_init_script(
        "window.asked = 0; delete Navigator.prototype.xr;"
        "DeviceOrientationEvent.requestPermission ="
        " () => (window.asked++, Promise.resolve('granted'));"
    )
    tab.open(url(server))
    assert tab.page.get_by_role("button", name="Enter VR").count() == 0
    tab.click("Cardboard")
    tab.until(lambda: tab.page.evaluate("window.asked === 1"))

    def halves():
        return [blob(half, MAGENTA) for half in np.split(tab.picture(), 2, axis=1)]

    def both_halves():  # the phone stands across, its top to the left, and looks north
        tab.page.evaluate(
            "window.dispatchEvent(new DeviceOrientationEvent('deviceorientation',"
            "{alpha: 90, beta: 0, gamma: -90}))"
        )
        return server.hub.outside.devices and all(mark is not None for mark in halves())

    tab.until(both_halves)
    left, right = halves()
    assert 1.0 < left[0] - right[0] < 40.0
    device, _ = server.hub.outside.devices[-1]
    assert device.head == pytest.approx((0, 1.6, 0, 0, 0, 0, 1), abs=1e-6)
    tab.close()


def test_refused_motion_is_told(browser, server):
    tab = Tab(browser, size=(800, 400), has_touch=True, is_mobile=True)
    tab.page.add_init_script(
        "DeviceOrientationEvent.requestPermission = () => Promise.resolve('denied');"
    )
    tab.open(url(server))
    tab.click("Look around")
    tab.page.get_by_text("was not allowed").wait_for()
    tab.close()
