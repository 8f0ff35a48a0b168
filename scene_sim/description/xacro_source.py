"""Expands xacro files so that every element still knows the file and line that it came from."""

from __future__ import annotations

import importlib
import threading
import xml.dom.minidom
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .resources import ResourceFinder
from .source import DescriptionError, Source
from .xml_node import Node, parse_xml, read_xml

# Travels through xacro on every element that is not xacro's own, as an index of a list.
_MARK = "truthbed_source"
_LOCK = threading.Lock()


def read_robot_xml(file: Path, arguments: Mapping[str, str], finder: ResourceFinder) -> Node:
    """Read a URDF file, expanding xacro where it is used, and return its root.

    `arguments` are xacro's, as after `xacro FILE name:=value`. Raises DescriptionError where the
    file is malformed, xacro refuses it, or arguments are given to a file without xacro.
    """
    root = read_xml(file)
    uses_xacro = any(name.startswith("xmlns:xacro") for name in root.attributes)
    if not uses_xacro:
        if arguments:
            given = ", ".join(arguments)
            raise root.error(f"is plain URDF, which takes no xacro arguments ({given})")
        return root
    return _expand(file, arguments, finder)


def _expand(file: Path, arguments: Mapping[str, str], finder: ResourceFinder) -> Node:
    places: list[Source] = []
    root = parse_xml(_xacro(file, arguments, finder, places).toxml(encoding="utf-8"), file)
    for node in root.walk():
        mark = node.attributes.pop(_MARK, "")
        node.source = places[int(mark)] if mark else Source(str(file))
    return root


def expanded_text(
    file: Path,
    arguments: Mapping[str, str] | None = None,
    finder: ResourceFinder | None = None,
) -> str:
    """Return the URDF text of a xacro file, as `robot_description` holds it.

    Raises DescriptionError where xacro refuses the file.
    """
    document = _xacro(file, arguments or {}, finder or ResourceFinder(), [])
    for element in document.getElementsByTagName("*"):
        if element.hasAttribute(_MARK):
            element.removeAttribute(_MARK)
    return str(document.toxml())


def _xacro(
    file: Path, arguments: Mapping[str, str], finder: ResourceFinder, places: list[Source]
) -> xml.dom.minidom.Document:
    """Run xacro; elements are marked with indices of `places`, which grows."""
    try:
        import xacro
    except ImportError:
        message = "needs the Python package 'xacro', which is not installed"
        raise DescriptionError(Source(str(file)), message) from None
    module: Any = xacro
    # xacro keeps its state in module globals, and so has to be used by one thread at a time.
    with _LOCK, _hooks(module, places, finder):
        module.init_stacks(str(file))
        try:
            document: xml.dom.minidom.Document = module.parse(None, str(file))
            module.process_doc(document, mappings=dict(arguments))
        except DescriptionError:
            raise
        except Exception as error:  # xacro's own, and whatever a file's Python expressions raise
            stack = [name for name in module.filestack or [] if name]
            where = Source(str(stack[-1]) if stack else str(file))
            where = _place(error, places) or where
            raise DescriptionError(where, f"xacro: {_text(error)}") from None
    return document


def _place(error: Exception, places: list[Source]) -> Source | None:
    """Where the innermost element stands that xacro was working on, if it bears a mark."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        node = trace.tb_frame.f_locals.get("node")
        while isinstance(node, xml.dom.minidom.Node):
            if isinstance(node, xml.dom.minidom.Element) and node.hasAttribute(_MARK):
                found = places[int(node.getAttribute(_MARK))]
                break
            node = node.parentNode
        trace = trace.tb_next
    return found


def _text(error: Exception) -> str:
    """Return xacro's message with the reason it wraps, which str() leaves out."""
    reason = getattr(error, "exc", None)
    return " ".join(str(part) for part in (error, reason) if part and str(part))


@contextmanager
def _hooks(xacro: Any, places: list[Source], finder: ResourceFinder) -> Iterator[None]:
    """Let xacro parse files with places marked, and find packages as we do."""
    substitution: Any = importlib.import_module("xacro.substitution_args")
    parse, find = xacro.parse, substitution._eval_find

    def marked_parse(inp: Any, filename: str | None = None) -> Any:
        if inp is not None or filename is None:
            return parse(inp, filename)
        return _marked_document(Path(xacro.root_dir, filename), places)

    def find_package(name: str) -> str:
        stack = [item for item in xacro.filestack or [] if item]
        return str(finder.package_folders(name, Source(str(stack[-1])))[0])

    xacro.parse, substitution._eval_find = marked_parse, find_package
    try:
        yield
    finally:
        xacro.parse, substitution._eval_find = parse, find


def _marked_document(file: Path, places: list[Source]) -> xml.dom.minidom.Document:
    nodes = list(read_xml(file).walk())
    document = xml.dom.minidom.parseString(file.read_bytes())
    for node, element in zip(nodes, document.getElementsByTagName("*"), strict=True):
        if not node.tag.startswith("xacro:"):
            element.setAttribute(_MARK, str(len(places)))
            places.append(node.source)
    return document
