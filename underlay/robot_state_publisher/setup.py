from setuptools import setup

setup(
    name="robot_state_publisher",
    version="0.1.0",
    packages=["robot_state_publisher"],
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/robot_state_publisher"]),
        ("share/robot_state_publisher", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    description="robot_state_publisher in plain Python",
    license="Apache-2.0",
    entry_points={
        "console_scripts": ["robot_state_publisher = robot_state_publisher.program:main"]
    },
)
