"""The MAVLink dialect: its XML, and the module that pymavlink generates from it."""
