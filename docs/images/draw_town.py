"""Draw `town.png`: `PYTHONPATH=. python3 docs/images/draw_town.py` from the repository's root.

The town with station, phone-robot and the drone, which holds its place in the wind.
"""

from pathlib import Path

import cv2
from flying_drone import flying, painting

simulator, _ = flying("town", (-2.5, 1.0), shadow_map=4096)
paint = painting(simulator, (960, 540), (-0.2, 4.4, 1.3), 10.5, 76.0, -19.0)
cv2.imwrite(str(Path(__file__).with_name("town.png")), paint()[:, :, ::-1])
