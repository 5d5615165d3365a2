#!/usr/bin/env python3
"""softgpu's speed on one core: softgpu_bench.cu, built with nvcc and run against softgpu's libcudart.

CPU time of one launch, the median of up to 15, every result checked; beside it what a prototype of 3,600 lines took on
an earlier machine, the floor to beat. Exit status 1 when a kernel misses it. Without counters, as programs run unless
they are asked for; a second run counts, and says what that costs and how many lane-instructions a launch has.

Those counts tell whether the prototype ran the same kernel, as its rates were noted too. It has one reduction: 3.9 G/s
for 32 ms, 7.4 lane-instructions an element. The grid-stride loop here has 6.8, and is held to the 32 ms. The tree with an
element a thread, which students write first, has 79: in 32 ms that would be 41 G/s, 3.6 times the prototype's best rate
of any kernel, so it cannot have run that one. The tree has no time to beat, and one line that is rate against rate: its own
time for a lane-instruction, and the prototype's in its reduction. Nor had it tiles of 16 x 16, the commonest block of
textbooks: they are held to 0.40 of the time that the same product takes as three loops of C at -O2, one number at a time.

    bench_softgpu.py --isa    the four products alone, in parts of C's time, with each instruction set this CPU has
"""

import json
import os
import re
import shutil
import statistics
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


def build(folder):
    program = f"{folder}/bench"
    subprocess.run([nvcc(), "-std=c++17", "-arch=compute_90", "-cudart", "shared", "-o", program,
                    HERE / "softgpu_bench.cu"], check=True, timeout=300)
    return program


def run(program, *arguments, count, **settings):
    environment = {**os.environ, "WARPBOOK_SOFTGPU_THREADS": "1",
                   "LD_LIBRARY_PATH": str(BUILD / "lib/warpbook/softgpu"), **settings}
    text = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, check=True, timeout=300).stdout
    rows = ROW.findall(text)
    if len(rows) != count:
        sys.exit(f"{len(rows)} rows in place of {count}: a kernel gave a wrong result\n{text}")
    return rows


def lane_instructions(report):
    """Of one launch for each row: the launches of a row follow each other."""
    counts, last = [], None
    for launch in json.loads(Path(report).read_text())["launches"]:
        if launch["symbol"] != last:
            counts.append(launch["counters"]["lane_instructions"])
        last = launch["symbol"]
    return counts


def parted(rows):
    """The kernels' rows, and the times of the loops in C by the size of the product."""
    return ([row for row in rows if not row[0].startswith("SGEMM C ")],
            {row[0].split()[-1]: float(row[1]) for row in rows if row[0].startswith("SGEMM C ")})


def measure():
    with tempfile.TemporaryDirectory() as folder:
        program, report = build(folder), f"{folder}/report.json"
        plain, in_c = parted(run(program, count=11))
        counted, _ = parted(run(program, count=11, WARPBOOK_SOFTGPU_COUNTERS="1", WARPBOOK_SOFTGPU_REPORT=report))
        instructions = lane_instructions(report)
    assert len(instructions) == len(plain)
    return [{"kernel": name.strip(), "ms": float(ms), "prototype_ms": None if floor == "-" else float(floor),
             "counted_ms": float(slow[1]),
             "lane_instructions": n, "rate": n / float(ms) / 1e6, "prototype_rate": float(rate),
             "of_c": float(ms) / in_c[name.split()[-1]] if name.startswith("SGEMM") else None}
            for (name, ms, floor, rate), slow, n in zip(plain, counted, instructions)]


def instruction_sets():
    """Each product's part of C's time, by instruction set: all in turn, three times, the medians."""
    parts = {}
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        for isa in ("base", "avx2", "avx512") * 3:
            kernels, in_c = parted(run(program, "sgemm", count=6, WARPBOOK_SOFTGPU_ISA=isa))
            for name, ms, _, _ in kernels:
                parts.setdefault(name.strip(), {}).setdefault(isa, []).append(float(ms) / in_c[name.split()[-1]])
    print(f"{'of the time of C -O2':26}{'base':>8}{'avx2':>8}{'avx512':>8}    (a set this CPU lacks: as the one before)")
    for name, by_isa in parts.items():
        print(f"{name:26}" + "".join(f"{statistics.median(by_isa[isa]):8.2f}" for isa in ("base", "avx2", "avx512")))


def main():
    parser = options(__doc__)
    parser.add_argument("--isa", action="store_true", help="compare the instruction sets")
    arguments = parser.parse_args()
    if arguments.isa:
        instruction_sets()
        return
    rows = measure()
    print(f"{'':26}{'CPU ms':>9}{'prototype':>11}{'ratio':>7}{'counting':>10}{'M lane-instr':>14}{'G/s':>7}{'prototype':>11}{'of C':>11}")
    for r in rows:
        floor = r["prototype_ms"]
        beside = f"{floor:11.1f}{r['ms'] / floor:7.2f}" if floor else f"{'-':>11}{'-':>7}"
        print(f"{r['kernel']:26}{r['ms']:9.2f}{beside}{r['counted_ms'] / r['ms'] - 1:+10.0%}"
              f"{r['lane_instructions'] / 1e6:14.1f}{r['rate']:7.2f}{r['prototype_rate']:11.1f}"
              + (f"{r['of_c']:11.2f}" if r["of_c"] else ""))
    times = [line(f"softgpu, {r['kernel']}, ms", r["ms"], r["prototype_ms"]) for r in rows if r["prototype_ms"]]
    rates = [line(f"softgpu, {r['kernel']} beside the prototype's reduction, ps a lane-instruction", 1e3 / r["rate"],
                  1e3 / r["prototype_rate"]) for r in rows if r["prototype_rate"] and not r["prototype_ms"]]
    of_c = [line(f"softgpu, {r['kernel']}, of the time of C -O2", r["of_c"], 0.40) for r in rows
            if r["of_c"] and not r["prototype_rate"]]
    finish(arguments.json, "softgpu on one core", rows, times + rates + of_c)


if __name__ == "__main__":
    main()
