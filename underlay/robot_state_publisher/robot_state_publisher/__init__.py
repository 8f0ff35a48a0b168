"""Publishes where a robot's links are, from its URDF and the positions of its joints."""
