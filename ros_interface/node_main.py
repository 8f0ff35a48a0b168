"""How every node of Truthbed starts and ends."""

from __future__ import annotations

import sys
from collections.abc import Callable

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from ros_interface.errors import ConfigurationError
from spatial_types.parameters import ParameterError

CONFIGURATION_EXIT_CODE = 2


def run_node(factory: Callable[[], Node], args: list[str] | None = None) -> int:
    """Start the node that `factory` makes, spin until Ctrl-C, and return the exit code.

    A ConfigurationError or ParameterError at start is one line on standard error and exit code 2;
    Ctrl-C and an external shutdown are 0.
    """
    rclpy.init(args=args)
    node = None
    try:
        node = factory()
        rclpy.spin(node)
    except (ConfigurationError, ParameterError) as error:
        print(f"error: {error}", file=sys.stderr)
        return CONFIGURATION_EXIT_CODE
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
