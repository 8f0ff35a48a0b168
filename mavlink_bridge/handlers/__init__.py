"""What is done with each received message."""
