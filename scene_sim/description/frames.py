"""SDF's frame graph: where everything stands, whatever its pose was written relative to.

A `Scope` is a world or a model: it holds the links, joints, frames and nested models whose poses
may refer to each other. Semantics: SDFormat's "pose frame semantics" (since 1.7); older files
know `<pose frame=...>` and refer by the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spatial_types.transforms import Transform

from .poses import RawPose
from .source import DescriptionError, Source

WORLD = "world"
MODEL = "__model__"


@dataclass
class Entry:
    """Something with a pose: `kind` is link, joint, frame or model.

    `anchor` is what a frame is attached to, or the child of a joint.
    """

    name: str
    kind: str
    raw: RawPose
    source: Source
    anchor: str = ""
    placement: str = ""
    pose: Transform | None = None
    busy: bool = False


@dataclass
class Scope:
    """The names inside one world or model; `children` are the nested models' own scopes."""

    root: str
    name: str
    source: Source
    canonical: str = ""
    static: bool = False
    entries: dict[str, Entry] = field(default_factory=dict)
    joints: dict[str, Entry] = field(default_factory=dict)
    children: dict[str, Scope] = field(default_factory=dict)

    def add(self, entry: Entry, lenient: bool = False) -> None:
        """Register a name; DescriptionError where it is taken or reserved.

        `lenient` (SDF up to 1.6) lets things of different kinds share a name: it then means the
        one that comes first.
        """
        if entry.name == WORLD or (entry.name.startswith("__") and entry.name.endswith("__")):
            raise DescriptionError(entry.source, f"'{entry.name}' is a reserved name")
        same_kind = self.joints if entry.kind == "joint" else self.entries
        other = same_kind.get(entry.name)
        if other is None or (lenient and other.kind != entry.kind):
            other = None if lenient else self.entries.get(entry.name)
        if other is not None:
            message = f"{entry.kind} '{entry.name}' has the name of the {other.kind}"
            raise DescriptionError(entry.source, f"{message} at {other.source}")
        if entry.kind == "joint":
            self.joints[entry.name] = entry
        self.entries.setdefault(entry.name, entry)

    def locate(self, name: str, source: Source) -> Transform:
        """Return scope_from_name; DescriptionError for unknown names and cycles."""
        if name in (self.root, ""):
            return Transform()
        entry = self.entries.get(name)
        if entry is not None:
            return self.pose_of(entry)
        head, child, rest = self._nested(name, source)
        return self.pose_of(head) @ child.locate(rest, source)

    def locate_raw(self, raw: RawPose, default: str = "") -> Transform:
        """Return scope_from_x for a pose as written, relative to `default` where not said."""
        return self.locate(raw.relative_to or default, raw.source) @ raw.transform

    def pose_of(self, entry: Entry) -> Transform:
        """Return scope_from_entry, resolving what it refers to first."""
        if entry.pose is None:
            self._enter(entry, "the poses")
            default = entry.anchor if entry.kind in ("joint", "frame") else ""
            pose = self.locate_raw(entry.raw, default)
            if entry.placement:
                inside = self.children[entry.name].locate(entry.placement, entry.source)
                pose = pose @ inside.inverse()
            entry.pose, entry.busy = pose, False
        return entry.pose

    def link_of(self, name: str, source: Source) -> str:
        """Return the link (or "world") that moves with the named frame, scoped from here.

        Empty for the frame of a static model without any link.
        """
        if name == self.root:
            return WORLD if self.root == WORLD else self._canonical_link(source)
        entry = self.entries.get(name)
        if entry is None:
            head, child, rest = self._nested(name, source)
            return _scoped(head.name, child.link_of(rest, source))
        if entry.kind == "link":
            return name
        if entry.kind == "model":
            return _scoped(name, self.children[name].link_of(MODEL, source))
        self._enter(entry, "attached_to")
        link = self.link_of(entry.anchor or self.root, entry.source)
        entry.busy = False
        return link

    def _canonical_link(self, source: Source) -> str:
        if self.canonical:
            return self.link_of(self.canonical, self.source)
        for entry in self.entries.values():
            if entry.kind == "link":
                return entry.name
        for name, child in self.children.items():
            return _scoped(name, child.link_of(MODEL, source))
        if self.static:
            return ""
        raise DescriptionError(self.source, f"model '{self.name}' has no link")

    def _enter(self, entry: Entry, what: str) -> None:
        if entry.busy:
            ring = " -> ".join(item.name for item in self.entries.values() if item.busy)
            message = f"{what} of '{entry.name}' refer to each other in a circle ({ring})"
            raise DescriptionError(entry.source, message)
        entry.busy = True

    def _nested(self, name: str, source: Source) -> tuple[Entry, Scope, str]:
        head, separator, rest = name.partition("::")
        if not separator or head not in self.children:
            where = self.name if self.root == WORLD else f"model '{self.name}'"
            known = ", ".join([self.root, *self.entries])
            raise DescriptionError(source, f"{where} has no frame '{name}'; known: {known}")
        return self.entries[head], self.children[head], rest


def _scoped(model: str, link: str) -> str:
    return f"{model}::{link}" if link else ""
