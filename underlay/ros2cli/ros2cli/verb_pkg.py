"""`ros2 pkg prefix`, `executables` and `list`: what is installed, and where."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ros2cli.packages import (
    PackageNotFoundError,
    executables,
    get_package_prefix,
    get_package_share_directory,
    package_names,
)


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    verbs = parser.add_subparsers(title="Verbs", required=True)
    prefix = verbs.add_parser("prefix", help="Output the prefix path of a package")
    prefix.add_argument("package_name", help="The package name")
    prefix.add_argument("--share", action="store_true", help="Show share directory for the package")
    prefix.set_defaults(run=run_prefix)
    verb = verbs.add_parser("executables", help="Output a list of package specific executables")
    verb.add_argument("package_name", nargs="?", help="The package name")
    verb.add_argument("--full-path", action="store_true", help="Show full path of each executable")
    verb.set_defaults(run=run_executables)
    verbs.add_parser("list", help="Output a list of available packages").set_defaults(run=run_list)


def run_prefix(args: Namespace) -> str | None:
    """Print the prefix, or the share folder, of a package."""
    find = get_package_share_directory if args.share else get_package_prefix
    try:
        print(find(args.package_name))
    except (PackageNotFoundError, ValueError):
        return "Package not found"
    return None


def run_executables(args: Namespace) -> None:
    """Print package and name, or the path, of each executable."""
    names = package_names() if args.package_name is None else [args.package_name]
    for package in names:
        for path in executables(package):
            print(path if args.full_path else f"{package} {path.name}")


def run_list(_args: Namespace) -> None:
    """Print the names of all packages."""
    print("\n".join(package_names()))
