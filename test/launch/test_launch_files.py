"""The launch files hold nothing that the oldest supported ROS, Humble, does not know."""

import re
import shlex
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "launch"
FILES = sorted(FOLDER.glob("*.launch.xml"))

# What launch 1.0.7 (github.com/ros2/launch, branch humble, commit f31c1ff1) and launch_ros
# (github.com/ros2/launch_ros, branch humble, commit 25a207ca) expose: `@expose_substitution`,
# `@expose_action`, and the attributes that each action's `parse` reads.
SUBSTITUTIONS = {
    "dirname",
    "filename",
    "var",
    "env",
    "find-exec",
    "eval",
    "command",
    "anon",
    "not",
    "and",
    "or",
    "find-pkg-share",
    "find-pkg-prefix",
    "exec-in-pkg",
    "param",
}
TAGS = {
    "launch": "version",
    "arg": "name default description value",
    "choice": "value",
    "let": "name value",
    "set_env": "name value",
    "include": "file",
    "group": "scoped forwarding",
    "set_parameter": "name value",
    "remap": "from to",
    "param": "name value type value-sep from allow_substs",
    "executable": "cmd cwd name launch-prefix output respawn respawn_delay shell",
    "node": "pkg exec name namespace exec_name args ros_args cwd launch-prefix output respawn "
    "respawn_delay shell",
}
# Read on other distributions only: `on_exit` came with launch 2.1 (Iron and later).
NOT_ON_HUMBLE = "required_node.launch.xml"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_everything_used_is_known_to_humble(path):
    used = set(re.findall(r"\$\(([\w-]+)", path.read_text()))
    assert used <= SUBSTITUTIONS
    for element in ElementTree.parse(path).iter():
        known = {*TAGS[element.tag].split(), "if", "unless"}
        if path.name == NOT_ON_HUMBLE:
            known.add("on_exit")
        assert set(element.attrib) <= known, element.tag


def test_humble_reads_the_file_without_on_exit():
    scene = (FOLDER / "scene.launch.xml").read_text()
    assert NOT_ON_HUMBLE not in scene  # only by way of the variable
    choice = re.search(r'name="required_node" value="([^"]*)"', scene).group(1)
    assert choice.index("plain_node") < choice.index("humble") < choice.index("required_node")
    with_exit, without = (
        re.sub(r"<!--.*?-->", "", (FOLDER / f"{name}.launch.xml").read_text())
        for name in ("required_node", "plain_node")
    )
    assert with_exit.replace(' on_exit="shutdown"', "") == without != with_exit


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_quotes_stand_about_a_substitution_in_a_command(path):
    # launch_xml splits the text before and after a substitution each by itself.
    for element in ElementTree.parse(path).iter("executable"):
        for text in re.split(r"\$\([^)]*\)", element.get("cmd")):
            shlex.split(text)
