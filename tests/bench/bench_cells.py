#!/usr/bin/env python3
"""Times cells that were edited since they last ran, by kind, and thirty notebooks at once.

A kind: a cell in which one number changes each time, run twice and then EDITS times more, a second apart, as somebody
who edits would (what waits for the next cell is made meanwhile, and counted). Wall time from the request to the reply; CPU
time of the kernel with all that it started; beside it the same by nvcc alone ($WARPBOOK_NVCC_ONLY=1), in turn. The headers'
preludes are made before the clock runs.

Thirty notebooks: a kernel each, one cache, a cell of a kind drawn anew in each minute, MINUTES minutes after one to warm up.
"""

import random
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
from figures import finish, options  # noqa: E402
from raw_client import REAL, Client, Kernel  # noqa: E402

EDITS, PAUSE_S, NOTEBOOKS, MINUTES, LIMIT_S = 5, 1.0, 30, 4, 300
BEFORE = "#include <cstdio>\nint a = 1;"
KINDS = {
    "statements": "a = @; for (int i = 0; i < 3; i++) a += i;\na",
    "a variable": "int b = @;",
    "a struct": "struct S { int x = @; int twice() const { return 2 * x; } };",
    "a function": "int f(int x) { return x + @; }",
    "kernel and launch": "__global__ void k(int n) { printf(\"%d\\n\", n + @); }\nk<<<1, 2>>>(3);\ncudaDeviceSynchronize();",
    "<vector>, <iostream>, <algorithm>, <map>": "#include <algorithm>\n#include <iostream>\n#include <map>\n#include <vector>\n"
                                               "std::vector<int> v{3, @, 1};\nstd::map<int, int> m{{1, @}};\nstd::sort(v.begin(), v.end());\n"
                                               "std::cout << v[0] + m[1] << std::endl;",
    "<cooperative_groups.h>": "#include <cooperative_groups.h>\n__global__ void g(int *out) { auto t = cooperative_groups::this_thread_block(); "
                              "t.sync(); out[t.thread_rank()] = @; }\nint *out;\ncudaMalloc(&out, 128);\ng<<<1, 32>>>(out);\ncudaDeviceSynchronize();",
    "<cub/block/block_reduce.cuh>": "#include <cub/block/block_reduce.cuh>\n__global__ void r(int *out) { using R = cub::BlockReduce<int, 32>; "
                                    "__shared__ typename R::TempStorage s; int sum = R(s).Sum(@); if (!threadIdx.x) *out = sum; }\n"
                                    "int *out;\ncudaMalloc(&out, 4);\nr<<<1, 32>>>(out);\ncudaDeviceSynchronize();",
    "Thrust": "#include <thrust/device_vector.h>\n#include <thrust/reduce.h>\nthrust::device_vector<int> d(100, @);\nthrust::reduce(d.begin(), d.end())",
    "a compile error": "int e = @ + nowhere;",
    "the same cell again": "int again = 1; again + a",
}
IN_A_CLASS = ["statements", "a variable", "a struct", "a function", "kernel and launch", "<vector>, <iostream>, <algorithm>, <map>"]


def notebook(cache, nvcc_only=False):
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"],
                    env={"WARPBOOK_DEVICE": "soft", "XDG_CACHE_HOME": cache, "WARPBOOK_NVCC_ONLY": "1" if nvcc_only else "0"})
    client = Client(kernel)
    client.ready()
    return kernel, client


def cpu_of(cache):
    """Seconds of CPU time of all processes with that cache, and of those that they have waited for."""
    seconds = 0.0
    for process in psutil.process_iter():
        try:
            if process.environ().get("XDG_CACHE_HOME") == cache:
                t = process.cpu_times()
                seconds += t.user + t.system + t.children_user + t.children_system
        except psutil.Error:
            pass
    return seconds


def await_preludes(cache):
    """Until what the cells so far have begun in the background is made."""
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until and list(Path(cache).glob("warpbook/prelude/new-*")):
        time.sleep(0.1)


def run(client, code):
    began = time.perf_counter()
    content, _ = client.execute(code, timeout=LIMIT_S)
    return time.perf_counter() - began, content


def measure(kind, nvcc_only):
    """(median of wall, mean of CPU) of an edited cell, in seconds."""
    code, n = KINDS[kind], random.randrange(10, 1000)
    with tempfile.TemporaryDirectory() as cache:
        kernel, client = notebook(cache, nvcc_only)
        run(client, BEFORE)
        walls = []
        for i in range(EDITS + 2):
            if i == 2:
                await_preludes(cache)
                cpu = cpu_of(cache)
            wall, content = run(client, code.replace("@", str(n + i)))
            assert (content["status"] == "error") == (kind == "a compile error"), content
            walls.append(wall)
            time.sleep(PAUSE_S)
        cpu = cpu_of(cache) - cpu
        client.close()
        kernel.close()
    return statistics.median(walls[2:]), cpu / EDITS


def thirty():
    """Wall times of the cells of thirty notebooks, the first minute's left out, in seconds."""
    walls, lock = [], threading.Lock()

    def lead(i, cache):
        kernel, client = notebook(cache)
        run(client, BEFORE)
        time.sleep(60 * i / NOTEBOOKS)
        for minute in range(MINUTES + 1):
            begin = time.perf_counter()
            wall, _ = run(client, KINDS[random.choice(IN_A_CLASS)].replace("@", str(random.randrange(1 << 30))))
            with lock:
                walls.extend([wall] if minute else [])
            time.sleep(max(0, 60 - (time.perf_counter() - begin)))
        client.close()
        kernel.close()
    with tempfile.TemporaryDirectory() as cache:
        threads = [threading.Thread(target=lead, args=(i, cache)) for i in range(NOTEBOOKS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return walls


def main():
    parser = options(__doc__)
    parser.add_argument("--only", choices=["kinds", "thirty"])
    arguments = parser.parse_args()
    rows = []
    for kind in KINDS if arguments.only != "thirty" else ():
        (wall, cpu), (plain, plain_cpu) = measure(kind, False), measure(kind, True)
        rows.append({"cell": kind, "wall_ms": wall * 1e3, "cpu_ms": cpu * 1e3, "nvcc_wall_ms": plain * 1e3, "nvcc_cpu_ms": plain_cpu * 1e3})
        print(f"{kind:<42} {wall * 1e3:6.0f} ms, CPU {cpu * 1e3:6.0f} ms; by nvcc {plain * 1e3:6.0f}, {plain_cpu * 1e3:6.0f}", flush=True)
    if arguments.only != "kinds":
        walls = sorted(thirty())
        rows.append({"cell": f"{NOTEBOOKS} notebooks, a cell a minute each", "cells": len(walls), "median_ms": statistics.median(walls) * 1e3,
                     "nine_of_ten_ms": walls[len(walls) * 9 // 10] * 1e3, "worst_ms": walls[-1] * 1e3})
        print("{cell}: {cells} cells, median {median_ms:.0f} ms, nine of ten within {nine_of_ten_ms:.0f}, the worst {worst_ms:.0f}".format(**rows[-1]))
    finish(arguments.json, "a cell that was edited", rows, [])


if __name__ == "__main__":
    main()
