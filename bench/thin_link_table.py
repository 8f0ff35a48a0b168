"""The tables of docs/thin_link.md: `python bench/thin_link_table.py OUT` runs what is missing.

Each trial writes its figures into the folder OUT; a second call only prints them.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mavlink_bridge.thin_link_trial import TrialOptions, run_trial

SIZE, SEEDS = 1_500_000, (1, 2, 3)
TRIALS = {
    "no loss": TrialOptions(SIZE),
    "20 % lost each way": TrialOptions(SIZE, loss=0.2),
    "10 Hz setpoints": TrialOptions(SIZE, setpoint_hz=10.0),
    "10 Hz setpoints, 20 % lost": TrialOptions(SIZE, loss=0.2, setpoint_hz=10.0),
}
Figures = dict[str, Any]
COLUMNS: dict[str, Callable[[list[Figures]], str]] = {
    "file, minutes": lambda runs: span([run["seconds"] / 60 for run in runs], 1),
    "bytes/s": lambda runs: span([run["bytes_per_second"] for run in runs], 0),
    "identical": lambda runs: f"{sum(run['identical'] for run in runs)} of {len(runs)}",
    "commands acknowledged": lambda runs: (
        f"{sum(run['acknowledged'] for run in runs)} of {sum(run['commands'] for run in runs)}"
    ),
    "median, s": lambda runs: span([run["ack_median_s"] for run in runs], 2),
    "99 %, s": lambda runs: span([run["ack_p99_s"] for run in runs], 2),
    "parts sent twice in vain": lambda runs: span([run["file_parts_repeated"] for run in runs], 0),
    "setpoints/s": lambda runs: span([run["setpoints_sent"] / run["seconds"] for run in runs], 1),
    "CPU, s": lambda runs: span([run["cpu_s"] for run in runs], 0),
}


def span(values: list[float], digits: int) -> str:
    """Lowest to highest, or one number where they are the same."""
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"


def figures_of(name: str, options: TrialOptions, folder: Path) -> list[Figures]:
    runs = []
    for seed in SEEDS:
        file = folder / f"{name.replace(' ', '_').replace('%', 'percent')}_{seed}.json"
        if not file.is_file():
            figures = run_trial(TrialOptions(**{**vars(options), "seed": seed}))
            file.write_text(json.dumps(figures))
        runs.append(json.loads(file.read_text()))
    return runs


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print("| | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for name, options in TRIALS.items():
        runs = figures_of(name, options, folder)
        cells = " | ".join(column(runs) for column in COLUMNS.values())
        print(f"| {name} | {cells} |", flush=True)
    rates = [run["telemetry_received"] / run["seconds"] for run in runs]
    print(f"\ntelemetry: {statistics.mean(rates):.1f} messages/s in the last row")


if __name__ == "__main__":
    main()
