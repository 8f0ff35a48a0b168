"""`ros2 topic list` and `info`; `echo`, `hz` and `pub` have modules of their own."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ros2cli import verb_topic_echo, verb_topic_hz, verb_topic_pub
from ros2cli.graph import add_list_arguments, add_node_arguments, await_topic, direct_node, topics


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    verbs = parser.add_subparsers(title="Verbs", required=True)
    verb = verbs.add_parser("list", help="Output a list of available topics")
    add_list_arguments(verb, "topic")
    verb.add_argument(
        "--include-hidden-topics", action="store_true", help="Consider hidden topics as well"
    )
    verb.add_argument(
        "-v", "--verbose", action="store_true", help="List full details about each topic"
    )
    verb.set_defaults(run=run_list)
    verb = verbs.add_parser("info", help="Print information about a topic")
    add_node_arguments(verb)
    verb.add_argument("topic_name", help="Name of the ROS topic (e.g. '/chatter')")
    verb.add_argument(
        "-v", "--verbose", action="store_true", help="Also node names, GUIDs and QoS profiles"
    )
    verb.set_defaults(run=run_info)
    verb_topic_echo.add_verb(verbs)
    verb_topic_hz.add_verb(verbs)
    verb_topic_pub.add_verb(verbs)


def run_list(args: Namespace) -> None:
    """Print the names of all topics."""
    with direct_node(args) as node:
        found = topics(node, hidden=args.include_hidden_topics)
        counts = {
            name: (node.count_publishers(name), node.count_subscribers(name)) for name, _ in found
        }
    if args.count_topics:
        print(len(found))
    elif args.verbose:
        for side, title in enumerate(("Published", "Subscribed")):
            print(f"{title} topics:")
            for name, types in found:
                _print_count(name, types, counts[name][side], ("publisher", "subscriber")[side])
            print()
    else:
        for name, types in found:
            print(f"{name} [{', '.join(types)}]" if args.show_types else name)


def _print_count(name: str, types: list[str], count: int, word: str) -> None:
    if count:
        print(f" * {name} [{', '.join(types)}] {count} {word}{'s' if count > 1 else ''}")


def run_info(args: Namespace) -> str | None:
    """Print type and endpoints of a topic."""
    end = "\n\n" if args.verbose else "\n"
    with direct_node(args) as node:
        await_topic(node, args.topic_name)
        types = dict(topics(node, hidden=True)).get(args.topic_name)
        if types is None:
            return f"Unknown topic '{args.topic_name}'"
        print(f"Type: {types[0] if len(types) == 1 else types}", end=end)
        print(f"Publisher count: {node.count_publishers(args.topic_name)}", end=end)
        if args.verbose:
            for info in node.get_publishers_info_by_topic(args.topic_name):
                print(info, end=end)
        print(f"Subscription count: {node.count_subscribers(args.topic_name)}", end=end)
        if args.verbose:
            for info in node.get_subscriptions_info_by_topic(args.topic_name):
                print(info, end=end)
    return None
