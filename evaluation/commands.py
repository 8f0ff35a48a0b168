"""What commands share: exit statuses, NAME=VALUE overrides, limits that figures must keep."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

import yaml

from evaluation.errors import EvaluationError

REFUSED, MISSED = 2, 1  # exit statuses


def overrides_from(sets: Sequence[str]) -> dict[str, Any]:
    """Turn NAME=VALUE texts into overrides; values are YAML. EvaluationError if malformed."""
    result = {}
    for text in sets:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise EvaluationError(f"--set {text}: expected NAME=VALUE")
        try:
            result[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise EvaluationError(f"--set {text}: {error}") from None
    return result


def finite(text: str) -> float:
    """Return an option's number; argparse names the option where it is none, or not finite."""
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text}: expected a finite number")
    return value


def seconds(text: str) -> float:
    """Return a duration (s), zero or more."""
    value = finite(text)
    if value < 0.0:
        raise argparse.ArgumentTypeError(f"{text}: expected 0 s or more")
    return value


def count(text: str) -> int:
    """Return a number of things, one or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected 1 or more")
    return value


def unmet(figures: dict[str, Any], limits: dict[str, float]) -> list[str]:
    """Name every figure that is above its limit (below, for `min_` names), or missing."""
    problems = []
    for name, limit in limits.items():
        least = name.startswith("min_")
        key = name.removeprefix("min_")
        value = _figure(figures, key)
        if value is None:
            problems.append(
                f"{key} is unknown; expected {'at least' if least else 'at most'} {limit}"
            )
        elif (value < limit) if least else (value > limit):
            problems.append(
                f"{key} = {value:.6g}; expected {'at least' if least else 'at most'} {limit}"
            )
    return problems


def _figure(figures: dict[str, Any], key: str) -> float | None:
    if key.startswith("bound_ratio_"):
        return figures.get("bound_ratio", {}).get(key.removeprefix("bound_ratio_"))
    value = figures.get(key)
    return float(value) if isinstance(value, (int, float)) else None
