"""`ros2 pkg prefix`: where a package is installed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ros2cli.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    verbs = parser.add_subparsers(title="Verbs", required=True)
    prefix = verbs.add_parser("prefix", help="Output the prefix path of a package")
    prefix.add_argument("package_name", help="The package name")
    prefix.add_argument("--share", action="store_true", help="Show share directory for the package")
    prefix.set_defaults(run=run_prefix)


def run_prefix(args: Namespace) -> str | None:
    """Print the prefix, or the share folder, of a package."""
    find = get_package_share_directory if args.share else get_package_prefix
    try:
        print(find(args.package_name))
    except (PackageNotFoundError, ValueError):
        return "Package not found"
    return None
