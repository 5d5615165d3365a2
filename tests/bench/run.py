#!/usr/bin/env python3
"""Runs the benchmarks, one after another: every tests/bench/bench_*.py, or those named.

    run.py [--write] [NAME...]      --write: then write the tables of BENCHMARKS.md from the figures

Each is a program that prints its table on stdout and, given `--json FILE`, writes the same figures
there, in the form that figures.py says. The files go to build/bench/. An exit status of 1 says that a
figure missed the line it must reach; all of them run in any case, and the end says what was missed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import figures

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
LIMIT_S = 900


def main():
    names = [n for n in sys.argv[1:] if n != "--write"]
    programs = {p.stem.removeprefix("bench_"): p for p in sorted(Path(__file__).parent.glob("bench_*.py"))}
    unknown = [n for n in names if n not in programs]
    if unknown or not programs:
        sys.exit(f"tests/bench/run.py: no benchmark '{' '.join(unknown)}'; there are: {' '.join(programs)}")
    out = BUILD / "bench"
    out.mkdir(parents=True, exist_ok=True)
    if names and "--write" in sys.argv:
        sys.exit("tests/bench/run.py: the tables come from one run of all benchmarks: leave the names out")
    if not names:
        (out / "machine.json").write_text(json.dumps(figures.machine(), indent=1) + "\n")
    bad = []
    for name in names or programs:
        print(f"  BENCH    {name}", flush=True)
        (out / f"{name}.json").unlink(missing_ok=True)
        command = [sys.executable, programs[name], "--json", out / f"{name}.json"]
        try:
            status = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, timeout=LIMIT_S).returncode
        except subprocess.TimeoutExpired:
            print(f"  {name} took longer than {LIMIT_S} s and was ended", flush=True)
            status = 1
        if status:
            bad.append(name)
    print(f"\n  the figures are in {os.path.relpath(out, ROOT)}/")
    if "--write" in sys.argv:
        figures.write_tables(ROOT / "BENCHMARKS.md", out)
        print("  BENCHMARKS.md has the tables made from them")
    failed = [n for n in bad if not (out / f"{n}.json").exists()]
    lines = [x for n in bad if n not in failed for x in json.loads((out / f"{n}.json").read_text())["lines"]]
    for x in lines:
        if not figures.reached(x):
            print(f"  MISSED   {x['what']}: {x['value']:.3g}, at most {x['limit']:.3g}")
    if failed:
        sys.exit("tests/bench/run.py: gave no figures: " + " ".join(failed))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
