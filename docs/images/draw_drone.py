"""Draw `drone.png`: `PYTHONPATH=. python3 docs/images/draw_drone.py` from the repository's root.

One flight around the room, as drone.launch.xml flies it, with the drone at several moments of it.
"""

from pathlib import Path

import cv2
import numpy as np
from flying_drone import flying, painting

from mavlink_bridge.files.trajectory_file import TrajectoryPoint

CORNERS = [(0.0, 0.0), (5.0, 0.0), (5.0, 2.2), (0.0, 2.2), (0.0, 0.0)]
YAWS = [0.0, 1.57, 3.14, -1.57, 0.0]
SIDE = 5.0

simulator, flight = flying("ground_truth_room", (-2.5, 1.0), shadow_map=2048)
# From within the room: from outside the near wall would hide a third of it.
paint = painting(simulator, (960, 560), (0.0, 2.35, 0.5), 7.2, 90.0, -76.0)
moments = []


def look() -> bool:
    """Take a picture twice on each side; never the end of anything."""
    if simulator.time >= len(moments) * SIDE / 2 * 1e9 + begin:
        moments.append(paint())
    return not flight.bridge.setpoints.is_live


points = [
    TrajectoryPoint((x, y, 1.5), yaw, SIDE * index, 0.5)
    for index, ((x, y), yaw) in enumerate(zip(CORNERS, YAWS, strict=True))
]
begin = simulator.time + 2_000_000_000
flight.start(points)
flight.run(60.0, look)

pictures = np.array(moments)
empty = np.median(pictures, axis=0).astype(np.uint8)
result = empty.copy()
for picture in pictures:
    differs = np.abs(picture.astype(int) - empty).sum(axis=2) > 24
    result[differs] = picture[differs]
cv2.imwrite(str(Path(__file__).with_name("drone.png")), result[:, :, ::-1])
