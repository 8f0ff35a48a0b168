"""Read YAML so that every complaint can name the file and the line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from spatial_types.suggestions import suggestion

OPTION = "--set"
FAST_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DEEPEST = 50
"""Levels of nesting; more is no file that a person wrote."""


class YamlError(ValueError):
    """A file is malformed; the text names the file, the line and the key."""


class Section:
    """A YAML mapping whose keys are asked for one by one; `finish` refuses those never asked for.

    Every getter raises `failure`, an error class, naming file, line and key where the value is not
    as expected.
    """

    def __init__(
        self,
        path: Path,
        node: yaml.MappingNode,
        name: str = "",
        failure: type[Exception] = YamlError,
    ) -> None:
        self.path = path
        self.failure = failure
        self.name = name
        self.line = node.start_mark.line + 1
        self._nodes: dict[str, yaml.Node] = {}
        self._lines: dict[str, int] = {}
        self._options: dict[str, str] = {}
        self._asked: list[str] = []
        for key, value in node.value:
            text = str(key.value)
            line = key.start_mark.line + 1
            if text in self._nodes:
                raise failure(f"{path}:{line}: key '{self._full(text)}' is given twice")
            self._nodes[text], self._lines[text] = value, line
            if value.start_mark.name.startswith(OPTION):
                self._options[text] = value.start_mark.name

    def _full(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    def __contains__(self, key: str) -> bool:
        return key in self._nodes

    def names(self) -> Iterator[str]:
        """The keys as written, all of them counted as asked for."""
        self._asked.extend(self._nodes)
        return iter(list(self._nodes))

    def error(self, key: str, text: str) -> Exception:
        """Build the complaint about a key."""
        if key in self._options:
            return self.failure(f"{self.path}: {self._options[key]}: {text}")
        line = self._lines.get(key, self.line)
        return self.failure(f"{self.path}:{line}: {self._full(key)}: {text}")

    def value(self, key: str, default: Any = None) -> Any:
        """Return the plain value of a key."""
        self._asked.append(key)
        if key not in self._nodes:
            return default
        try:
            return _plain(self._nodes[key])
        except yaml.MarkedYAMLError as error:
            raise self.error(key, str(error.problem)) from None

    def text(self, key: str, default: str | None = None, choices: Sequence[str] = ()) -> str:
        """Return a string, one of `choices` if there are any; required without a default."""
        value = self._required(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"{value!r} is not text")
        if choices and value not in choices:
            raise self.error(key, f"'{value}' is not one of {', '.join(choices)}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.value(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"{value!r} is not true or false")
        return value

    def number(
        self,
        key: str,
        default: float | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
    ) -> float:
        """Return a finite number within bounds; required without a default."""
        value = self._required(key, default)
        if not _is_number(value):
            raise self.error(key, f"{value!r} is not a number")
        if minimum is not None and value < minimum:
            raise self.error(key, f"{value} is below {minimum}")
        if maximum is not None and value > maximum:
            raise self.error(key, f"{value} is above {maximum}")
        return float(value)

    def whole(self, key: str, default: int | None = None, minimum: int | None = None) -> int:
        """Return a whole number."""
        value = self.number(key, default, minimum)
        if value != int(value):
            raise self.error(key, f"{value} is not a whole number")
        return int(value)

    def numbers(
        self, key: str, length: int | None = None, default: Sequence[float] | None = None
    ) -> tuple[float, ...]:
        """Return a list of numbers, of the given length."""
        value = self._required(key, default)
        if not isinstance(value, (list, tuple)) or not all(_is_number(v) for v in value):
            raise self.error(key, f"{value!r} is not a list of numbers")
        if length is not None and len(value) != length:
            raise self.error(key, f"{len(value)} numbers; expected {length}")
        return tuple(float(v) for v in value)

    def section(self, key: str) -> Section | None:
        """Return a nested mapping, None where the key is absent."""
        self._asked.append(key)
        node = self._nodes.get(key)
        if node is None:
            return None
        if not isinstance(node, yaml.MappingNode):
            raise self.error(key, "expected a mapping")
        return Section(self.path, node, self._full(key), self.failure)

    def sections(self, key: str) -> list[Section]:
        """Return a list of mappings, empty where the key is absent."""
        self._asked.append(key)
        node = self._nodes.get(key)
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            raise self.error(key, "expected a list")
        result = []
        for k, item in enumerate(node.value):
            if not isinstance(item, yaml.MappingNode):
                line = item.start_mark.line + 1
                where = f"{self.path}:{line}: {self._full(key)}[{k}]"
                raise self.failure(f"{where}: expected a mapping")
            result.append(Section(self.path, item, f"{self._full(key)}[{k}]", self.failure))
        return result

    def finish(self) -> None:
        """Refuse keys that nothing asked for."""
        for key, line in self._lines.items():
            if key not in self._asked:
                hint = suggestion(key, self._asked)
                raise self.failure(f"{self.path}:{line}: unknown key '{self._full(key)}'; {hint}")

    def _required(self, key: str, default: Any) -> Any:
        value = self.value(key, default)
        if value is None:
            raise self.error(key, "is missing" if key not in self._nodes else "has no value")
        return value


def read_yaml(
    path: Path,
    overrides: dict[str, Any] | None = None,
    failure: type[Exception] = YamlError,
) -> Section:
    """Read a YAML file that holds one mapping, with dotted `overrides` put over it.

    Raises `failure` for an unreadable file, malformed YAML and a file that is no mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise failure(f"{path}: cannot be read: {error}") from None
    try:
        _refuse_depth(text)
        node = yaml.compose(text, Loader=FAST_LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise failure(f"{path}:{line}: malformed YAML: {error.problem}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise failure(f"{path}:{line}: malformed YAML: {error.reason}") from None
    if not isinstance(node, yaml.MappingNode):
        raise failure(f"{path}:1: expected a mapping of keys")
    try:
        for name, value in (overrides or {}).items():
            _override(node, name.split("."), _node(value, f"{OPTION} {name}"))
    except YamlError as error:
        raise failure(f"{path}: {error}") from None
    return Section(path, node, failure=failure)


def _refuse_depth(text: str) -> None:
    """Refuse what would exhaust the stack while it is composed."""
    depth = 0
    for event in yaml.parse(text, Loader=FAST_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            mark: Any = event.start_mark  # libyaml's own, which the stubs do not take here
            raise yaml.MarkedYAMLError(None, None, "nested too deeply", mark)


def _override(node: yaml.MappingNode, names: list[str], value: yaml.Node) -> None:
    for key, child in node.value:
        if key.value == names[0]:
            if len(names) == 1:
                node.value[node.value.index((key, child))] = (key, value)
                return
            if not isinstance(child, yaml.MappingNode):
                raise YamlError(f"{value.start_mark.name}: '{names[0]}' holds no keys")
            _override(child, names[1:], value)
            return
    added = value if len(names) == 1 else _node({})
    if isinstance(added, yaml.MappingNode) and len(names) > 1:
        _override(added, names[1:], value)
    node.value.append((_node(names[0]), added))


def _node(value: Any, source: str = "") -> yaml.Node:
    """Make a node of a plain value; `source` says what gave it instead of the file."""
    node = yaml.compose(yaml.safe_dump(value), Loader=yaml.SafeLoader)
    if node is None:
        raise YamlError(f"value {value!r} cannot be written as YAML")
    node.start_mark.name = source
    return node


def _plain(node: yaml.Node) -> Any:
    return yaml.SafeLoader("").construct_object(node, deep=True)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15
