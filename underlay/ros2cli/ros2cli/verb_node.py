"""`ros2 node list`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from ros2cli.graph import add_list_arguments, direct_node, node_names


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    verbs = parser.add_subparsers(title="Verbs", required=True)
    verb = verbs.add_parser("list", help="Output a list of available nodes")
    add_list_arguments(verb, "node", types=False)
    verb.add_argument("-a", "--all", action="store_true", help="Display all nodes even hidden ones")
    verb.set_defaults(run=run_list)


def run_list(args: Namespace) -> None:
    """Print the names of all nodes."""
    with direct_node(args) as node:
        names = node_names(node, hidden=args.all)
    if args.count_nodes:
        print(len(names))
        return
    if len(set(names)) < len(names):
        print(
            "WARNING: Be aware that there are nodes in the graph that share an exact name, "
            "which can have unintended side effects.",
            file=sys.stderr,
        )
    for name in names:
        print(name)
