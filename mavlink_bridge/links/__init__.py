"""Ways to carry packets: UDP, TCP, serial, thin ones, and an emulator of bad ones."""
