"""The page's server: files, the scene, and one socket, on one port. Knows no ROS."""
