#!/usr/bin/env python3
"""softgpu's speed on one core: softgpu_bench.cu, built with nvcc and run against softgpu's libcudart.

CPU time of one launch, the median of up to 15, every result checked; beside it what a prototype of 3,600 lines took on
an earlier machine, the floor to beat. Exit status 1 when a kernel misses it. Without counters, as programs run unless
they are asked for; a second run counts, and says what that costs and how many lane-instructions a launch has.

Those counts tell whether the prototype ran the same kernel, as its rates were noted too. It has one reduction: 3.9 G/s
for 32 ms, 7.4 lane-instructions an element. The grid-stride loop here has 6.8, and is held to the 32 ms. The tree with an
element a thread, which students write first, has 79: in 32 ms that would be 41 G/s, 3.6 times the prototype's best rate
of any kernel, so it cannot have run that one. The tree has no time to beat, and one line that is rate against rate: its own
time for a lane-instruction, and the prototype's in its reduction.
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


ROW = re.compile(r"^(.+?) +([\d.]+) ms +prototype +([\d.]+|-) ms, +([\d.]+) G/s", re.M)


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
    return [{"kernel": name.strip(), "ms": float(ms), "prototype_ms": None if floor == "-" else float(floor),
             "counted_ms": float(slow[1]),
             "lane_instructions": n, "rate": n / float(ms) / 1e6, "prototype_rate": float(rate)}
            for (name, ms, floor, rate), slow, n in zip(plain, counted, instructions)]


def main():
    arguments = options(__doc__).parse_args()
    rows = measure()
    print(f"{'':26}{'CPU ms':>9}{'prototype':>11}{'ratio':>7}{'counting':>10}{'M lane-instr':>14}{'G/s':>7}{'prototype':>11}")
    for r in rows:
        floor = r["prototype_ms"]
        beside = f"{floor:11.1f}{r['ms'] / floor:7.2f}" if floor else f"{'-':>11}{'-':>7}"
        print(f"{r['kernel']:26}{r['ms']:9.2f}{beside}{r['counted_ms'] / r['ms'] - 1:+10.0%}"
              f"{r['lane_instructions'] / 1e6:14.1f}{r['rate']:7.2f}{r['prototype_rate']:11.1f}")
    times = [line(f"softgpu, {r['kernel']}, ms", r["ms"], r["prototype_ms"]) for r in rows if r["prototype_ms"]]
    rates = [line(f"softgpu, {r['kernel']} beside the prototype's reduction, ps a lane-instruction", 1e3 / r["rate"],
                  1e3 / r["prototype_rate"]) for r in rows if not r["prototype_ms"]]
    finish(arguments.json, "softgpu on one core", rows, times + rates)


if __name__ == "__main__":
    main()
