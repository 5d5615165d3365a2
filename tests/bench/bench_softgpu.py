#!/usr/bin/env python3
"""softgpu's speed on one core: softgpu_bench.cu, built with nvcc and run against softgpu's libcudart.

CPU time of one launch and of the loop that C has for the same work at -O2, one number at a time, in turn on the same
core: medians of up to 15, every result checked. Exit status 1 when a kernel takes a larger part of C's time than LINES
says, each of which has room for another machine. Without counters, as programs run unless they are asked for; a second
run counts, and says what that costs and how many lane-instructions a launch has.

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


ROW = re.compile(r"^(.+?) +([\d.]+) ms, C +([\d.]+) ms$", re.M)

# The most that a kernel may take, in parts of C's time. The product with tiles of 16 x 16, the commonest block of
# textbooks, fills half a vector at a time; a tree has 79 lane-instructions an element, where C has one addition.
LINES = {"SGEMM naive 256": 1, "SGEMM coalesced 512": 0.40, "SGEMM tiled 16x16 512": 0.40, "SGEMM tiled 512": 0.30,
         "transpose naive 2048": 1, "transpose shared 2048": 0.40, "transpose padded 2048": 0.40,
         "reduce 2^24 tree": 20, "reduce 2^24 grid stride": 4}


def build(folder):
    program = f"{folder}/bench"
    subprocess.run([nvcc(), "-std=c++17", "-arch=compute_90", "-cudart", "shared", "-o", program,
                    HERE / "softgpu_bench.cu"], check=True, timeout=300)
    return program


def run(program, *arguments, count=len(LINES), **settings):
    """(kernel, its ms, C's) for each row."""
    environment = {**os.environ, "WARPBOOK_SOFTGPU_THREADS": "1",
                   "LD_LIBRARY_PATH": str(BUILD / "lib/warpbook/softgpu"), **settings}
    text = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=300).stdout
    rows = [(name, float(ms), float(c)) for name, ms, c in ROW.findall(text)]
    if len(rows) != count:
        sys.exit(f"{len(rows)} rows in place of {count}: a kernel gave a wrong result\n{text}")
    return rows


def lane_instructions(report):
    """Returns the time of one launch for each row. The launches of a row follow each other."""
    counts, last = [], None
    for launch in json.loads(Path(report).read_text())["launches"]:
        if launch["symbol"] != last:
            counts.append(launch["counters"]["lane_instructions"])
        last = launch["symbol"]
    return counts


def measure():
    with tempfile.TemporaryDirectory() as folder:
        program, report = build(folder), f"{folder}/report.json"
        plain = run(program)
        counted = run(program, "kernels", WARPBOOK_SOFTGPU_COUNTERS="1", WARPBOOK_SOFTGPU_REPORT=report)
        instructions = lane_instructions(report)
    assert len(instructions) == len(plain)
    return [{"kernel": name, "ms": ms, "c_ms": c, "of_c": ms / c, "counted_ms": slow, "lane_instructions": n,
             "rate": n / ms / 1e6} for (name, ms, c), (_, slow, _), n in zip(plain, counted, instructions)]


def instruction_sets():
    """Each product's part of C's time, by instruction set: all in turn, three times, the medians."""
    parts = {}
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        for isa in ("base", "avx2", "avx512") * 3:
            for name, ms, c in run(program, "sgemm", count=4, WARPBOOK_SOFTGPU_ISA=isa):
                parts.setdefault(name, {}).setdefault(isa, []).append(ms / c)
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
    print(f"{'':26}{'CPU ms':>9}{'C':>9}{'of C':>8}{'counting':>10}{'M lane-instr':>14}{'G/s':>7}")
    for r in rows:
        print(f"{r['kernel']:26}{r['ms']:9.2f}{r['c_ms']:9.2f}{r['of_c']:8.2f}{r['counted_ms'] / r['ms'] - 1:+10.0%}"
              f"{r['lane_instructions'] / 1e6:14.1f}{r['rate']:7.2f}")
    finish(arguments.json, "softgpu on one core", rows,
           [line(f"softgpu, {r['kernel']}, of the time of C -O2", r["of_c"], LINES[r["kernel"]]) for r in rows])


if __name__ == "__main__":
    main()
