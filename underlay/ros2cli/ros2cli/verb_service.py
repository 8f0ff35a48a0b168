"""`ros2 service list` and `ros2 service call`."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from typing import Any

import yaml

from ros2cli.cli import CommandError
from ros2cli.graph import add_list_arguments, direct_node, services, spin_until
from ros2cli.interfaces import service_class, set_fields


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    verbs = parser.add_subparsers(title="Verbs", required=True)
    verb = verbs.add_parser("list", help="Output a list of available services")
    add_list_arguments(verb, "service")
    verb.add_argument(
        "--include-hidden-services", action="store_true", help="Consider hidden services as well"
    )
    verb.set_defaults(run=run_list)
    verb = verbs.add_parser("call", help="Call a service")
    verb.add_argument("service_name", help="Name of the ROS service (e.g. '/add_two_ints')")
    verb.add_argument("service_type", help="Type of the ROS service (e.g. 'std_srvs/srv/Empty')")
    verb.add_argument(
        "values", nargs="?", default="{}", help="Values of the request in YAML format"
    )
    verb.add_argument(
        "-r", "--rate", metavar="N", type=float, help="Repeat the call at a specific rate in Hz"
    )
    verb.set_defaults(run=run_call)


def run_list(args: Namespace) -> None:
    """Print the names of all services."""
    with direct_node(args) as node:
        found = services(node, hidden=args.include_hidden_services)
    if args.count_services:
        print(len(found))
        return
    for name, types in found:
        print(f"{name} [{', '.join(types)}]" if args.show_types else name)


def run_call(args: Namespace) -> str | None:
    """Call a service and print its response."""
    if args.rate is not None and args.rate <= 0:
        raise CommandError("rate must be greater than zero")
    service = service_class(args.service_type)
    request = service.Request()
    try:
        set_fields(request, yaml.safe_load(args.values))
    except (AttributeError, TypeError, ValueError, AssertionError, yaml.YAMLError) as error:
        return f"Failed to populate field: {error}"
    with direct_node(args, discover=False) as node:
        client: Any = node.create_client(service, args.service_name)
        if not client.service_is_ready():
            print("waiting for service to become available...")
            spin_until(node, client.service_is_ready)
        while True:
            print(f"requester: making request: {request!r}\n")
            called = time.monotonic()
            future = client.call_async(request)
            spin_until(node, future.done)
            if future.exception() is not None:
                raise CommandError(f"Exception while calling service: {future.exception()!r}")
            print(f"response:\n{future.result()!r}\n")
            if args.rate is None:
                return None
            pause = called + 1.0 / args.rate - time.monotonic()
            spin_until(node, lambda: False, pause)
