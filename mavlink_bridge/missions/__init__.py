"""Missions from the ground's side: bringing them to a vehicle, fetching them, and their files."""
