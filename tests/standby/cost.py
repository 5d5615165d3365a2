#!/usr/bin/env python3
"""What a cell's compilation takes with standbys and without, side by side: seconds of CPU time, those of the standbys and
their copies included, a cell, when those for its headers wait. `tests/standby/cost.py [KIND...]`; the medians of the runs."""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
STL = "#include <vector>\n#include <iostream>\n#include <map>\n"
KINDS = {
    "int a = 41;": ("", "int a{i} = 41;"),
    "a kernel, its launch": ("", "__global__ void k{i}(int *p) {{ *p = {i}; }}\nint *p{i};\ncudaMallocManaged(&p{i}, 4);\n"
                             "k{i}<<<1, 32>>>(p{i});\ncudaDeviceSynchronize();\n*p{i}"),
    "vector, iostream, map": (STL, "std::vector<int> v{i}{{3, 1, {i}}};\nstd::map<int, int> m{i};\nm{i}[1] = v{i}[2];\nstd::cout << m{i}[1];"),
    "cooperative_groups": ("#include <cooperative_groups.h>\n", "__global__ void k{i}(int *p) {{ auto b = cooperative_groups::this_thread_block(); "
                           "b.sync(); p[b.thread_rank()] = {i}; }}"),
    "an error": ("", "int f{i}() {{ return nothing; }}"),
    "Thrust": ("#include <thrust/device_vector.h>\n#include <thrust/sort.h>\n",
               "thrust::device_vector<int> d{i}(100, {i});\nthrust::sort(d{i}.begin(), d{i}.end());"),
}
FIRST, MORE = 4, {"Thrust": 2}


def seconds_of_standbys(cache):
    total = 0.0
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(cache) in os.readlink(entry / "cwd"):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            pass
    return total


def run(cells, setting):
    """Seconds of CPU time of a notebook with these cells."""
    with tempfile.TemporaryDirectory() as top:
        case = Path(top) / "cells" / "one"
        case.mkdir(parents=True)
        for i, text in enumerate(cells, 1):
            (case / f"{i}.cu").write_text(text)
            (case / f"{i}.want").write_text("")
        env = dict(os.environ, XDG_CACHE_HOME=f"{top}/cache", WARPBOOK_CELLS=f"{top}/cells", WARPBOOK_STANDBY=setting)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([BUILD / "tests/session_test"], cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        waiting = Path(top) / "cache/warpbook/standby"
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime + seconds_of_standbys(waiting)
        shutil.rmtree(waiting, ignore_errors=True)
        return seconds


def cost(kind, setting):
    first, each = KINDS[kind]
    more = MORE.get(kind, 6)
    cells = [first + each.format(i=i) for i in range(FIRST + more)]
    return (run(cells, setting) - run(cells[:FIRST], setting)) / more


def main():
    repeats = int(os.environ.get("REPEATS", 3))
    print(f"{'a cell':<24} {'without':>8} {'with':>8} {'ratio':>6}")
    for kind in sys.argv[1:] or KINDS:
        found = [(cost(kind, "0"), cost(kind, "1")) for _ in range(repeats)]
        without, with_them = (statistics.median(f[i] for f in found) for i in (0, 1))
        print(f"{kind:<24} {without:8.2f} {with_them:8.2f} {without / with_them:6.2f}", flush=True)


main()
