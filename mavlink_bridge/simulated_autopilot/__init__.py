"""A drone that is not there: a point with limits, and the MAVLink services around it."""
