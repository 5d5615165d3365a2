"""Which lines of the source a launch's modelled time goes to. Sizes are drawn anew at each run."""

import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
WARPBOOK = BUILD / "bin" / "warpbook"
LIMIT_S = 600

HEADER = """#pragma once
__device__ inline float twice(const float *x, int i) {
    float v = x[i];  // in a header
    return v + v;
}
"""
SOURCE = """#include <cstdlib>
#include <cstring>
#include "twice.cuh"

__global__ void copy(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = twice(x, i);  // the store
}

__global__ void transpose(const float *x, float *y, int n) {
    int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
    float v = x[j * n + i];  // in a row
    y[i * n + j] = v;  // in a column
}

__global__ void products(float *x, int n) {
    float a = x[threadIdx.x], b = a + 1, c = a + 2, d = a + 3;
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int m = 0; m < 16; m++) {
            a = a * 3 + 1; b = b * 3 + 1; c = c * 3 + 1; d = d * 3 + 1;  // products
        }
    }
    x[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

__global__ void chase(int *next, int n) {
    int i = 0;
    for (int k = 0; k < n; k++)
        i = next[i];  // one after another
    next[1] = i;
}

__global__ void queue(float *sum) {
    float v = threadIdx.x;
    atomicAdd(sum, v);  // all at one address
}

__global__ void late(float *x, int n) {
    float v = 1;
    if (threadIdx.x < 32)
        for (int k = 0; k < n; k++)
            v = v / 3 + 1;  // one warp
    __syncthreads();  // the others
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main(int argc, char **argv) {
    int n = atoi(argv[2]);
    size_t words = 64 << 20;
    float *x, *y;
    cudaMalloc(&x, words * sizeof *x);
    cudaMalloc(&y, words * sizeof *y);
    cudaMemset(x, 0, 4096);
    if (!strcmp(argv[1], "copy"))
        copy<<<n, 256>>>(x, y);
    if (!strcmp(argv[1], "transpose"))
        transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(x, y, n);
    if (!strcmp(argv[1], "products"))
        products<<<132 * 8, 256>>>(x, n);
    if (!strcmp(argv[1], "chase"))
        chase<<<1, 1>>>((int *)x, n);
    if (!strcmp(argv[1], "queue"))
        queue<<<n, 256>>>(x);
    if (!strcmp(argv[1], "late"))
        late<<<132, 1024>>>(x, n);
    cudaDeviceSynchronize();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lines")
    (folder / "twice.cuh").write_text(HEADER)
    (folder / "lines.cu").write_text(SOURCE)
    nvcc = os.environ.get("NVCC") or "nvcc"
    subprocess.run([nvcc, "-arch=compute_75", "-cudart", "shared", "-lineinfo", "-o", "program", "lines.cu"],
                   cwd=folder, check=True, timeout=LIMIT_S)
    return folder / "program"


def run(program, *words, flags=()):
    done = subprocess.run([WARPBOOK, "exec", *flags, "--", program, *map(str, words)], cwd=program.parent,
                          capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 0, done.stderr
    return done


def shares(program, *words, flags=()):
    """{what the line's comment says: its line of the report}, and the launch's model."""
    report = json.loads(run(program, *words, flags=["--json", "--model", "h200", *flags]).stdout)
    model = report["launches"][0]["model"]
    assert all(0 < line["share"] for line in model["lines"]) and sum(line["share"] for line in model["lines"]) < 1.0001
    for line in model["lines"]:
        source = HEADER if line["header"] else SOURCE
        assert line["text"] == source.splitlines()[line["line"] - 1]
        assert line["share"] == pytest.approx(sum(line["limits"].values()), abs=0.005)
    return {line["text"].partition("// ")[2]: line for line in model["lines"] if "// " in line["text"]}, model


def test_a_column_costs_more_than_a_row(program):
    lines, model = shares(program, "transpose", 32 * random.randrange(40, 80))
    assert lines["in a column"]["share"] > 0.6 > 5 * lines["in a row"]["share"]
    assert max(lines["in a column"]["limits"], key=lines["in a column"]["limits"].get) == model["bound"] == "L2"


def test_products_are_instructions(program):
    lines, model = shares(program, "products", random.randrange(60, 100))
    assert model["bound"] == "issue" and lines["products"]["share"] > 0.8
    assert lines["products"]["limits"]["issue"] > 0.7


def test_a_chain_waits_for_its_loads(program):
    lines, _ = shares(program, "chase", random.randrange(10000, 30000))
    assert lines["one after another"]["share"] > 0.8 and lines["one after another"]["waits_for"] == "loads"


def test_a_queue_of_atomics(program):
    lines, _ = shares(program, "queue", random.randrange(2000, 4000))
    assert lines["all at one address"]["limits"]["atomics"] > 0.9


def test_who_waits_for_others_at_a_barrier_is_not_charged(program):
    lines, _ = shares(program, "late", random.randrange(500, 1000))
    assert lines["one warp"]["share"] > 0.7
    assert "the others" not in lines or lines["the others"]["share"] < 0.1


def test_a_header_is_told_as_such(program):
    lines, model = shares(program, "copy", random.randrange(60000, 90000))
    assert lines["in a header"]["header"] and not lines["the store"]["header"]
    assert lines["in a header"]["share"] > 0.3 and "memory" in lines["the store"]["limits"]
    text = run(program, "copy", 60000, flags=["--model", "h200"]).stderr
    assert re.search(r"lines\.cu:\n(.*\n)* +7 .*= twice\(x, i\);.*\n +twice\.cuh \(header\):\n +3 .*float v = x\[i\];", text), text


def test_a_sample_tells_the_same(program):
    words = ("transpose", 32 * random.randrange(80, 160))
    whole, _ = shares(program, *words)
    part, model = shares(program, *words, flags=["--sample"])
    assert model["ran"] < 600
    for comment in ("in a column", "in a row"):
        assert part[comment]["share"] == pytest.approx(whole[comment]["share"], abs=0.03)


def test_the_table_fits_the_terminal(program):
    for columns in (80, 120):
        done = subprocess.run([WARPBOOK, "exec", "--model", "h200", "--", program, "products", "60"],
                              capture_output=True, text=True, timeout=LIMIT_S, cwd=program.parent,
                              env={**os.environ, "COLUMNS": str(columns)})
        [head] = [line for line in done.stderr.splitlines() if "spent on" in line]
        table = done.stderr[done.stderr.index(head):]
        assert "products of lines.cu: 1 launch" in table and "instructions" in table
        assert max(map(len, table.splitlines())) <= columns
    without = run(program, "products", 60, flags=["--json", "--counters"])
    assert "model" not in json.loads(without.stdout)["launches"][0]
