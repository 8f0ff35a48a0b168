"""The phone-robot: controllers that run alike in simulation and on hardware."""
