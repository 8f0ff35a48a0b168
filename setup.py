"""Install Truthbed as an ament_python package."""

from glob import glob
from pathlib import Path

from setuptools import setup

ROOMS = [
    "spatial_types",
    "ros_interface",
    "ground_truth_localizer",
    "scene_sim",
    "scene_sim.description",
    "evaluation",
]
DATA_FOLDERS = ["launch", "config", "worlds", "urdf", "hook"]

# What no rosdep key names: docs/install_ros.md says how a ROS machine gets it.
EXTRAS = {
    "embedded": ["mujoco>=3.3.7,<4"],
    "evaluation": ["rosbags>=0.9.20,<1", "evo>=1.29,<2"],
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
    return entries


setup(
    name="truthbed",
    version="0.1.0",
    packages=ROOMS,
    package_data={"evaluation": ["templates/*"]},
    data_files=data_files(),
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"], **EXTRAS},
    zip_safe=False,
    description="Ground truth for small robots from a laser and a panning camera",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [f"{name} = {module}:main" for name, module in PROGRAMS.items()]
    },
)
