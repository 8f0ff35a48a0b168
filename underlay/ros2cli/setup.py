"""Install the stand-in for the ros2 command."""

from setuptools import find_packages, setup

setup(
    name="ros2cli",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/ros2cli"]),
        ("share/ros2cli", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=False,
    description="The part of the ros2 command that Truthbed uses",
    license="Apache-2.0",
    entry_points={"console_scripts": ["ros2 = ros2cli.cli:entry"]},
)
