"""What the figures of a run depend on beside its trial and seed."""

from __future__ import annotations

import functools
import platform
from importlib import metadata


def environment() -> dict[str, str]:
    """Versions of what the figures depend on."""
    return dict(_environment())


@functools.lru_cache(maxsize=1)
def _environment() -> dict[str, str]:
    versions = {"python": platform.python_version(), "machine": platform.machine()}
    for name in ("numpy", "scipy", "mujoco", "opencv-python-headless", "rosbags", "truthbed"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions
