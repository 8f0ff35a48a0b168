"""`ros2 bag`: its verbs have modules of their own."""

from __future__ import annotations

from argparse import ArgumentParser

from ros2cli import verb_bag_info, verb_bag_play, verb_bag_record


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    verbs = parser.add_subparsers(title="Verbs", required=True)
    for module in (verb_bag_record, verb_bag_play, verb_bag_info):
        module.add_verb(verbs)
