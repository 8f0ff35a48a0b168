"""Which image each eye sees, and how much of it. No ROS here."""
