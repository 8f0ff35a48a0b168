"""What the hands of a person in the view do: reach, grab, drive, feel. No ROS here."""
