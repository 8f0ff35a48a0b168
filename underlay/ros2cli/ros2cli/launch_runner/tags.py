"""Which tags exist, with which attributes and children.

A file is checked as a whole before anything is evaluated, parts that a condition leaves out
included: a misspelt tag or attribute never waits for the day it is used.
"""

from __future__ import annotations

from dataclasses import dataclass

from ros2cli.launch_runner.entity import Entity
from ros2cli.launch_runner.substitutions import SubstitutionError, check
from ros2cli.launch_runner.template import TemplateError, parse_template


@dataclass(frozen=True)
class Tag:
    """What an element may hold; `literal` attributes are taken as they are written."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    literal: frozenset[str] = frozenset()
    children: tuple[str, ...] = ()
    #: Holds actions, and not only its own kinds of children.
    container: bool = False

    @property
    def attributes(self) -> frozenset[str]:
        """All attributes."""
        return self.required | self.optional | self.literal


def _tag(
    required: str = "", optional: str = "", literal: str = "", children: str = "", **flags: bool
) -> Tag:
    return Tag(
        frozenset(required.split()),
        frozenset(optional.split()),
        frozenset(literal.split()),
        tuple(children.split()),
        **flags,
    )


_PROCESS = "cwd name launch-prefix output respawn"
_PROCESS_LITERAL = (
    "on_exit respawn_delay respawn_max_retries sigterm_timeout sigkill_timeout shell emulate_tty"
)

ACTIONS = {
    "arg": _tag("name", "default", "name description", "choice"),
    "let": _tag("name value"),
    "group": _tag("", "", "scoped forwarding", "keep", container=True),
    "include": _tag("file", "", "", "arg"),
    "node": _tag(
        "exec",
        f"{_PROCESS} pkg namespace args ros_args exec_name",
        _PROCESS_LITERAL,
        "param remap env",
    ),
    "executable": _tag("cmd", _PROCESS, _PROCESS_LITERAL, "env"),
    "set_env": _tag("name value"),
    "unset_env": _tag("name"),
    "push_ros_namespace": _tag("namespace"),
    "push-ros-namespace": _tag("namespace"),
    "set_parameter": _tag("name value"),
    "set_parameters_from_file": _tag("filename"),
    "set_remap": _tag("from to"),
    "log": _tag("message"),
}
CHILDREN = {
    "choice": _tag("", "", "value"),
    "keep": _tag("name value"),
    "param": _tag("", "from allow_substs name value", "type value-sep", "param"),
    "remap": _tag("from to"),
    "env": _tag("name value"),
}
#: `<arg>` means one thing in a file and another in `<include>`.
INCLUDE_ARGUMENT = _tag("name value")
CONDITIONS = ("if", "unless")


def check_file(root: Entity) -> None:
    """Check all of a launch file.

    Raises:
        LaunchError: with file and line of the first mistake.
    """
    if root.tag != "launch":
        raise root.error(f"Expected 'launch' as root tag, got '{root.tag}'")
    unexpected = set(root.attributes) - {"version", "deprecated"}
    if unexpected:
        raise root.error(f"Unexpected attribute(s) found in `launch`: {unexpected}")
    for child in root.children:
        _check_action(child)


def _check_action(entity: Entity) -> None:
    if entity.tag not in ACTIONS:
        raise entity.error(f"Unrecognized entity of the type: {entity.tag}")
    if all(condition in entity.attributes for condition in CONDITIONS):
        raise entity.error("if and unless conditions can't be used simultaneously")
    _check(entity, ACTIONS[entity.tag], CONDITIONS)


def _check(entity: Entity, tag: Tag, conditions: tuple[str, ...] = ()) -> None:
    unexpected = set(entity.attributes) - tag.attributes - set(conditions)
    if unexpected:
        raise entity.error(f"Unexpected attribute(s) found in `{entity.tag}`: {unexpected}")
    for name in sorted(tag.required):
        entity.require(name)
    for name in set(entity.attributes) - tag.literal:
        _check_template(entity, name)
    for child in entity.children:
        if child.tag in tag.children:
            _check(child, _child_tag(entity, child))
        elif tag.container:
            _check_action(child)
        else:
            raise child.error(
                f"Unexpected nested tag(s) found in `{entity.tag}`: {{'{child.tag}'}}"
            )


def _child_tag(parent: Entity, child: Entity) -> Tag:
    return INCLUDE_ARGUMENT if parent.tag == "include" else CHILDREN[child.tag]


def _check_template(entity: Entity, attribute: str) -> None:
    try:
        check(parse_template(entity.attributes[attribute]))
    except (TemplateError, SubstitutionError) as error:
        raise entity.error(f"{attribute}: {error}") from error
