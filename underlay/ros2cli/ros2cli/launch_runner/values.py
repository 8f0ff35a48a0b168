"""Types of launch values: text that YAML or a declared type turns into a parameter's value."""

from __future__ import annotations

from typing import Any

import yaml

SCALARS: dict[str, type] = {"str": str, "bool": bool, "float": float, "int": int}
TYPES = (*SCALARS, *(f"list_of_{name}" for name in SCALARS), "yaml")

Value = Any  # bool, int, float, str or a list of one of them


def coerce(text: str, kind: str = "yaml") -> Value:
    """Turn text into a value of the type `kind` (one of `TYPES`).

    Raises:
        ValueError: the text does not denote such a value.
    """
    if kind == "str":
        return text
    if kind in ("int", "float"):
        return SCALARS[kind](text)
    if kind == "bool":
        value = _load({"1": "true", "0": "false"}.get(text, text))
        if not isinstance(value, bool):
            raise ValueError(f"Cannot convert value '{text}' to a bool")
        return value
    value = _load(text)
    if kind.startswith("list_of_"):
        wanted = SCALARS[kind.removeprefix("list_of_")]
        if not isinstance(value, list) or not all(isinstance(item, wanted) for item in value):
            raise ValueError(f"Cannot convert value '{text}' to a list of {wanted.__name__}")
        return value
    if not is_value(value):
        raise ValueError(
            f"Failed to convert '{text}' using yaml rules: "
            f"output type is not allowed, got {type(value).__name__}"
        )
    return value


def is_value(value: object) -> bool:
    """Whether this is a scalar or a list of scalars of one type."""
    if isinstance(value, list):
        kinds = {type(item) for item in value}
        return len(kinds) <= 1 and kinds <= set(SCALARS.values())
    return isinstance(value, tuple(SCALARS.values()))


def _load(text: str) -> Value:
    if not text:
        return text
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"Failed to convert '{text}' using yaml rules: {error}") from error
