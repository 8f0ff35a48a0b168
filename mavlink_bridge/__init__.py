"""The MAVLink bridge: links, dialect, sending, file transfer; ROS only in the nodes."""
