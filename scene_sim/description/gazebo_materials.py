"""The plain colours among Gazebo's named materials (`Gazebo/Red`), as their scripts define them."""

from __future__ import annotations

from .shapes import Colour, Material


def _plain(red: float, green: float, blue: float, alpha: float = 1.0) -> Material:
    colour: Colour = (red, green, blue, alpha)
    return Material(ambient=colour, diffuse=colour, specular=(0.1, 0.1, 0.1, 1.0))


GAZEBO_MATERIALS: dict[str, Material] = {
    "Gazebo/Grey": Material((0.3, 0.3, 0.3, 1.0), (0.7, 0.7, 0.7, 1.0), (0.01, 0.01, 0.01, 1.0)),
    "Gazebo/DarkGrey": Material(
        (0.175, 0.175, 0.175, 1.0), (0.175, 0.175, 0.175, 1.0), (0.175, 0.175, 0.175, 1.0)
    ),
    "Gazebo/White": _plain(1.0, 1.0, 1.0),
    "Gazebo/Black": Material((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0), (0.1, 0.1, 0.1, 1.0)),
    "Gazebo/FlatBlack": Material((0.1, 0.1, 0.1, 1.0), (0.1, 0.1, 0.1, 1.0)),
    "Gazebo/Red": _plain(1.0, 0.0, 0.0),
    "Gazebo/Green": _plain(0.0, 1.0, 0.0),
    "Gazebo/Blue": _plain(0.0, 0.0, 1.0),
    "Gazebo/Yellow": _plain(1.0, 1.0, 0.0),
    "Gazebo/Purple": _plain(1.0, 0.0, 1.0),
    "Gazebo/Turquoise": _plain(0.0, 1.0, 1.0),
    "Gazebo/Orange": _plain(1.0, 0.5088, 0.0468),
}
