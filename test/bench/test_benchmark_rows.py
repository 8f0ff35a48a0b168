import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(autouse=True)
def bench_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    yield
    for name in ("bench_laser", "run_bench"):
        sys.modules.pop(name, None)


def test_the_runner_can_print_what_the_laser_benchmark_measures():
    import bench_laser
    import run_bench

    row = bench_laser.measure(360, 1, "model", scans=5, repeats=1)
    assert row["found"] == 1
    line = run_bench.as_table([row])
    assert ">= 2500" in line
    assert line.split()[-1] in ("ok", "MISSED")
