"""`make worlds`: each room with the station and the phone-robot in it, as one SDF file.

The town has a drone on its landing pad too.

Gazebo shows `worlds/NAME_full.sdf` by itself, without ROS and without anything on its search paths.
The files are written from the rooms and the URDFs; they are kept with them, and a test says when
they are out of date.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from scene_sim.description.sdf_writer import model_text

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("ground_truth_room", "hall_with_pillars", "l_shaped_room", "long_corridor", "town")
#: URDF, model name, and where it stands (x y yaw, as scene.launch.xml's robot_pose).
MODELS = (
    ("urdf/station.urdf.xacro", "station", (0.0, 0.0, 0.0)),
    ("urdf/phone_robot.urdf.xacro", "phone_robot", (0.0, 2.0, 0.0)),
)
#: What stands in a world besides.
MORE = {"town": (("urdf/drone.urdf.xacro", "drone", (-2.5, 1.0, 0.0)),)}
HEAD = '<?xml version="1.0"?>\n<!-- Written by `make worlds` from {sources}; do not edit. -->\n'
END = "  </world>\n</sdf>\n"


def full_world(room: str, root: Path = ROOT) -> str:
    """Return the text of a room's file with the models put in before its end."""
    text = (root / "worlds" / f"{room}.sdf").read_text()
    if not text.endswith(END):
        raise ValueError(f"worlds/{room}.sdf: expected it to end with </world> and </sdf>")
    placed = (*MODELS, *MORE.get(room, ()))
    sources = ", ".join([f"worlds/{room}.sdf", *(file for file, _, _ in placed)])
    head = HEAD.format(sources=sources)
    models = [model_text(root / file, name, pose) for file, name, pose in placed]
    body = text[: -len(END)].removeprefix('<?xml version="1.0"?>\n')
    return head + body + "\n" + "\n".join(models) + END


def main(args: Sequence[str] | None = None) -> int:
    """Write all files into the folder given (default: worlds/)."""
    folders = list(sys.argv[1:] if args is None else args)
    folder = Path(folders[0]) if folders else ROOT / "worlds"
    for room in ROOMS:
        (folder / f"{room}_full.sdf").write_text(full_world(room))
    return 0


if __name__ == "__main__":
    sys.exit(main())
