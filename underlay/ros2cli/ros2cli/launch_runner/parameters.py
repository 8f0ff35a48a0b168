"""`<param>` tags: typed values, nested names and parameter files.

A value is converted twice, as in launch_xml: when it is read (`[1, 2]` is a list of integers)
and, where it holds substitutions, once more after they are performed.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml

from ros2cli.launch_runner.context import Context
from ros2cli.launch_runner.entity import Entity
from ros2cli.launch_runner.substitutions import SubstitutionError, perform
from ros2cli.launch_runner.template import Template, TemplateError, parse_template
from ros2cli.launch_runner.values import TYPES, Value, coerce, is_value

Parsed = Value | Template  # a scalar, or a template to be performed later


def parameters_of(entity: Entity, context: Context) -> dict[str, Value] | Path:
    """Evaluate one `<param>` of a node.

    Returns:
        Flat names and values, or the path of a parameter file.
    """
    source, name = entity.get("from"), entity.get("name")
    if source is not None and name is not None:
        raise entity.error("name and from attributes are mutually exclusive")
    if source is not None:
        return _parameter_file(entity, source, context)
    if name is None:
        raise entity.error("param Entity should have name or from attribute")
    if entity.get("allow_substs") is not None:
        raise entity.error("'allow_substs' can only be used together with 'from' attribute")
    return _nested(entity, "", context)


def _nested(entity: Entity, prefix: str, context: Context) -> dict[str, Value]:
    name = prefix + evaluate(entity, "name", context)
    children = entity.all("param")
    if children:
        for other in ("value", "type"):
            if entity.get(other) is not None:
                raise entity.error(
                    f"nested parameters and {other} attributes are mutually exclusive"
                )
        flat: dict[str, Value] = {}
        for child in children:
            flat.update(_nested(child, f"{name}.", context))
        return flat
    if entity.get("value") is None:
        raise entity.error("either a value attribute or nested params are needed")
    try:
        return {name: typed_value(entity, context)}
    except (ValueError, SubstitutionError) as error:
        raise entity.error(f"parameter '{name}': {error}") from error


def typed_value(entity: Entity, context: Context) -> Value:
    """Value of a `<param>`, as its `type` or YAML's rules say.

    Raises:
        ValueError: the text does not denote a value of that type.
    """
    text = entity.require("value")
    kind = entity.get("type") or "yaml"
    if kind not in TYPES:
        raise ValueError(f"Got invalid type identifier '{kind}'")
    separator = entity.get("value-sep")
    if separator is None:
        return _perform(_parsed(_read(text, kind)), kind, context)
    scalar = kind.removeprefix("list_of_")
    if kind != "yaml" and scalar == kind:
        raise ValueError(f"Cannot convert a list to '{kind}'")
    return _perform([_parsed(_read(item, scalar)) for item in text.split(separator)], kind, context)


def _read(text: str, kind: str) -> Value:
    """First conversion; text that may still hold substitutions stays text."""
    try:
        return coerce(text, kind)
    except ValueError:
        if kind in ("int", "float"):
            return text
    try:
        value = yaml.safe_load(text) if text else text
    except yaml.YAMLError:
        return text
    if kind == "bool" and isinstance(value, str):
        return value
    if isinstance(value, list) and kind != "bool":
        rest = [item for item in value if not isinstance(item, str)]
        if is_value(rest):  # strings among the items may be substitutions
            return value
    return coerce(text, kind)


def _parsed(value: Value) -> Parsed:
    if isinstance(value, list):
        return [_parsed(item) for item in value]
    if not isinstance(value, str):
        return value
    template = parse_template(value)
    return template[0] if len(template) == 1 and isinstance(template[0], str) else template


def _perform(value: Parsed, kind: str, context: Context) -> Value:
    """Second conversion."""
    if isinstance(value, tuple):
        return coerce(perform(context, value), kind)
    if not isinstance(value, list):
        return coerce(value, kind) if isinstance(value, str) and kind not in ("yaml",) else value
    scalar = kind.removeprefix("list_of_")
    if kind != "yaml" and scalar == kind:
        raise ValueError(f"a list cannot be a {kind}")
    output = [
        coerce(perform(context, item), scalar) if isinstance(item, tuple) else item
        for item in value
    ]
    if {type(item) for item in output} == {int, float}:
        output = [float(item) for item in output]
    if not is_value(output):
        raise ValueError("The output list is not uniform")
    return output


def evaluate(entity: Entity, attribute: str, context: Context) -> str:
    """Text of an attribute with its substitutions performed; errors name the place."""
    try:
        return perform(context, parse_template(entity.require(attribute)))
    except (TemplateError, SubstitutionError) as error:
        raise entity.error(f"{attribute}: {error}") from error


def _parameter_file(entity: Entity, source: str, context: Context) -> Path:
    """The real launch only warns of a missing file, and the node starts without it."""
    path = Path(evaluate(entity, "from", context))
    if not path.is_file():
        raise entity.error(f"Parameter file path is not a file: {path}")
    allowed = entity.get("allow_substs")
    if allowed is None or not coerce(evaluate(entity, "allow_substs", context), "bool"):
        return path
    try:
        text = perform(context, parse_template(path.read_text()))
        yaml.safe_load(text)
    except (TemplateError, SubstitutionError, yaml.YAMLError) as error:
        raise entity.error(f"parameter file '{path}' after substitution: {error}") from error
    return write_file(text, context)


def parameter_file(node: str, values: dict[str, Value], context: Context) -> Path:
    """Write parameters for the node of that full name, or for every node (`/**`)."""
    content = {node: {"ros__parameters": values}}
    return write_file(yaml.dump(content, default_flow_style=False), context)


def write_file(text: str, context: Context) -> Path:
    """Write a temporary file in the launch's own folder."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="launch_params_", suffix=".yaml", dir=context.folder, delete=False
    ) as handle:
        handle.write(text)
    return Path(handle.name)
