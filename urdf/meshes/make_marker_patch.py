"""Write `marker_patch.obj`, the curved surface of one coloured marker of the target.

Run it from anywhere after a change of the sizes below: `python3 make_marker_patch.py`. The patch
stands 0.1 mm proud of the cylinder, as a printed foil does: above the facets of the rendered
cylinder, and far below what a pixel resolves. Its middle lies at +x, its height along z.
"""

from __future__ import annotations

import math
from pathlib import Path

RADIUS = 0.1001
HEIGHT = 0.06
ARC = math.radians(30.0)
SEGMENTS = 24
PATH = Path(__file__).with_name("marker_patch.obj")


def marker_patch() -> str:
    """Return the patch in Wavefront OBJ text, metres, normals radial."""
    lines = ["# One marker of the target, made by make_marker_patch.py"]
    angles = [ARC * (k / SEGMENTS - 0.5) for k in range(SEGMENTS + 1)]
    for z in (-HEIGHT / 2, HEIGHT / 2):
        lines += [
            f"v {RADIUS * math.cos(a):.7f} {RADIUS * math.sin(a):.7f} {z:.7f}" for a in angles
        ]
    lines += [f"vn {math.cos(a):.7f} {math.sin(a):.7f} 0" for a in angles]
    for k in range(1, SEGMENTS + 1):
        low, high = k, k + SEGMENTS + 1
        lines.append(f"f {low}//{k} {low + 1}//{k + 1} {high + 1}//{k + 1}")
        lines.append(f"f {low}//{k} {high + 1}//{k + 1} {high}//{k}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(marker_patch())
