"""Draw vr_page.png, vr_drone.png and vr_stereo.png: the page, sent the values of a made-up drive.

    python docs/images/draw_page.py

needs `make page`, Chromium and requirements-test.txt.
"""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench"), str(ROOT / "test/vr_view")]

from browsers import PAGE, Tab, running_browser  # noqa: E402
from page_feed import MAKERS, SPECS, Feed, scene  # noqa: E402
from page_servers import page_server  # noqa: E402

WAIT = 6000  # ms until there is a trail
SIZE = (1100, 680)
LINE = 4  # pixels of white between the eyes
# Clicked for a trajectory, in a window of SIZE.
CORNERS = [(330, 240), (420, 200), (520, 195), (600, 230), (560, 290), (450, 300)]


def keep(tab, name, eyes=1):
    """Write what is seen; of two eyes with a line between them."""
    picture = Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")
    if eyes == 2:
        middle = picture.width // 2
        picture.paste("white", (middle - LINE // 2, 0, middle + LINE // 2, picture.height))
    picture.save(HERE / name, optimize=True)


def draw_flat(browser, url):
    """Draw the room with the simulator's panel, then the drone's with a trajectory."""
    tab = Tab(browser, headset=True, size=SIZE).open(url)
    tab.panel("Simulator")
    tab.page.wait_for_timeout(WAIT)
    keep(tab, "vr_page.png")
    tab.panel("Drone")
    tab.click("Draw")
    for corner in CORNERS:
        tab.page.mouse.click(*corner)
    tab.page.wait_for_timeout(2000)
    keep(tab, "vr_drone.png")
    tab.close()


def draw_stereo(browser, url):
    """Draw what both eyes of an emulated headset see."""
    tab = Tab(browser, headset=True, size=(1000, 500)).open(url)
    tab.page.evaluate(
        "() => { headset.position.set(0, 1.25, -0.55);"
        "headset.quaternion.set(-0.16, 0.0, 0, Math.sqrt(1 - 0.16 * 0.16));"
        "headset.controllers.left.position.set(-0.25, 0.85, -1.0);"
        "headset.controllers.right.position.set(0.25, 0.85, -1.0); }"
    )
    tab.page.wait_for_timeout(2000)
    tab.enter_vr()
    tab.page.wait_for_timeout(3000)
    keep(tab, "vr_stereo.png", eyes=2)
    tab.close()


def main():
    """Serve the page and draw all of them."""
    document, assets = scene()
    parts = {"page": PAGE / "dist", "specs": SPECS, "makers": MAKERS, "document": document}
    with (
        tempfile.TemporaryDirectory() as folder,
        running_browser() as browser,
        page_server(Path(folder), assets=assets, **parts) as server,
    ):
        feed = Feed(server.hub)
        feed.start()
        url = f"http://localhost:{server.port}/"
        draw_flat(browser, url)
        draw_stereo(browser, url)
        feed.stop()


if __name__ == "__main__":
    main()
