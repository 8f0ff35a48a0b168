"""The part of the `ros2` command that Truthbed uses, for machines without a ROS distribution.

Each command is a module `verb_<command>.py`; arguments, output and exit codes follow the real
tool, so that a shell line or a launch file works on both kinds of machine.
"""
