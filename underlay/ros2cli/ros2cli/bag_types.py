"""Definitions of message types, as they are installed here, for the bags that we write."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_path
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from ros2cli.cli import CommandError


@dataclass
class Definitions:
    """A type store that grows with the types asked for.

    The text comes from the installed `.msg` files, since some types differ between distributions;
    what is not installed as a file is taken from the newest distribution known to rosbags.
    """

    store: Any = field(default_factory=lambda: get_typestore(Stores.EMPTY))

    @cached_property
    def fallback(self) -> Any:
        """Types known to rosbags, loaded only where something is not installed."""
        return get_typestore(Stores.LATEST)

    def of(self, name: str) -> tuple[str, str]:
        """Definition with its dependencies, and RIHS01 hash, of `package/msg/Type`.

        Raises:
            CommandError: the type is known nowhere.
        """
        self._require(name)
        text, _ = self.store.generate_msgdef(name, ros_version=2)
        return text, self.store.hash_rihs01(name)

    def _require(self, name: str) -> None:
        if name in self.store.fielddefs:
            return
        package, _, short = name.partition("/msg/")
        try:
            path = get_package_share_path(package) / "msg" / f"{short}.msg"
            found = get_types_from_msg(path.read_text(), name)
        except (PackageNotFoundError, OSError):
            if name not in self.fallback.fielddefs:
                raise CommandError(f"no definition of the message type '{name}'") from None
            found = {name: self.fallback.fielddefs[name]}
        for dependency in _named_types(found[name]):
            self._require(dependency)
        self.store.register(found)


def _named_types(definition: Any) -> set[str]:
    """Message types among the fields of a definition."""
    names: set[str] = set()
    stack: list[Any] = list(definition[1])
    while stack:
        item = stack.pop()
        if isinstance(item, str) and "/msg/" in item:
            names.add(item)
        elif isinstance(item, (tuple, list)):
            stack += item
    return names
