"""Plain value types that every room speaks: transforms, scans and camera frames. No ROS here."""
