"""The border to ROS: messages to plain types and back, parameters, QoS, stamps."""
