from setuptools import setup

setup(
    name="tf2_ros_py",
    version="0.1.0",
    packages=["tf2_py", "tf2_ros"],
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/tf2_ros_py"]),
        ("share/tf2_ros_py", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    description="The parts of tf2_ros that Truthbed uses, in plain Python",
    license="Apache-2.0",
)
