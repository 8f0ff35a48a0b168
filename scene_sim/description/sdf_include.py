"""Resolves <include>: finds the file, applies name, pose, static and placement_frame, merges."""

from __future__ import annotations

import re
from pathlib import Path

from .reading import Reading
from .source import DescriptionError, Source
from .xml_node import Node, read_xml

OLDEST, NEWEST = (1, 6), (1, 9)
_OVERRIDES = ("name", "pose", "static", "placement_frame")
_FRAME_ATTRIBUTES = {"pose": "relative_to", "xyz": "expressed_in", "frame": "attached_to"}


def read_sdf_root(file: Path, reading: Reading) -> Node:
    """Read an SDF file's root and check its version.

    Versions below 1.6 are refused; above 1.9 they are read as 1.9, with a warning.
    """
    root = read_xml(file)
    if root.tag != "sdf":
        raise root.error("is the root element: expected <sdf>")
    text = root.required_attribute("version")
    match = re.fullmatch(r"(\d+)\.(\d+)", text)
    if match is None:
        raise root.error(f"version is '{text}': expected a version such as 1.7")
    version = (int(match[1]), int(match[2]))
    if version < OLDEST:
        raise root.error(f"version is {text}: expected 1.6 to 1.9 (convert with `gz sdf`)")
    if version > NEWEST:
        reading.warn(root, f"version {text} is newer than 1.9 and read as 1.9")
    for node in root.walk():
        node.version = min(version, NEWEST)
    return root


def expand_includes(node: Node, reading: Reading) -> None:
    """Replace the <include> children of a world or model by what they name, where they stand."""
    expanded: list[Node] = []
    for child in node.children:
        if child.tag == "include":
            child.taken = True
            expanded += _included(child, node, reading)
        else:
            expanded.append(child)
    node.children = expanded


def _included(include: Node, parent: Node, reading: Reading) -> list[Node]:
    uri = include.required("uri")
    path = reading.finder.resolve(uri.text, uri.source)
    file = model_file(path, uri.source) if path.is_dir() else path
    if str(file) in reading.files:
        raise uri.error(f"'{uri.text}' includes itself")
    entity = _entity(file, uri, reading)
    reading.files.append(str(file))
    expand_includes(entity, reading)
    reading.files.pop()
    merge = include.flag_attribute("merge")
    _override(entity, include)
    reading.collect_leftovers(include)
    if not merge:
        return [entity]
    if parent.tag != "model" or entity.tag != "model":
        raise include.error("merge='true' is for a model included into a model")
    return _merged(entity)


def _entity(file: Path, uri: Node, reading: Reading) -> Node:
    """Return the one model, light or actor of an included SDF or URDF file."""
    root = read_sdf_root(file, reading)
    root.taken = True
    entities = [child for child in root.children if child.tag in ("model", "light", "actor")]
    if len(entities) != 1:
        found = ", ".join(f"<{child.tag}>" for child in root.children) or "nothing"
        expected = "expected one <model>, <light> or <actor>"
        raise uri.error(f"'{uri.text}' ({file}) holds {found}: {expected}")
    return entities[0]


def model_file(folder: Path, source: Source) -> Path:
    """Return the SDF file of a model folder: the newest readable one its model.config names."""
    config = folder / "model.config"
    if not config.is_file():
        plain = folder / "model.sdf"
        if plain.is_file():
            return plain
        raise DescriptionError(source, f"folder {folder} has neither model.config nor model.sdf")
    best: tuple[tuple[int, ...], str] | None = None
    for child in read_xml(config).all("sdf"):
        version = tuple(int(word) for word in re.findall(r"\d+", child.attribute("version")))
        if version <= NEWEST and (best is None or version > best[0]):
            best = (version, child.text)
    if best is None:
        raise DescriptionError(source, f"{config} names no SDF file of version 1.9 or older")
    return folder / best[1]


def _override(entity: Node, include: Node) -> None:
    """Put what the <include> says in place of what the included entity says."""
    for tag in _OVERRIDES:
        given = include.child(tag)
        if given is None:
            continue
        if tag == "name":
            entity.attributes["name"] = given.text
        elif tag == "placement_frame":
            if include.peek("pose") is None:
                raise given.error("needs a <pose> beside it, which places that frame")
            entity.attributes["placement_frame"] = given.text
        else:
            entity.children = [given, *(c for c in entity.children if c.tag != tag)]
    entity.children += include.all("plugin")
    # What moved is read, and judged, where it went.
    include.children = [child for child in include.children if child not in entity.children]


def _merged(model: Node) -> list[Node]:
    """Return the children of a merged model, its `__model__` renamed to a frame of its own."""
    name = f"_merged__{model.required_attribute('name')}__model__"
    proxy = Node("frame", {"name": name, "attached_to": _canonical(model)}, model.source)
    proxy.version = model.version
    pose = model.peek("pose") or Node("pose", {}, model.source)
    pose.attributes.setdefault("relative_to", "__model__")
    placement = model.attribute("placement_frame")
    if placement:
        raise model.error("placement_frame together with merge is not supported")
    proxy.children.append(pose)
    merged = [proxy]
    for child in model.children:
        if child.tag in ("link", "joint", "frame", "model"):
            _point_to(child, name)
            merged.append(child)
        elif child.tag in ("plugin", "gripper"):
            merged.append(child)
    return merged


def _canonical(model: Node) -> str:
    given = model.attribute("canonical_link")
    links = [c.attributes.get("name", "") for c in model.children if c.tag == "link"]
    nested = [c.attributes.get("name", "") for c in model.children if c.tag == "model"]
    names = [given] if given else [*links, *nested]
    if not names:
        raise model.error("has no link to merge")
    return names[0]


def _point_to(child: Node, name: str) -> None:
    """Make everything in a merged child that refers to its model's frame refer to `name`."""
    nodes = [child] if child.tag == "model" else list(child.walk())
    for node in nodes:
        attribute = _FRAME_ATTRIBUTES.get(node.tag)
        if attribute and node.attributes.get(attribute) == "__model__":
            node.attributes[attribute] = name
        if node.tag in ("parent", "child") and node.text == "__model__":
            node.text = name
    pose = child.peek("pose")
    if child.tag == "frame" and not child.attributes.get("attached_to"):
        child.attributes["attached_to"] = name
    elif child.tag in ("link", "model"):
        if pose is None:
            pose = Node("pose", {}, child.source)
            pose.version = child.version
            child.children.append(pose)
        if pose.attributes.get("relative_to", "") in ("", "__model__"):
            pose.attributes["relative_to"] = name
