"""`python -m ros2cli` is the same as `ros2`."""

import sys

from ros2cli.cli import main

if __name__ == "__main__":
    sys.exit(main())
