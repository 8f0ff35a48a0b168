"""Write docs/parameters.md from the parameter dataclasses of the nodes: `make docs`.

The classes hold name, default, unit, range and description of each parameter, and nothing else
does, so the page cannot disagree with the nodes.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from spatial_types.parameters import flatten

PAGE = Path(__file__).parent / "parameters.md"
NODES = {
    "laser_localizer": "ground_truth_localizer.laser_localizer_node:LaserNodeParameters",
    "camera_tracker": "ground_truth_localizer.camera_tracker_node:TrackerNodeParameters",
    "orientation_estimator": (
        "ground_truth_localizer.orientation_estimator_node:OrientationNodeParameters"
    ),
    "scene_sim": "scene_sim.scene_sim_node:SceneSimParameters",
    "classic_pan": "scene_sim.classic_pan_node:ClassicPanParameters",
    "fly_square": "mavlink_bridge.fly_square_node:SquareParameters",
    "simulated_autopilot_node": ("mavlink_bridge.simulated_autopilot_node:AutopilotNodeParameters"),
    "mavlink_bridge": "mavlink_bridge.mavlink_bridge_node:NodeParameters",
    "viewpoint_node": "vr_view.viewpoint_node:ViewpointParameters",
    "hands_node": "vr_view.hands_node:HandsParameters",
    "stereo_split_node": "vr_view.stereo_split_node:SplitParameters",
    "head_source": "vr_view.head_source_node:HeadSourceParameters",
    "page_server": "vr_view.page_server_node:PageParameters",
    "viewpoint_chase": "vr_view.viewpoint_chase_node:ChaseParameters",
    "trial_runner": "evaluation.trial_runner_node:RunnerParameters",
}
HEAD = """# Parameters

Written by `make docs` from the code; do not edit. All are read at start: a value of the wrong type
or out of range, or a name that the node does not have, ends the node with exit code 2 and a line
that says so. Trial files set the same names.

One is not in the tables, since it may be set while the node runs: `real_time_factor` of
`scene_sim`, simulated per wall time (default 1, at least 0; 0 is as fast as possible).
"""


def load(place: str) -> type[Any]:
    """Return the class named `module:Class`."""
    module, name = place.split(":")
    return getattr(import_module(module), name)


def allowed(meta: Any) -> str:
    """Say which values a parameter takes."""
    if meta["choices"]:
        return ", ".join(f"`{choice}`" for choice in meta["choices"])
    low, high = meta["minimum"], meta["maximum"]
    if low is None and high is None:
        return ""
    if high is None:
        return f"at least {shown(low)}"
    return f"at most {shown(high)}" if low is None else f"{shown(low)} to {shown(high)}"


def shown(value: Any) -> str:
    """Write a value as YAML does; ROS has no empty list of texts, so ours has one empty text."""
    if value == ("",):
        return "[]"
    if isinstance(value, tuple):
        return "[" + ", ".join(shown(element) for element in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:.0f}" if float(value).is_integer() else f"{value:g}"


def table(cls: type[Any]) -> str:
    """Return the Markdown table of one node."""
    rows = ["| Parameter | Default | Unit | Allowed | What it is |", "|---|---|---|---|---|"]
    for name, item, value in flatten(cls()):
        meta = item.metadata
        text = str(meta["description"]).replace("|", "\\|")
        rows.append(f"| `{name}` | `{shown(value)}` | {meta['unit']} | {allowed(meta)} | {text} |")
    return "\n".join(rows)


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    parts += [f"## {node}\n\n{table(load(place))}\n" for node, place in NODES.items()]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
