"""What a launch file asks for, once evaluated: the processes to start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProcessPlan:
    """One process, ready to be started."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str]
    folder: str | None = None
    output: str = "log"
    shell: bool = False
    shutdown_on_exit: bool = False
    respawn: bool = False
    respawn_delay: float = 0.0
    respawn_limit: int = -1
    #: Seconds from SIGINT to SIGTERM, and from there to SIGKILL.
    sigterm_timeout: float = 5.0
    sigkill_timeout: float = 5.0
