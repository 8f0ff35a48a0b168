"""Message and service classes by name, filled from YAML and shown as YAML or CSV."""

from __future__ import annotations

import array
import importlib
import sys
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import yaml
from rosidl_parser.definition import (
    AbstractNestedType,
    AbstractString,
    AbstractWString,
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
)

from ros2cli.cli import CommandError

MessageClass = Any  # a generated class; its shape is known only at run time
Message = Any


def _find_class(name: str, kind: str) -> Any:
    parts = name.split("/")
    if len(parts) == 2:
        parts.insert(1, kind)
    if len(parts) != 3 or parts[1] != kind:
        return None
    try:
        return getattr(importlib.import_module(f"{parts[0]}.{kind}"), parts[2], None)
    except ModuleNotFoundError:
        return None


def message_class(name: str) -> MessageClass:
    """Class of `package/msg/Type` (or `package/Type`).

    Raises:
        CommandError: no such type here.
    """
    found = _find_class(name, "msg")
    if not hasattr(found, "SLOT_TYPES"):
        raise CommandError(f"The message type '{name}' is invalid")
    return found


def service_class(name: str) -> Any:
    """Class of `package/srv/Type` (or `package/Type`).

    Raises:
        CommandError: no such type here.
    """
    found = _find_class(name, "srv")
    if found is None:
        raise CommandError("The passed service type is invalid")
    if not hasattr(found, "Request"):
        raise CommandError("The passed type is not a service")
    return found


# Filling


def set_fields(message: Message, values: Mapping[str, Any]) -> list[Callable[[Any], None]]:
    """Fill a message from a mapping.

    Returns:
        Setters of the stamps written as `auto` (a header) or `now` (a time), to be called with
        the time of each publication.

    Raises:
        AttributeError: no such field.
        TypeError, ValueError: a value does not fit its field.
    """
    if not isinstance(values, Mapping):
        raise TypeError(
            f"Value '{values}' is expected to be a dictionary but is a {type(values).__name__}"
        )
    setters: list[Callable[[Any], None]] = []
    types = dict(zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True))
    for name, value in values.items():
        field = getattr(message, name)
        kind = ".".join([*type(field).__module__.split(".")[:2], type(field).__name__])
        if kind == "std_msgs.msg.Header" and value == "auto":
            setters.append(partial(setattr, field, "stamp"))
        elif kind == "builtin_interfaces.msg.Time" and value == "now":
            setters.append(partial(setattr, message, name))
        else:
            setattr(message, name, _converted(field, types[name], value, setters))
    return setters


def _converted(
    field: Any, field_type: Any, value: Any, setters: list[Callable[[Any], None]]
) -> Any:
    if isinstance(field, array.array):
        return array.array(field.typecode, value)
    if isinstance(field, np.ndarray):
        return np.array(value, dtype=field.dtype)
    if isinstance(field_type, AbstractNestedType):
        return [_item(field_type.value_type, item, setters) for item in value]
    if hasattr(field, "SLOT_TYPES"):
        setters += set_fields(field, value)
        return field
    if isinstance(value, type(field)):
        return value
    if isinstance(field, bool):
        raise TypeError(f"'{value}' is not a boolean")
    if isinstance(field, bytes):
        return bytes([value]) if isinstance(value, int) else value.encode()
    return type(field)(value)


def _item(item_type: Any, value: Any, setters: list[Callable[[Any], None]]) -> Any:
    if not isinstance(item_type, NamespacedType):
        return value
    message = message_class("/".join(item_type.namespaced_name()))()
    setters += set_fields(message, value)
    return message


# Showing


@dataclass(frozen=True)
class Style:
    """How much of a message is shown."""

    truncate: int | None = None
    no_arrays: bool = False
    no_strings: bool = False


def to_plain(value: Any, style: Style, field_type: Any = None) -> Any:
    """Turn a message, or a field of one, into what YAML can hold."""
    if isinstance(value, bytes):
        return _shortened("".join(chr(byte) for byte in value), style.truncate)
    if isinstance(value, str):
        if style.no_strings:
            return f"<string length: <{len(value)}>>"
        return _shortened(value, style.truncate)
    if isinstance(value, (list, tuple, array.array, np.ndarray)):
        if style.no_arrays and field_type is not None:
            return array_summary(value, field_type)
        shown = value if style.truncate is None else value[: style.truncate]
        items = [to_plain(item, style) for item in shown]
        return items + (["..."] if len(shown) < len(value) else [])
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (bool, int, float)):
        return value
    names = value.get_fields_and_field_types()
    return {
        name: to_plain(getattr(value, name), style, kind)
        for name, kind in zip(names, value.SLOT_TYPES, strict=True)
    }


def _shortened(text: str, length: int | None) -> str:
    return text if length is None or len(text) <= length else text[:length] + "..."


def array_summary(value: Sized, field_type: Any) -> str:
    """What stands for an array that is not shown."""
    item = _type_name(field_type.value_type)
    if isinstance(field_type, Array):
        return f"<array type: {item}[{field_type.size}]>"
    bound = f"[{field_type.maximum_size}]" if isinstance(field_type, BoundedSequence) else ""
    return f"<sequence type: {item}{bound}, length: {len(value)}>"


def _type_name(value_type: Any) -> str:
    if isinstance(value_type, BasicType):
        return str(value_type.typename)
    if isinstance(value_type, AbstractString):
        return "string"
    if isinstance(value_type, AbstractWString):
        return "wstring"
    return "/".join(value_type.namespaced_name())


def to_yaml(message: Message, style: Style, flow: bool = False) -> str:
    """A message as YAML."""
    return yaml.dump(
        to_plain(message, style),
        allow_unicode=True,
        width=sys.maxsize,
        default_flow_style=flow,
        sort_keys=False,
    )


def to_csv(message: Message, style: Style) -> str:
    """All values of a message, in order, separated by commas."""
    return ",".join(_flat(to_plain(message, style)))


def _flat(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _flat(item)]
    if isinstance(value, list):
        return [text for item in value for text in _flat(item)]
    return [str(value)]
