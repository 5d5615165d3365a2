#!/usr/bin/env python3
"""Runs the benchmarks, one after another: every tests/bench/bench_*.py, or those named.

Each is a program that prints its table on stdout and, given `--json FILE`, writes the same figures
there: {"title": "...", "machine": {...}, "rows": [{...}, ...]}. The files go to build/bench/. An
exit status other than 0 says that a figure missed what it must reach.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
LIMIT_S = 900


def main():
    programs = {p.stem.removeprefix("bench_"): p for p in sorted(Path(__file__).parent.glob("bench_*.py"))}
    unknown = [n for n in sys.argv[1:] if n not in programs]
    if unknown or not programs:
        sys.exit(f"tests/bench/run.py: no benchmark '{' '.join(unknown)}'; there are: {' '.join(programs)}")
    out = BUILD / "bench"
    out.mkdir(parents=True, exist_ok=True)
    missed = []
    for name in sys.argv[1:] or programs:
        print(f"  BENCH    {name}", flush=True)
        command = [sys.executable, programs[name], "--json", out / f"{name}.json"]
        try:
            status = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, timeout=LIMIT_S).returncode
        except subprocess.TimeoutExpired:
            print(f"  {name} took longer than {LIMIT_S} s and was ended", flush=True)
            status = 1
        if status:
            missed.append(name)
    print(f"  the figures are in {os.path.relpath(out, ROOT)}/")
    if missed:
        sys.exit("tests/bench/run.py: missed or failed: " + " ".join(missed))


if __name__ == "__main__":
    main()
