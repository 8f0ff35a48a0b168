"""What a bridge does beside carrying messages: time, setpoints, manoeuvres, state. No ROS here."""
