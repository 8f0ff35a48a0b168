"""Parameters as frozen dataclasses: described, ranged and checked once, wherever they come from.

A node declares one ROS parameter for each field (`ros_interface.parameters`), a trial file gives
the same names in YAML, and `docs/parameters.md` is written from the same descriptions. A field
that is itself such a dataclass nests: `zone.margin`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_type_hints

from spatial_types.suggestions import suggestion

T = TypeVar("T")


class ParameterError(ValueError):
    """A parameter is unknown, of the wrong type or out of range; the text names it."""


def parameter(
    default: Any,
    description: str,
    *,
    unit: str = "",
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] = (),
) -> Any:
    """Declare a dataclass field that is a parameter.

    `default` also fixes the type: bool, int, float, str, a list or tuple of those (stored as a
    tuple), or a nested parameter dataclass instance. A text may be empty only where the default is.
    """
    if isinstance(default, list):
        default = tuple(default)
    metadata = {
        "description": description,
        "unit": unit,
        "minimum": minimum,
        "maximum": maximum,
        "choices": tuple(choices),
    }
    return dataclasses.field(default=default, metadata=metadata)


def flatten(instance: Any, prefix: str = "") -> Iterator[tuple[str, dataclasses.Field[Any], Any]]:
    """Yield (dotted name, field, value) of every leaf of a parameter dataclass."""
    for item in dataclasses.fields(instance):
        value = getattr(instance, item.name)
        if dataclasses.is_dataclass(value):
            yield from flatten(value, f"{prefix}{item.name}.")
        else:
            yield prefix + item.name, item, value


def from_mapping(cls: type[T], values: Mapping[str, Any], where: str = "") -> T:
    """Build `cls` from nested or dotted names; unnamed fields keep their defaults.

    `where` stands in front of every error (a file, a node). Raises ParameterError for unknown
    names, wrong types and values out of range, and for what the class's own `check()` refuses.
    """
    flat = dict(_flat_items(values))
    known = {name: (item, value) for name, item, value in flatten(cls())}
    for name in flat:
        if name not in known:
            place = f"{where[:-1]}: " if where.endswith(".") else where
            raise ParameterError(f"{place}unknown parameter '{name}'; {suggestion(name, known)}")
    checked = {
        name: _checked(where + name, item, default, flat.get(name, default))
        for name, (item, default) in known.items()
    }
    instance = _build(cls, checked, "")
    check = getattr(instance, "check", None)
    if check is not None:
        try:
            check()
        except ParameterError as error:
            raise ParameterError(f"{where}{error}") from None
    return instance


def _flat_items(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat_items(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _build(cls: type[T], flat: Mapping[str, Any], prefix: str) -> T:
    hints = get_type_hints(cls)
    arguments: dict[str, Any] = {}
    for item in dataclasses.fields(cls):  # type: ignore[arg-type]
        if dataclasses.is_dataclass(hints.get(item.name)):
            arguments[item.name] = _build(hints[item.name], flat, f"{prefix}{item.name}.")
        else:
            arguments[item.name] = flat[prefix + item.name]
    return cls(**arguments)


def _checked(name: str, item: dataclasses.Field[Any], default: Any, value: Any) -> Any:
    """Return the value in the default's type, within its range; ParameterError otherwise."""
    meta = item.metadata
    if isinstance(default, tuple):
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ParameterError(f"{name} = {value!r}: expected a list")
        sample = default[0] if default else None
        return tuple(_checked_scalar(name, meta, sample, element) for element in value)
    return _checked_scalar(name, meta, default, value)


def _checked_scalar(name: str, meta: Mapping[str, Any], sample: Any, value: Any) -> Any:
    if sample is None:
        return value
    if isinstance(sample, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(sample):
        expected = type(sample).__name__
        raise ParameterError(f"{name} = {value!r}: expected {expected}")
    if meta.get("choices") and value not in meta["choices"]:
        raise ParameterError(f"{name} = {value!r}: expected one of {', '.join(meta['choices'])}")
    if sample and value == "":
        raise ParameterError(f"{name} = '': expected a text as '{sample}'")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        _check_range(name, meta, value)
    return value


def _check_range(name: str, meta: Mapping[str, Any], value: float) -> None:
    if not math.isfinite(value):
        raise ParameterError(f"{name} = {value}: expected a finite number")
    low, high = meta.get("minimum"), meta.get("maximum")
    unit = f" {meta['unit']}" if meta.get("unit") else ""
    if low is not None and value < low:
        raise ParameterError(f"{name} = {value}{unit}: expected at least {low}{unit}")
    if high is not None and value > high:
        raise ParameterError(f"{name} = {value}{unit}: expected at most {high}{unit}")
