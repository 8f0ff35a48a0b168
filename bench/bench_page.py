"""The page in Chromium, drawn in software at 640x400, camera panels closed, values at 30 Hz.

Frames per second are counted as they come. What a frame costs (script and drawing) is measured in a
run of its own, in which each frame waits until it is drawn; that is its whole cost, on the
renderer's threads too. `run(quick)` gives the rows.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "vr_view"))

from browsers import PAGE, Tab, running_browser
from page_feed import MAKERS, SPECS, Feed, scene
from page_servers import page_server

SIZE = (640, 400)
# Times of frames, and what each took; `window.waits` makes it wait for the drawing.
METER = """
window.frames_ = []; window.waits = false;
const ask = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (callback) => ask((time) => {
  const began = performance.now();
  callback(time);
  if (window.waits) {
    const gl = document.getElementById("view").getContext("webgl2");
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
  window.frames_.push([time, performance.now() - began]);
});
"""


def measured(tab, seconds, waits):
    """Return frames per second and the median milliseconds of one."""
    tab.page.evaluate(f"() => {{ window.waits = {'true' if waits else 'false'}; }}")
    tab.page.wait_for_timeout(1000)
    tab.page.evaluate("() => { window.frames_.length = 0; }")
    tab.page.wait_for_timeout(1000 * seconds)
    frames = tab.page.evaluate("() => window.frames_")
    times = [time for time, _ in frames]
    rate = 1000.0 * (len(times) - 1) / (times[-1] - times[0])
    return rate, statistics.median(cost for _, cost in frames)


def rows_of(tab, where, seconds):
    rate, script = measured(tab, seconds, False)
    _, whole = measured(tab, seconds, True)
    limits = {"flat": ({"required": 59.0}, {"required": 16.0, "at_least": False})}
    fast, cheap = limits.get(where, ({}, {}))
    name = f"page, {where}, 640x400 in software"
    return [
        {"name": f"{name}: frames", "value": rate, "unit": "1/s", **fast},
        {"name": f"{name}: script and drawing", "value": whole, "unit": "ms", **cheap},
        {"name": f"{name}: script alone", "value": script, "unit": "ms"},
    ]


def run(quick):
    seconds = 4 if quick else 10
    rows = []
    with tempfile.TemporaryDirectory() as folder, running_browser() as browser:
        document, assets = scene()
        parts = {"page": PAGE / "dist", "specs": SPECS, "makers": MAKERS}
        parts |= {"document": document, "assets": assets}
        with page_server(Path(folder), **parts) as server:
            feed = Feed(server.hub)
            feed.start()
            tab = Tab(browser, headset=True, size=SIZE)
            tab.page.add_init_script(METER)
            tab.open(f"http://localhost:{server.port}/")
            time.sleep(2.0)
            rows += rows_of(tab, "flat", seconds)
            tab.enter_vr()
            rows += rows_of(tab, "emulated headset", seconds)
            tab.close()
            feed.stop()
    return rows
