"""Command lines of `<node>` and `<executable>`, in the order that launch_ros builds them."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from ros2cli.launch_runner.context import Context
from ros2cli.launch_runner.entity import Entity
from ros2cli.launch_runner.names import check_namespace, check_node_name, joined_namespace
from ros2cli.launch_runner.parameters import evaluate, parameter_file, parameters_of
from ros2cli.launch_runner.plan import ProcessPlan
from ros2cli.launch_runner.substitutions import SUBSTITUTIONS, SubstitutionError, perform
from ros2cli.launch_runner.template import parse_template
from ros2cli.launch_runner.values import coerce


def node_plan(entity: Entity, context: Context, number: int) -> ProcessPlan:
    """Evaluate a `<node>`."""
    executable = evaluate(entity, "exec", context)
    if entity.get("pkg") is not None:
        package = evaluate(entity, "pkg", context)
        try:
            executable = SUBSTITUTIONS["exec-in-pkg"][0](context, executable, package)
        except SubstitutionError as error:
            raise entity.error(str(error)) from error
    command = [executable, *_words(entity, "args", context)]
    ros_arguments = _words(entity, "ros_args", context)
    command += ["--ros-args", *ros_arguments] if ros_arguments else []
    command += ["--ros-args", *_node_arguments(entity, context)]
    label = entity.get("exec_name") and evaluate(entity, "exec_name", context)
    return _process_plan(entity, context, command, label, number)


def executable_plan(entity: Entity, context: Context, number: int) -> ProcessPlan:
    """Evaluate an `<executable>`."""
    label = entity.get("name") and evaluate(entity, "name", context)
    return _process_plan(entity, context, _words(entity, "cmd", context), label, number)


def _node_arguments(entity: Entity, context: Context) -> list[str]:
    scope = context.scope
    name, namespace = _names(entity, context)
    arguments = ["-r", f"__node:={name}"] if name else []
    arguments += ["-r", f"__ns:={namespace}"] if namespace else []
    for item in scope.parameters:
        if isinstance(item, Path):
            arguments += ["--params-file", str(item)]
        else:
            arguments += ["-p", f"{item[0]}:={item[1]}"]
    full_name = f"{namespace.rstrip('/')}/{name}" if name and namespace else "/**"
    for child in entity.all("param"):
        values = parameters_of(child, context)
        if isinstance(values, dict):
            values = parameter_file(full_name, values, context)
        arguments += ["--params-file", str(values)]
    own = [
        (evaluate(remap, "from", context), evaluate(remap, "to", context))
        for remap in entity.all("remap")
    ]
    for source, target in (*scope.remaps, *own):
        arguments += ["-r", f"{source}:={target}"]
    return arguments


def _names(entity: Entity, context: Context) -> tuple[str | None, str | None]:
    """The node's name and absolute namespace; None where the node itself decides."""
    name = evaluate(entity, "name", context) if entity.get("name") is not None else None
    own = evaluate(entity, "namespace", context) if entity.get("namespace") is not None else None
    namespace = joined_namespace(context.scope.namespace, own)
    try:
        if name is not None:
            check_node_name(name)
        if namespace is not None:
            check_namespace(namespace)
    except ValueError as error:
        raise entity.error(str(error)) from error
    return name, namespace


def _words(entity: Entity, attribute: str, context: Context) -> list[str]:
    """Split a command line; what substitutions give is never split."""
    if entity.get(attribute) is None:
        return []
    words: list[list[str]] = [[]]
    try:
        for piece in parse_template(entity.require(attribute)):
            if isinstance(piece, str):
                _append_literal(words, piece)
            else:
                words[-1].append(perform(context, (piece,)))
    except ValueError as error:
        raise entity.error(f"{attribute}: {error}") from error
    except SubstitutionError as error:
        raise entity.error(f"{attribute}: {error}") from error
    return ["".join(word) for word in words if word]


def _append_literal(words: list[list[str]], text: str) -> None:
    tokens = shlex.split(text)
    if text[:1].isspace() or not tokens:
        words.append([])
    for index, token in enumerate(tokens):
        if index:
            words.append([])
        words[-1].append(token)
    if text[-1:].isspace():
        words.append([])


def _process_plan(
    entity: Entity, context: Context, command: list[str], label: str | None, number: int
) -> ProcessPlan:
    def text(name: str, default: str) -> str:
        return evaluate(entity, name, context) if entity.get(name) is not None else default

    if not command:
        raise entity.error("the command is empty")
    configurations = context.scope.configurations
    prefix = _prefix(entity, context, command)
    command = [*prefix, *command]
    on_exit = entity.get("on_exit")
    if on_exit not in (None, "shutdown"):
        raise entity.error(
            f"Attribute on_exit of Entity {entity.tag} expected to be shutdown but got `{on_exit}`"
        )
    environment = dict(context.scope.environment)
    for child in entity.all("env"):
        environment[evaluate(child, "name", context)] = evaluate(child, "value", context)
    return ProcessPlan(
        name=f"{label or os.path.basename(command[0])}-{number}",
        command=tuple(command),
        environment=environment,
        folder=text("cwd", "") or None,
        output=os.environ.get("OVERRIDE_LAUNCH_PROCESS_OUTPUT", text("output", "log")),
        shell=bool(_typed(entity, "shell", "bool", "false")),
        shutdown_on_exit=on_exit == "shutdown",
        respawn=bool(_coerced(entity, "respawn", text("respawn", "false"), "bool")),
        respawn_delay=_seconds(entity, "respawn_delay", "0"),
        respawn_limit=int(_typed(entity, "respawn_max_retries", "int", "-1")),
        sigterm_timeout=_seconds(
            entity, "sigterm_timeout", configurations.get("sigterm_timeout", "5")
        ),
        sigkill_timeout=_seconds(
            entity, "sigkill_timeout", configurations.get("sigkill_timeout", "5")
        ),
    )


def _prefix(entity: Entity, context: Context, command: list[str]) -> list[str]:
    if entity.get("launch-prefix") is not None:
        return shlex.split(evaluate(entity, "launch-prefix", context))
    configurations = context.scope.configurations
    chosen = re.match(configurations.get("launch-prefix-filter", ""), os.path.basename(command[0]))
    return shlex.split(configurations.get("launch-prefix", "")) if chosen else []


def _coerced(entity: Entity, name: str, text: str, kind: str) -> bool | int | float:
    try:
        value: bool | int | float = coerce(text, kind)
    except ValueError as error:
        raise entity.error(f"{name}: {error}") from error
    return value


def _typed(entity: Entity, name: str, kind: str, default: str) -> bool | int | float:
    return _coerced(entity, name, entity.attributes.get(name, default), kind)


def _seconds(entity: Entity, name: str, default: str) -> float:
    value = float(_typed(entity, name, "float", default))
    if value < 0:
        raise entity.error(
            f"Attribute {name} of Entity {entity.tag} expected to be a non-negative value "
            f"but got `{value}`"
        )
    return value
