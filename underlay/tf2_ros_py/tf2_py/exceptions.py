"""What can go wrong with a transform; the names are those of the real tf2_py."""


class TransformException(Exception):  # noqa: N818 - the real name
    """Any failure to give a transform."""


class LookupException(TransformException):
    """A frame that was asked for has never been heard of, or the tree has a loop."""


class ConnectivityException(TransformException):
    """Both frames exist, but in trees that do not touch."""


class ExtrapolationException(TransformException):
    """The time asked for lies outside of what the buffer holds."""


class InvalidArgumentException(TransformException):
    """A frame's name cannot be one: empty, or with a leading slash."""


class TimeoutException(TransformException):
    """The answer did not come in time."""
