"""`ros2 action list`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from rclpy.action import get_action_names_and_types

from ros2cli.graph import add_list_arguments, direct_node


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    verbs = parser.add_subparsers(title="Verbs", required=True)
    verb = verbs.add_parser("list", help="Output a list of action names")
    add_list_arguments(verb, "action")
    verb.set_defaults(run=run_list)


def run_list(args: Namespace) -> None:
    """Print the names of all actions."""
    with direct_node(args) as node:
        found = sorted(get_action_names_and_types(node))
    if args.count_actions:
        print(len(found))
        return
    for name, types in found:
        print(f"{name} [{', '.join(types)}]" if args.show_types else name)
