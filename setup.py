"""Install Truthbed as an ament_python package."""

import sys
from glob import glob
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOMS = [
    "spatial_types",
    "ros_interface",
    "ground_truth_localizer",
    "scene_sim",
    "scene_sim.description",
    "evaluation",
    "mavlink_bridge",
    "mavlink_bridge.dialect",
    "mavlink_bridge.wire",
    "mavlink_bridge.links",
    "mavlink_bridge.handlers",
    "mavlink_bridge.autopilots",
    "mavlink_bridge.sending",
    "mavlink_bridge.files",
    "mavlink_bridge.missions",
    "mavlink_bridge.simulated_autopilot",
    "mavlink_bridge.mapping",
    "mavlink_bridge.piloting",
    "vr_view",
    "vr_view.hands",
    "vr_view.server",
    "vr_view.stereo",
    "vr_view.viewpoints",
    "vr_view.head_sources",
]
DATA_FOLDERS = ["launch", "config", "worlds", "urdf", "hook"]

# What no rosdep key names: docs/install_ros.md says how a ROS machine gets it.
EXTRAS = {
    "embedded": ["mujoco>=3.3.7,<4"],
    "evaluation": ["rosbags>=0.9.20,<1", "evo>=1.29,<2"],
    "openvr": ["openvr>=2.2,<3"],
    "mavlink": ["pymavlink>=2.4.42,<3", "pyserial>=3.5,<4"],
}

# `ros2 run truthbed NAME` finds each of these; a node's module is <room>/<name>_node.py.
PROGRAMS = {
    "laser_localizer": "ground_truth_localizer.laser_localizer_node",
    "camera_tracker": "ground_truth_localizer.camera_tracker_node",
    "orientation_estimator": "ground_truth_localizer.orientation_estimator_node",
    "scene_sim": "scene_sim.scene_sim_node",
    "classic_pan": "scene_sim.classic_pan_node",
    "run_trial": "evaluation.run_trial",
    "trial_parameters": "evaluation.trial_parameters",
    "trial_runner": "evaluation.trial_runner_node",
    "evaluate_bag": "evaluation.evaluate_bag",
    "mavlink_bridge": "mavlink_bridge.mavlink_bridge_node",
    "link_emulator": "mavlink_bridge.links.emulate_link",
    "mavlink_key": "mavlink_bridge.wire.key_file",
    "thin_link_trial": "mavlink_bridge.thin_link_trial",
    "throughput": "mavlink_bridge.throughput",
    "simulated_autopilot": "mavlink_bridge.simulated_autopilot.program",
    "simulated_autopilot_node": "mavlink_bridge.simulated_autopilot_node",
    "fly_square": "mavlink_bridge.fly_square_node",
    "calibrate_station": "evaluation.calibrate_station",
    "target_drawing": "evaluation.target_drawing",
    "viewpoint_node": "vr_view.viewpoint_node",
    "head_source": "vr_view.head_source_node",
    "page_server": "vr_view.page_server_node",
    "viewpoint_rate": "vr_view.viewpoint_rate_node",
    "hands_node": "vr_view.hands_node",
    "stereo_split_node": "vr_view.stereo_split_node",
    "viewpoint_chase": "vr_view.viewpoint_chase_node",
}


def data_files() -> list[tuple[str, list[str]]]:
    """Every file under the data folders, installed below share/truthbed as it lies here."""
    entries = [
        ("share/ament_index/resource_index/packages", ["resource/truthbed"]),
        ("share/truthbed", ["package.xml"]),
    ]
    for folder in DATA_FOLDERS:
        for path in [Path(folder), *Path(folder).rglob("*")]:
            if path.is_dir():
                files = [name for name in glob(f"{path}/*") if Path(name).is_file()]
                if files:
                    entries.append((f"share/truthbed/{path}", files))
    # Built by `make page`; where it was not, the page's server says how.
    page = sorted(glob("vr_view/page/dist/*"))
    return [*entries, ("share/truthbed/page", page)] if page else entries


class BuildWithDialect(build_py):
    """Also writes the module of the MAVLink dialect; without pymavlink its first user does."""

    def run(self) -> None:
        super().run()
        sys.path.insert(0, str(Path(__file__).parent))
        from mavlink_bridge.dialect.generator import XML, generate

        try:
            folder = Path(self.build_lib, "mavlink_bridge", "dialect", "_generated")
            generate(XML, folder / "truthbed.py")
        except ModuleNotFoundError as error:
            self.warn(f"{error}: the MAVLink dialect will be generated when it is first used")
        finally:
            sys.path.pop(0)


setup(
    name="truthbed",
    version="0.1.0",
    packages=ROOMS,
    package_data={"evaluation": ["templates/*"], "mavlink_bridge.dialect": ["*.xml"]},
    cmdclass={"build_py": BuildWithDialect},
    data_files=data_files(),
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"], **EXTRAS},
    zip_safe=False,
    description="Ground truth for small robots from a laser and a panning camera",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            f"{name} = ros_interface.program_start:main_of.{module}"
            for name, module in PROGRAMS.items()
        ]
    },
)
