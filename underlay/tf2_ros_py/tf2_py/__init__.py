"""The transform buffer without ROS around it: same names as the real tf2_py."""

from tf2_py.buffer_core import BufferCore
from tf2_py.exceptions import (
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TimeoutException,
    TransformException,
)

__all__ = [
    "BufferCore",
    "ConnectivityException",
    "ExtrapolationException",
    "InvalidArgumentException",
    "LookupException",
    "TimeoutException",
    "TransformException",
]
