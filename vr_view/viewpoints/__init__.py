"""Where a viewpoint is and what its eyes see: axes of devices, modes, eyes. No ROS here."""
