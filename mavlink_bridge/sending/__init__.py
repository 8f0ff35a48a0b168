"""What leaves through a link, and when: classes, byte budget, commands and their answers."""
