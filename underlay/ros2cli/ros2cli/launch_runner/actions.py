"""Walk a launch file and collect the processes that it asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path

from ros2cli.launch_runner.context import Context
from ros2cli.launch_runner.entity import Entity, LaunchError, read_file
from ros2cli.launch_runner.names import check_namespace, joined_namespace
from ros2cli.launch_runner.node import executable_plan, node_plan
from ros2cli.launch_runner.parameters import evaluate
from ros2cli.launch_runner.plan import ProcessPlan
from ros2cli.launch_runner.tags import check_file
from ros2cli.launch_runner.template import unescape
from ros2cli.launch_runner.values import coerce

TRUE = ("true", "1")
FALSE = ("false", "0")


def load(path: Path) -> Entity:
    """Read and check a launch file.

    Raises:
        LaunchError: with file and line.
    """
    if path.suffix == ".py":
        raise LaunchError(f"{path}: launch files in Python need the real ros2 launch")
    root = read_file(path)
    check_file(root)
    return root


class Evaluation:
    """One evaluation of a launch file with everything that it includes."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.plans: list[ProcessPlan] = []
        self._visitors: dict[str, Callable[[Entity], None]] = {
            "arg": self._argument,
            "let": self._let,
            "group": self._group,
            "include": self._include,
            "node": self._node,
            "executable": self._executable,
            "set_env": self._set_environment,
            "unset_env": self._unset_environment,
            "push_ros_namespace": self._push_namespace,
            "push-ros-namespace": self._push_namespace,
            "set_parameter": self._set_parameter,
            "set_parameters_from_file": self._set_parameters_from_file,
            "set_remap": self._set_remap,
            "log": self._log,
        }

    def run(self, root: Entity, arguments: Mapping[str, str]) -> list[ProcessPlan]:
        """Evaluate a file with the arguments of the command line.

        Raises:
            LaunchError: with file and line.
        """
        require_arguments(root, list(arguments), root)
        self.context.scope.configurations.update(arguments)
        self._visit_all(root)
        return self.plans

    def _text(self, entity: Entity, attribute: str) -> str:
        return evaluate(entity, attribute, self.context)

    def _visit_all(self, parent: Entity) -> None:
        for child in parent.children:
            if child.tag in self._visitors and self._condition(child):
                self._visitors[child.tag](child)

    def _condition(self, entity: Entity) -> bool:
        for attribute, wanted in (("if", True), ("unless", False)):
            if entity.get(attribute) is None:
                continue
            text = self._text(entity, attribute).strip().lower()
            if text not in TRUE + FALSE:
                raise entity.error(
                    f"invalid condition expression, expected one of {[*TRUE, *FALSE]} "
                    f"but got '{text}'"
                )
            return (text in TRUE) is wanted
        return True

    def _argument(self, entity: Entity) -> None:
        known = self.context.scope.configurations
        name = unescape(entity.require("name"))
        if name not in known:
            if entity.get("default") is None:
                raise entity.error(f'Required launch argument "{name}" was not provided.')
            known[name] = self._text(entity, "default")
        choices = [unescape(choice.require("value")) for choice in entity.all("choice")]
        if choices and known[name] not in choices:
            raise entity.error(
                f'Argument "{name}" provided value "{known[name]}" is not valid. '
                f"Valid options are: {choices}"
            )

    def _let(self, entity: Entity) -> None:
        value = self._text(entity, "value")
        self.context.scope.configurations[self._text(entity, "name")] = value

    def _group(self, entity: Entity) -> None:
        kept = {self._text(k, "name"): self._text(k, "value") for k in entity.all("keep")}
        scoped = _flag(entity, "scoped")
        inner = self.context.scoped(_flag(entity, "forwarding")) if scoped else nullcontext()
        with inner:
            self.context.scope.configurations.update(kept)
            self._visit_all(entity)

    def _include(self, entity: Entity) -> None:
        """Arguments are set in the including scope and stay there, as in launch."""
        path = Path(self._text(entity, "file")).absolute()
        if not path.is_file():
            raise entity.error(f"included launch file '{path}' does not exist")
        root = load(path)
        arguments = entity.all("arg")
        require_arguments(root, [self._text(a, "name") for a in arguments], entity)
        outer = self.context.file
        # launch resolves `$(dirname)` in the arguments to the included file's folder.
        self.context.file = path
        try:
            for argument in arguments:
                value = self._text(argument, "value")
                self.context.scope.configurations[self._text(argument, "name")] = value
            self._visit_all(root)
        finally:
            self.context.file = outer

    def _node(self, entity: Entity) -> None:
        self.plans.append(node_plan(entity, self.context, len(self.plans) + 1))

    def _executable(self, entity: Entity) -> None:
        self.plans.append(executable_plan(entity, self.context, len(self.plans) + 1))

    def _set_environment(self, entity: Entity) -> None:
        value = self._text(entity, "value")
        self.context.scope.environment[self._text(entity, "name")] = value

    def _unset_environment(self, entity: Entity) -> None:
        self.context.scope.environment.pop(self._text(entity, "name"), None)

    def _push_namespace(self, entity: Entity) -> None:
        scope = self.context.scope
        pushed = self._text(entity, "namespace")
        namespace = joined_namespace(scope.namespace, pushed)
        try:
            check_namespace(namespace or "/")
        except ValueError as error:
            raise entity.error(
                "The resulting namespace is invalid: "
                f"[previous_namespace='{scope.namespace}', pushed_namespace='{pushed}']"
            ) from error
        scope.namespace = namespace

    def _set_parameter(self, entity: Entity) -> None:
        """As in launch_ros, Python's text of the value: a string loses its quotes on the way."""
        value = coerce(self._text(entity, "value"))
        told = str(tuple(value)) if isinstance(value, list) else str(value)
        self.context.scope.parameters += ((self._text(entity, "name"), told),)

    def _set_parameters_from_file(self, entity: Entity) -> None:
        path = Path(self._text(entity, "filename")).absolute()
        if not path.is_file():
            raise entity.error(f"parameter file '{path}' does not exist")
        self.context.scope.parameters += (path,)

    def _set_remap(self, entity: Entity) -> None:
        self.context.scope.remaps += ((self._text(entity, "from"), self._text(entity, "to")),)

    def _log(self, entity: Entity) -> None:
        print(f"[INFO] [launch.user]: {self._text(entity, 'message')}")


def _flag(entity: Entity, name: str) -> bool:
    try:
        return bool(coerce(entity.attributes.get(name, "true"), "bool"))
    except ValueError as error:
        raise entity.error(f"{name}: {error}") from error


def declared_arguments(parent: Entity, conditional: bool = False) -> list[tuple[Entity, bool]]:
    """Every `<arg>` of a file with whether a condition decides on it; not those of includes."""
    found: list[tuple[Entity, bool]] = []
    for child in parent.children:
        depends = conditional or "if" in child.attributes or "unless" in child.attributes
        if child.tag == "arg":
            found.append((child, depends))
        elif child.tag == "group":
            found += declared_arguments(child, depends)
    return found


def description_of(argument: Entity) -> str:
    """What `--show-args` says of an argument."""
    choices = [unescape(choice.require("value")) for choice in argument.all("choice")]
    text = argument.get("description")
    if text is None:
        return f"One of: {choices}" if choices else "no description given"
    text = unescape(text)
    if choices:
        text += ("" if text.endswith(".") else ".") + f" Valid choices are: {choices}"
    return text


def require_arguments(root: Entity, given: list[str], asker: Entity) -> None:
    """Refuse an inclusion that leaves a required argument out.

    Raises:
        LaunchError: at the place of the inclusion, naming the argument.
    """
    for argument, conditional in declared_arguments(root):
        name = unescape(argument.require("name"))
        if not conditional and argument.get("default") is None and name not in given:
            raise asker.error(
                f"Included launch description missing required argument '{name}' "
                f"(description: '{description_of(argument)}'), given: [{', '.join(given)}]"
            )
