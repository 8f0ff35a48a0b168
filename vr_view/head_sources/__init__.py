"""Devices that tell where a head is: SteamVR's, or a script. No ROS here."""
