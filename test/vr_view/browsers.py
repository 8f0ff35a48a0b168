"""Chromium for the tests of the page, with or without an emulated headset."""

import contextlib
import json
import shutil
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

PAGE = Path(__file__).resolve().parents[2] / "vr_view/page"
HEADSET = PAGE / "build/headset.js"
PATIENCE = 90.0  # s: a busy machine draws slowly
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP lan.test 127.0.0.1",  # a name that is no localhost
]


def needed():
    """Return Playwright and the browser's path; skips, saying what is missing."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: requirements-test.txt"
    )
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        pytest.skip("needs a browser: Debian's chromium")
    if not (PAGE / "dist/index.html").is_file() or not HEADSET.is_file():
        pytest.skip("needs the built page: run `make page` first")
    return playwright, browser


@contextlib.contextmanager
def running_browser():
    """Yield a browser that draws in software."""
    playwright, path = needed()
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


class Tab:
    """One page in a context of its own, which is to log no error."""

    def __init__(self, browser, headset=False, size=(800, 400), **options):
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, ignore_https_errors=True, **options
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE * 1e3)
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self._sent = []
        self.page.on("websocket", self._listen)
        if headset:
            self.page.add_init_script(path=str(HEADSET))

    def _listen(self, socket):
        socket.on("framesent", lambda text: self._sent.append(text))

    def open(self, url):
        """Open the page and wait until it is connected."""
        self.page.goto(url)
        self.connected()
        return self

    def connected(self):
        self.page.locator(".state.on").wait_for()

    def click(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def panel(self, name):
        self.page.get_by_role("tab", name=name).click()

    def enter_vr(self):
        """Begin a session, and wait for its controllers: at first it has none."""
        self.click("Enter VR")
        controllers = "window.headset.activeSession?.inputSources.length === 2"
        self.until(lambda: self.page.evaluate(controllers))

    def record_pulses(self):
        """Keep what the controllers are told to shake, as [hand, amplitude, ms], in `pulses`."""
        self.page.evaluate(
            """() => { window.pulses = [];
              for (const source of headset.activeSession.inputSources) {
                const record = (...given) =>
                  Promise.resolve(window.pulses.push([source.handedness, ...given]));
                Object.defineProperty(source.gamepad, "hapticActuators",
                  { value: [{ pulse: record }], configurable: true });
              } }"""
        )

    def until(self, condition):
        """Wait for a condition, while the browser goes on."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"waited in vain; errors of the page: {self.errors}"
            self.page.wait_for_timeout(30)

    def picture(self):
        """Return what is seen (H, W, 3), RGB."""
        data = np.frombuffer(self.page.screenshot(), dtype=np.uint8)
        return cv2.imdecode(data, cv2.IMREAD_COLOR)[..., ::-1]

    def said(self, kind):
        """Return what the page has told servers, of one type."""
        return [message for message in map(json.loads, self._sent) if message["type"] == kind]

    def close(self):
        self.context.close()
        assert not self.errors


def blob(picture, colour):
    """Return the centre (x, y) of the pixels of about a colour; None where there are none."""
    near = np.abs(picture.astype(int) - colour).max(axis=2) < 60
    if near.sum() < 4:
        return None
    rows, columns = np.nonzero(near)
    return np.array([columns.mean() + 0.5, rows.mean() + 0.5])
