"""`ros2 param list`, `get` and `set`."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterType
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    ListParameters,
    SetParameters,
)
from rclpy.node import Node
from rclpy.parameter import get_parameter_value, parameter_value_to_python

from ros2cli.cli import CommandError
from ros2cli.graph import (
    absolute,
    add_node_arguments,
    direct_node,
    node_names,
    spin_until,
)

_CALL_TIMEOUT = 5.0
#: The real tool's daemon has long known the node, and it waits for one second.
_NODE_TIMEOUT = 5
#: The real tool's words for each type of value.
_LABELS = {
    ParameterType.PARAMETER_BOOL: "Boolean value is:",
    ParameterType.PARAMETER_INTEGER: "Integer value is:",
    ParameterType.PARAMETER_DOUBLE: "Double value is:",
    ParameterType.PARAMETER_STRING: "String value is:",
    ParameterType.PARAMETER_BYTE_ARRAY: "Byte values are:",
    ParameterType.PARAMETER_BOOL_ARRAY: "Boolean values are:",
    ParameterType.PARAMETER_INTEGER_ARRAY: "Integer values are:",
    ParameterType.PARAMETER_DOUBLE_ARRAY: "Double values are:",
    ParameterType.PARAMETER_STRING_ARRAY: "String values are:",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    verbs = parser.add_subparsers(title="Verbs", required=True)
    verb = verbs.add_parser("list", help="Output a list of available parameters")
    _common(verb)
    verb.add_argument("node_name", nargs="?", help="Name of the ROS node")
    verb.add_argument("--filter", help="Only parameters matching the regex expression")
    verb.add_argument(
        "--param-type", action="store_true", help="Print parameter types with parameter names"
    )
    verb.set_defaults(run=run_list)
    for name, run in (("get", run_get), ("set", run_set)):
        verb = verbs.add_parser(name, help=f"{name.capitalize()} parameter")
        _common(verb)
        verb.add_argument("node_name", help="Name of the ROS node")
        verb.add_argument("parameter_name", help="Name of the parameter")
        verb.add_argument(
            "--timeout",
            metavar="N",
            type=int,
            default=_NODE_TIMEOUT,
            help=f"Wait for N seconds until node becomes available ({_NODE_TIMEOUT})",
        )
        if name == "get":
            verb.add_argument("--hide-type", action="store_true", help="Hide the type information")
        else:
            verb.add_argument("value", help="Value of the parameter")
        verb.set_defaults(run=run)


def _common(verb: ArgumentParser) -> None:
    add_node_arguments(verb)
    verb.add_argument(
        "--include-hidden-nodes", action="store_true", help="Consider hidden nodes as well"
    )


def run_list(args: Namespace) -> None:
    """Print the parameters of one node, or of all."""
    pattern = re.compile(args.filter or "")
    with direct_node(args) as node:
        if args.node_name:
            names = [_awaited(node, args, _NODE_TIMEOUT)]
        else:
            names = sorted(set(node_names(node, args.include_hidden_nodes)))
        for name in names:
            _print_parameters(node, name, pattern, args)


def _print_parameters(node: Node, name: str, pattern: re.Pattern[str], args: Namespace) -> None:
    answer = _call(node, name, "list_parameters", ListParameters, ListParameters.Request())
    if answer is None:
        print(f"Wait for service timed out waiting for parameter services for node {name}")
        return
    found = sorted(parameter for parameter in answer.result.names if pattern.match(parameter))
    if found and not args.node_name:
        print(f"{name}:")
    types: dict[str, str] = {}
    if args.param_type:
        request = DescribeParameters.Request(names=found)
        described = _call(node, name, "describe_parameters", DescribeParameters, request)
        types = {d.name: _type_name(d.type) for d in described.descriptors} if described else {}
    for parameter in found:
        print(f"  {parameter}" + (f" (type: {types[parameter]})" if parameter in types else ""))


def _type_name(value: int) -> str:
    for name in dir(ParameterType):
        if name.startswith("PARAMETER_") and getattr(ParameterType, name) == value:
            return name.removeprefix("PARAMETER_").lower().replace("_", " ")
    return str(value)


def run_get(args: Namespace) -> str | None:
    """Print the value of a parameter."""
    with direct_node(args, discover=False) as node:
        name = _awaited(node, args, args.timeout)
        request = GetParameters.Request(names=[args.parameter_name])
        answer = _required(node, name, "get_parameters", GetParameters, request)
        if not answer.values:
            return "Parameter not set"
        value = answer.values[0]
        if value.type == ParameterType.PARAMETER_NOT_SET:
            print(None if args.hide_type else "Parameter not set.")
            return None
        shown: Any = parameter_value_to_python(value)
        shown = list(shown) if hasattr(shown, "tolist") else shown
        print(shown) if args.hide_type else print(_LABELS[value.type], shown)
    return None


def run_set(args: Namespace) -> None:
    """Set a parameter to a value read by YAML's rules."""
    with direct_node(args, discover=False) as node:
        name = _awaited(node, args, args.timeout)
        parameter = Parameter(name=args.parameter_name)
        parameter.value = get_parameter_value(string_value=args.value)
        request = SetParameters.Request(parameters=[parameter])
        result = _required(node, name, "set_parameters", SetParameters, request).results[0]
    reason = f": {result.reason}" if result.reason else ""
    if result.successful:
        print(f"Set parameter successful{reason}")
    else:
        print(f"Setting parameter failed{reason}", file=sys.stderr)


def _awaited(node: Node, args: Namespace, seconds: float) -> str:
    """Full name of the node once it is seen.

    Raises:
        CommandError: it is not seen in time.
    """
    name = absolute(args.node_name)
    hidden = args.include_hidden_nodes
    if not spin_until(node, lambda: name in node_names(node, hidden), seconds):
        raise CommandError("Node not found")
    return name


def _required(node: Node, name: str, service: str, kind: Any, request: Any) -> Any:
    answer = _call(node, name, service, kind, request)
    if answer is None:
        raise CommandError(f"Wait for service timed out waiting for parameter services of {name}")
    return answer


def _call(node: Node, name: str, service: str, kind: Any, request: Any) -> Any:
    """Answer of a node's parameter service, or None when it does not come in time."""
    client: Any = node.create_client(kind, f"{name}/{service}")
    try:
        if not spin_until(node, client.service_is_ready, _CALL_TIMEOUT):
            return None
        future = client.call_async(request)
        return future.result() if spin_until(node, future.done, _CALL_TIMEOUT) else None
    finally:
        node.destroy_client(client)
