"""MAVLink messages to plain structs in ROS's frames, and commands to messages."""
