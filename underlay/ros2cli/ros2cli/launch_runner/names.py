"""Which names of nodes and namespaces are valid (checked without loading rclpy)."""

from __future__ import annotations

import re

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_NODE = re.compile(_WORD)
_NAMESPACE = re.compile(rf"/|(/{_WORD})+")
_LONGEST = 255
_LONGEST_NAMESPACE = 245


def check_node_name(name: str) -> None:
    """Refuse a name that rcl would refuse.

    Raises:
        ValueError: saying what a name consists of.
    """
    if not _NODE.fullmatch(name) or len(name) > _LONGEST:
        raise ValueError(
            f"Invalid node name '{name}': it must consist of letters, digits and underscores, "
            f"not begin with a digit, and have {_LONGEST} characters at most"
        )


def check_namespace(namespace: str) -> None:
    """Refuse an absolute namespace that rcl would refuse.

    Raises:
        ValueError: saying what a namespace consists of.
    """
    if not _NAMESPACE.fullmatch(namespace) or len(namespace) > _LONGEST_NAMESPACE:
        raise ValueError(
            f"Invalid namespace '{namespace}': between its slashes it must consist of letters, "
            "digits and underscores, no part may begin with a digit, and it may have "
            f"{_LONGEST_NAMESPACE} characters at most"
        )


def joined_namespace(base: str | None, namespace: str | None) -> str | None:
    """`namespace` below `base`; an absolute one stands alone; the result is absolute."""
    if namespace is None:
        joined = base
    elif not base or namespace.startswith("/"):
        joined = namespace
    else:
        joined = f"{base.rstrip('/')}/{namespace}"
    if joined is None:
        return None
    return "/" + joined.strip("/")
