"""What differs between autopilots, recognised from their heartbeats."""
