"""ROS parameters of a node, declared from a parameter dataclass (spatial_types.parameters)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, TypeVar

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from ros_interface.errors import ConfigurationError
from spatial_types.parameters import ParameterError, flatten, from_mapping
from spatial_types.suggestions import suggestion

T = TypeVar("T")


def declare_parameters(node: Node, cls: type[T]) -> T:
    """Declare every leaf of `cls` as a read-only parameter and return the checked instance.

    Overrides come from the launch file, a parameter file or the command line. Raises
    ConfigurationError that names the parameter, its value and what was expected; a name in the
    overrides that the node does not have is an error too, unless it starts with `qos_overrides.`.
    """
    values: dict[str, Any] = {}
    for name, item, default in flatten(cls()):
        values[name] = _declare(node, name, item, default)
    _refuse_unknown(node, values)
    try:
        return from_mapping(cls, values)
    except ParameterError as error:
        raise ConfigurationError(f"{node.get_name()}: {error}") from None


def parameter_message(name: str, value: Any) -> ParameterMessage:
    """Return a parameter as the services that set parameters take it."""
    message: ParameterMessage = Parameter(name, value=value).to_parameter_msg()
    return message


def _declare(node: Node, name: str, item: dataclasses.Field[Any], default: Any) -> Any:
    # Types are checked by from_mapping, so that a whole number given for a float is taken.
    descriptor = ParameterDescriptor(
        description=_description(item), read_only=True, dynamic_typing=True
    )
    initial = list(default) if isinstance(default, tuple) else default
    try:
        value = node.declare_parameter(name, initial, descriptor).value
    except (InvalidParameterTypeException, InvalidParameterValueException) as error:
        raise ConfigurationError(f"{node.get_name()}: {name}: {error}") from None
    if value is None or (isinstance(default, tuple) and not default and len(value) == 0):
        return default
    return list(value) if isinstance(default, tuple) and not isinstance(value, str) else value


def _description(item: dataclasses.Field[Any]) -> str:
    meta = item.metadata
    parts = [str(meta["description"])]
    if meta.get("unit"):
        parts.append(f"[{meta['unit']}]")
    if meta.get("choices"):
        parts.append("one of: " + ", ".join(meta["choices"]))
    return " ".join(parts)


def _refuse_unknown(node: Node, known: Iterable[str]) -> None:
    for name in node._parameter_overrides:
        if not node.has_parameter(name) and not name.startswith("qos_overrides."):
            hint = suggestion(name, known)
            raise ConfigurationError(f"{node.get_name()}: unknown parameter '{name}'; {hint}")
