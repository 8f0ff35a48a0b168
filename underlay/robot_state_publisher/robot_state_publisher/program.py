"""How the program begins: Ctrl-C is quiet from the first moment, imports included."""

import os
import signal


def main() -> int:
    """Import the node, which takes half a second or more, and run it."""
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(0))
    from robot_state_publisher.robot_state_publisher_node import main as node_main

    return node_main()
