"""The page in an emulated headset, against a server without ROS."""

import json

import numpy as np
import pytest
from browsers import PAGE, Tab, blob, running_browser
from page_scenes import EYES, MAGENTA, MARK, SPECS, ball, document, eye_pixel, plain_jpeg, rotation
from page_servers import page_server

GREEN, RED, BLUE = (0, 255, 0), (255, 0, 0), (0, 0, 255)
YELLOW = (255, 255, 0)
EYE = 400  # pixels of an eye's image, each way
HEAD, TURN = np.array([0.1, 1.5, -0.2]), np.array([0.05, -0.12, 0.04])
IPD = 0.07


@pytest.fixture(scope="module")
def browser():
    with running_browser() as running:
        yield running


@pytest.fixture
def server(tmp_path):
    drone = ball("drone", "drone", (2.0, -3.0, 0.5), YELLOW)
    scene = document(ball("robot", "robot", (-0.3, 2.4, 1.2), GREEN), drone)
    with page_server(tmp_path, page=PAGE / "dist", specs=SPECS, document=scene) as running:
        yield running


@pytest.fixture
def tab(browser, server):
    opened = Tab(browser, headset=True, size=(2 * EYE, EYE)).open(
        f"http://localhost:{server.port}/"
    )
    opened.page.evaluate(
        "([position, q, ipd]) => { headset.ipd = ipd; headset.position.set(...position);"
        "headset.quaternion.set(...q); }",
        [HEAD.tolist(), quaternion().tolist(), IPD],
    )
    yield opened
    opened.close()


def quaternion():
    return np.array([*TURN, np.sqrt(1 - TURN @ TURN)])


def eyes_of(tab):
    return np.split(tab.picture(), 2, axis=1)


def newest(server):
    return server.hub.outside.devices[-1][0]


def in_vr(server):
    return [session for session in server.hub.sessions.values() if session.is_in_vr]


def put_image(server, eye, data):
    header = {"frame": "eye", "stamp": 1.0, "width": 64, "height": 64, "format": "jpeg"}
    server.hub.put(EYES[eye], (header, data))


def shows(picture, colour):
    """Whether the middle of a picture has about a colour."""
    middle = picture[EYE // 4 : -EYE // 4, EYE // 4 : -EYE // 4].reshape(-1, 3)
    return np.abs(np.median(middle, axis=0) - colour).max() < 40


def test_both_eyes_are_drawn_with_the_right_disparity(tab):
    """Known points' pixels in each eye against the projection, computed apart from the page."""
    tab.enter_vr()
    tab.until(lambda: all(blob(eye, MAGENTA) is not None for eye in eyes_of(tab)))
    seen = eyes_of(tab)
    for point, colour in ((MARK, MAGENTA), (np.array([-0.3, 2.4, 1.2]), GREEN)):
        pixels = [blob(eye, colour) for eye in seen]
        wanted = [
            eye_pixel(point, HEAD, quaternion(), eye, IPD, tangent=1.0, size=EYE) for eye in (-1, 1)
        ]
        assert np.abs(np.array(pixels) - wanted).max() < 0.7
        disparity, right_one = pixels[0][0] - pixels[1][0], wanted[0][0] - wanted[1][0]
        assert right_one > 5.0
        assert abs(disparity - right_one) < 0.5


def test_the_view_goes_by_the_parameters_of_the_node(tab, server):
    """The floor stands where the node was told, not where it stands by default."""
    shift = np.array([0.4, -0.3, 0.2])
    place = [float(value) for value in (*(np.array([0.0, 0.5, 0.0]) - shift), np.pi / 2)]
    values = {"place": json.dumps(place)}
    told = {"name": "viewpoint", "level": 0, "text": "options", "values": values}
    server.hub.put("/viewpoint/options", told)
    tab.enter_vr()
    wanted = [
        eye_pixel(MARK + shift, HEAD, quaternion(), eye, IPD, tangent=1.0, size=EYE)
        for eye in (-1, 1)
    ]

    def is_there():
        seen = [blob(eye, MAGENTA) for eye in eyes_of(tab)]
        return all(
            pixel is not None and np.abs(pixel - right).max() < 0.7
            for pixel, right in zip(seen, wanted, strict=True)
        )

    tab.until(is_there)


def test_server_hears_head_hands_eyes_and_rate(tab, server):
    """V7: the rate that is stated is the accepted one; V12: hands are grips, not rays."""
    tab.enter_vr()
    tab.until(lambda: server.hub.outside.eye_reports and in_vr(server))
    tab.until(lambda: newest(server).left_hand is not None)
    device = newest(server)
    assert device.head == pytest.approx((*HEAD, *quaternion()), abs=1e-5)
    eyes = server.hub.outside.eye_reports[-1]
    assert eyes.left.tangents == pytest.approx((1, 1, 1, 1), abs=1e-4)
    assert eyes.right.size == (EYE, EYE)
    assert eyes.distance == pytest.approx(IPD, abs=1e-4)
    accepted = tab.page.evaluate("headset.activeSession.frameRate")
    assert tab.said("vr") == [{"type": "vr", "active": True, "rate": accepted}]


def test_hands_are_where_the_grips_are(tab, server):
    """V12: the pose of the grip; the pointing ray of this controller is tilted against it."""
    tab.enter_vr()
    tab.page.evaluate("headset.controllers.right.position.set(0.3, 1.1, -0.4)")
    tab.until(lambda: server.hub.outside.devices and newest(server).right_hand is not None)
    tab.until(lambda: newest(server).right_hand[1] < 1.3)
    grip, ray = tab.page.evaluate(
        """() => new Promise((resolve) => {
          const session = headset.activeSession;
          session.requestReferenceSpace("local-floor").then((space) =>
            session.requestAnimationFrame((time, frame) => {
              const source = [...session.inputSources].find((s) => s.handedness === "right");
              const pose = (of) => {
                const { position: p, orientation: q } = frame.getPose(of, space).transform;
                return [p.x, p.y, p.z, q.x, q.y, q.z, q.w];
              };
              resolve([pose(source.gripSpace), pose(source.targetRaySpace)]);
            }));
        })"""
    )
    assert newest(server).right_hand == pytest.approx(grip, abs=1e-5)
    assert np.abs(np.subtract(grip, ray)).max() > 0.05


def test_sticks_and_buttons_arrive(tab, server):
    tab.enter_vr()
    tab.page.evaluate(
        """() => { const right = headset.controllers.right;
          right.updateAxes("thumbstick", 0.5, -1); right.updateButtonValue("trigger", 0.75);
          right.updateButtonValue("squeeze", 1); right.updateButtonValue("b-button", 1); }"""
    )
    tab.until(lambda: server.hub.outside.devices and newest(server).right is not None)
    tab.until(lambda: newest(server).right.grip == 1)
    pressed = newest(server).right
    assert pressed.stick == pytest.approx((0.5, -1))
    assert pressed.trigger == pytest.approx(0.75)
    assert pressed.buttons == (True, True, False, False, True)
    assert newest(server).left.buttons == (False,) * 5


def test_haptics_come_to_the_right_hand(tab, server):
    """V15: through the surface that this browser has."""
    tab.enter_vr()
    tab.record_pulses()
    server.hub.tell("haptics", "left", hand="left", amplitude=0.5, seconds=0.2)
    tab.until(lambda: tab.page.evaluate("window.pulses.length > 0"))
    assert tab.page.evaluate("window.pulses") == [["left", 0.5, 200]]


def grip_of(tab, hand):
    """Return the position and the quaternion of a grip in the device's space."""
    pose = tab.page.evaluate(
        """(hand) => new Promise((resolve) => {
          const session = headset.activeSession;
          session.requestReferenceSpace("local-floor").then((space) =>
            session.requestAnimationFrame((time, frame) => {
              const source = [...session.inputSources].find((each) => each.handedness === hand);
              const { position: p, orientation: q } = frame.getPose(source.gripSpace, space)
                .transform;
              resolve([p.x, p.y, p.z, q.x, q.y, q.z, q.w]);
            }));
        })""",
        hand,
    )
    return np.array(pose[:3]), np.array(pose[3:])


def test_panel_on_the_left_hand_is_pressed_by_the_right_ones_ray(tab, server):
    tab.enter_vr()
    tab.page.evaluate("headset.controllers.left.position.set(0.1, 1.2, -0.7)")
    tab.until(lambda: server.hub.outside.devices and newest(server).left_hand is not None)
    tab.until(lambda: newest(server).left_hand[2] < -0.5)
    place, turn = grip_of(tab, "left")
    tilt = np.array([np.sin(-0.65), 0, 0, np.cos(-0.65)])
    # "Take off" is in the middle of the panel, 0.7 of its height of 0.2 m below its top.
    on_grip = np.array([0.0, 0.12, -0.08]) + rotation(tilt) @ [0.0, 0.1 - 0.7 * 0.2, 0.0]
    button = place + rotation(turn) @ on_grip
    tab.page.evaluate(
        "([x, y, z]) => { headset.controllers.right.position.set(x, y, z + 0.25);"
        "headset.controllers.right.quaternion.set(0, 0, 0, 1); }",
        button.tolist(),
    )
    in_map = np.array([button[0], 0.5 - button[2], button[1]])
    left, _ = (
        eye_pixel(in_map, HEAD, quaternion(), eye, IPD, tangent=1.0, size=EYE) for eye in (-1, 1)
    )

    def is_lit():
        column, row = left.astype(int)
        near = eyes_of(tab)[0][row - 12 : row + 12, column - 12 : column + 12].reshape(-1, 3)
        return (np.abs(near.astype(int) - (0x1F, 0x6F, 0xC4)).max(axis=1) < 16).sum() > 20

    tab.until(is_lit)
    tab.page.evaluate('headset.controllers.right.updateButtonValue("trigger", 1)')
    tab.until(lambda: server.hub.outside.actions)
    assert [action.name for action, _ in server.hub.outside.actions] == ["drone.take_off"]
    assert max(device.right.trigger for device, _ in server.hub.outside.devices[-3:]) == 0.0
    tab.page.evaluate("headset.controllers.right.position.set(1.5, 1.2, -0.3)")
    tab.until(lambda: newest(server).right.trigger == 1.0)  # beside the panel it is the hand's


def test_session_ends_and_begins_again(tab, server):
    """V4: after it the device is given up, the flat view is back, and another session works."""
    tab.enter_vr()
    tab.until(lambda: in_vr(server) and server.hub.outside.devices)
    tab.page.evaluate("headset.activeSession.end()")
    tab.until(lambda: server.hub.outside.ended == 1 and not in_vr(server))
    tab.page.get_by_role("button", name="Enter VR", exact=True).wait_for()
    tab.until(lambda: blob(tab.picture(), MAGENTA) is not None)
    count = len(server.hub.outside.devices)
    tab.enter_vr()
    tab.until(lambda: in_vr(server) and len(server.hub.outside.devices) > count)
    tab.until(lambda: all(blob(eye, MAGENTA) is not None for eye in eyes_of(tab)))


def test_session_outlives_a_lost_socket(tab, server, tmp_path):
    """V4, V6: the headset goes on drawing; the new server hears that it is there."""
    tab.enter_vr()
    tab.until(lambda: in_vr(server))
    server.close()
    tab.until(lambda: all(blob(eye, MAGENTA) is not None for eye in eyes_of(tab)))
    again = {"specs": SPECS, "document": document(), "port": server.port, "page": PAGE / "dist"}
    with page_server(tmp_path, **again) as anew:
        tab.until(lambda: in_vr(anew) and anew.hub.outside.eye_reports)
        tab.until(lambda: anew.hub.outside.devices)
        assert newest(anew).head == pytest.approx((*HEAD, *quaternion()), abs=1e-5)
        assert tab.page.evaluate("headset.activeSession !== undefined")
        tab.page.evaluate("headset.activeSession.end()")
        tab.until(lambda: not in_vr(anew))


def test_second_headset_is_told_that_there_is_one(tab, browser, server):
    tab.enter_vr()
    tab.until(lambda: in_vr(server) and server.hub.outside.devices)
    other = Tab(browser, headset=True).open(f"http://localhost:{server.port}/")
    other.enter_vr()
    # The notice lies under the emulated headset's canvas.
    other.page.locator("#notice .line").first.wait_for(state="attached")
    assert newest(server).head == pytest.approx((*HEAD, *quaternion()), abs=1e-5)
    other.close()


def test_each_eye_sees_its_own_video(tab, server):
    tab.panel("View")
    tab.page.get_by_label("Show").select_option("video")
    tab.enter_vr()
    put_image(server, 0, plain_jpeg(RED))
    put_image(server, 1, plain_jpeg(BLUE))
    tab.until(lambda: all(map(shows, eyes_of(tab), (RED, BLUE))))
    put_image(server, 0, plain_jpeg(GREEN, size=96))
    tab.until(lambda: all(map(shows, eyes_of(tab), (GREEN, BLUE))))


def test_side_by_side_video_is_halved_and_stays_so(tab, server):
    """V9: each eye its half, whatever the size of the next image."""
    tab.panel("View")
    tab.page.get_by_label("Show").select_option("video")
    tab.page.get_by_label("Both eyes in one image").check()
    tab.enter_vr()
    put_image(server, 0, plain_jpeg(RED, BLUE))
    tab.until(lambda: all(map(shows, eyes_of(tab), (RED, BLUE))))
    put_image(server, 0, plain_jpeg(GREEN, RED, size=128))
    tab.until(lambda: all(map(shows, eyes_of(tab), (GREEN, RED))))


def test_video_over_scene_shows_the_pixels_of_both(tab, server):
    """Each pixel is mixed: the mark where the scene has it, and both halves of the video."""
    tab.panel("View")
    tab.page.get_by_label("Show").select_option("over")
    tab.enter_vr()
    for eye in (0, 1):
        put_image(server, eye, plain_jpeg(GREEN, BLUE))
    background = np.array([26, 26, 26])

    def mixed(eye, picture):
        place = eye_pixel(MARK, HEAD, quaternion(), (-1, 1)[eye], IPD, tangent=1.0, size=EYE)
        video = GREEN if place[0] < EYE / 2 else BLUE
        mark = blob(picture, (np.array(MAGENTA) + video) / 2)
        sides = picture[:, : EYE // 8], picture[:, -EYE // 8 :]
        return (
            mark is not None
            and np.abs(mark - place).max() < 1.0
            and all(
                np.abs(np.median(side, axis=(0, 1)) - (background + colour) / 2).max() < 12
                for side, colour in zip(sides, (GREEN, BLUE), strict=True)
            )
        )

    tab.until(lambda: all(mixed(eye, picture) for eye, picture in enumerate(eyes_of(tab))))


def test_video_over_scene_and_none_after_a_lost_connection(tab, server):
    """V6: no picture of a connection that is gone stays before the eyes."""
    tab.panel("View")
    tab.page.get_by_label("Show").select_option("over")
    tab.enter_vr()
    for eye in (0, 1):
        put_image(server, eye, plain_jpeg(RED))
    half = (np.array(RED) + np.array([26, 26, 26])) / 2
    tab.until(lambda: all(shows(eye, half) for eye in eyes_of(tab)))
    server.close()
    tab.until(lambda: all(blob(eye, MAGENTA) is not None for eye in eyes_of(tab)))
