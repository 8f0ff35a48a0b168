"""`make bench`: run every benchmark, write out/bench.json and print a table.

A benchmark is a file bench_*.py beside this one with `run(quick: bool) -> list[dict]`; each row has
`name`, `value` (a median), `unit`, and where there is a requirement `required` and `at_least`
(False: at most).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent


def benchmarks() -> list[str]:
    return sorted(path.stem for path in HERE.glob("bench_*.py"))


def verdict(row: dict[str, Any]) -> str:
    required = row.get("required")
    if required is None:
        return ""
    good = row["value"] >= required if row.get("at_least", True) else row["value"] <= required
    return "ok" if good else "MISSED"


def as_table(rows: Sequence[dict[str, Any]]) -> str:
    lines = []
    for row in rows:
        required = row.get("required")
        sign = ">=" if row.get("at_least", True) else "<="
        wanted = "" if required is None else f"{sign} {required:g}"
        lines.append(
            f"{row['name']:<58} {row['value']:>12.4g} {row['unit']:<10} {wanted:<10} {verdict(row)}"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--only", action="append", choices=benchmarks(), help="run these only")
    parser.add_argument("--out", type=Path, default=Path("out/bench.json"))
    arguments = parser.parse_args()
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    rows: list[dict[str, Any]] = []
    failed = []
    for name in arguments.only or benchmarks():
        print(f"-- {name}", flush=True)
        begin = time.monotonic()
        try:
            found = importlib.import_module(name).run(arguments.quick)
        except pytest.skip.Exception as missing:  # raised by what the tests share with us
            failed.append(name)
            print(f"{name}: not measured: {missing.msg}", file=sys.stderr)
            continue
        except Exception as error:
            failed.append(name)
            print(f"{name} failed: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        print(as_table(found))
        print(f"   ({time.monotonic() - begin:.0f} s)", flush=True)
        rows += [{"benchmark": name, **row} for row in found]
    machine = {"cpus": os.cpu_count(), "machine": platform.machine(), "load": os.getloadavg()[0]}
    machine["python"] = platform.python_version()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps({"machine": machine, "rows": rows}, indent=2) + "\n")
    print(f"written to {arguments.out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
