"""`python -m bench`: see run_bench.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from run_bench import main

sys.exit(main())
