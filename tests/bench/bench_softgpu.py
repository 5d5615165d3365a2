#!/usr/bin/env python3
"""softgpu's speed on one core: softgpu_bench.cu, built with nvcc and run against softgpu's libcudart.

CPU time of one launch, the median of up to 15, every result checked; beside it what a prototype of 3,600 lines took on
an earlier machine, the floor to beat. Exit status 1 when a kernel misses it. Without counters, as programs run unless
they are asked for; a second run counts, and says what that costs and how many lane-instructions a launch has.

Those counts tell whether the prototype ran the same kernel, as its rates were noted too: its 3.9 G/s for 32 ms were 7.4
an element of the reduction. The grid-stride loop has 6.8; the tree with an element a thread, which students write first,
has 79, so the prototype cannot have meant that one. Both stand here, and the tree's rate beside its time.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import finish, line, options

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", HERE.parent.parent / "build"))


def nvcc():
    known = (os.environ.get("WARPBOOK_NVCC"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc",
             str(HERE.parent.parent / ".venv/cuda/bin/nvcc"))
    for path in known:
        if path and os.access(path, os.X_OK):
            return path
    sys.exit("no nvcc was found: make setup brings one")


ROW = re.compile(r"^(.+?) +([\d.]+) ms +prototype +([\d.]+) ms, +([\d.]+) G/s", re.M)


def run(program, **settings):
    environment = {**os.environ, "WARPBOOK_SOFTGPU_THREADS": "1",
                   "LD_LIBRARY_PATH": str(BUILD / "lib/warpbook/softgpu"), **settings}
    text = subprocess.run([program], env=environment, capture_output=True, text=True, check=True, timeout=300).stdout
    rows = ROW.findall(text)
    if len(rows) != 8:
        sys.exit(f"{len(rows)} rows in place of 8: a kernel gave a wrong result\n{text}")
    return rows


def lane_instructions(report):
    """Of one launch for each row: the launches of a row follow each other."""
    counts, last = [], None
    for launch in json.loads(Path(report).read_text())["launches"]:
        if launch["symbol"] != last:
            counts.append(launch["counters"]["lane_instructions"])
        last = launch["symbol"]
    return counts


def measure():
    with tempfile.TemporaryDirectory() as folder:
        program, report = f"{folder}/bench", f"{folder}/report.json"
        subprocess.run([nvcc(), "-std=c++17", "-arch=compute_90", "-cudart", "shared", "-o", program,
                        HERE / "softgpu_bench.cu"], check=True, timeout=300)
        plain = run(program)
        counted = run(program, WARPBOOK_SOFTGPU_COUNTERS="1", WARPBOOK_SOFTGPU_REPORT=report)
        instructions = lane_instructions(report)
    assert len(instructions) == len(plain)
    return [{"kernel": name.strip(), "ms": float(ms), "prototype_ms": float(floor), "counted_ms": float(slow[1]),
             "lane_instructions": n, "rate": n / float(ms) / 1e6, "prototype_rate": float(rate)}
            for (name, ms, floor, rate), slow, n in zip(plain, counted, instructions)]


def main():
    arguments = options(__doc__).parse_args()
    rows = measure()
    print(f"{'':26}{'CPU ms':>9}{'prototype':>11}{'ratio':>7}{'counting':>10}{'M lane-instr':>14}{'G/s':>7}{'prototype':>11}")
    for r in rows:
        print(f"{r['kernel']:26}{r['ms']:9.2f}{r['prototype_ms']:11.1f}{r['ms'] / r['prototype_ms']:7.2f}"
              f"{r['counted_ms'] / r['ms'] - 1:+10.0%}{r['lane_instructions'] / 1e6:14.1f}{r['rate']:7.2f}"
              f"{r['prototype_rate']:11.1f}")
    tree = next(r for r in rows if "tree" in r["kernel"])
    finish(arguments.json, "softgpu on one core", rows,
           [line(f"softgpu, {r['kernel']}, ms", r["ms"], r["prototype_ms"]) for r in rows] +
           [line(f"softgpu, {tree['kernel']}, ps a lane-instruction", 1e3 / tree["rate"], 1e3 / tree["prototype_rate"])])


if __name__ == "__main__":
    main()
