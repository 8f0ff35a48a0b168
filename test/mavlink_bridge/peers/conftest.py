"""Real programs of others as peers. They are needed: `make test` installs requirements-test.txt."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

# flights.py and what else the tests of this room share.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


@pytest.fixture(autouse=True, scope="session")
def _peers_are_installed() -> None:
    for module in ("mavsdk", "MAVProxy"):
        if importlib.util.find_spec(module) is None:
            pytest.fail(
                f"{module} is missing: `pip install --no-deps -r requirements-test.txt`, "
                "as `make test` does"
            )
