"""Blocks that hide from the model's sample earn no more than the same work in the open. A family chooses by the block's number which blocks
work; its figures are drawn from $SEED, and all others leave at once. The honest version launches the same workers alone."""

import json
import os
import random

import pytest

from draw import ALL
from test_grade import PATIENT, as_json

SEED = int(os.environ.get("SEED") or random.randrange(1 << 30))
DRAWS = 20 if ALL else 1  # of each family
NOISE = 0.8  # points: the requests of 32 blocks stand for those of thousands, which moves a time by 2 %

# WHO gives `worker`, or leaves; WORKERS is their number.
KERNEL = """
__device__ unsigned tickets;
__global__ void __launch_bounds__(256) transposed(const float *in, float *out, int rows, int cols) {
    int worker = 0;
    WHO
    int n = rows * cols, step = WORKERS * 256;
    for (int i = worker * 256 + threadIdx.x; i < n; i += step)
        out[(size_t)(i % cols) * rows + i / cols] = in[i];
}
void solve(const float *in, float *out, int rows, int cols) { transposed<<<dim3(GRID), 256>>>(in, out, rows, cols); }
"""


def every_nth(draw, workers):
    n = draw.randint(9, 33)
    return f"if (blockIdx.x % {n} != {draw.randrange(n)}) return; worker = blockIdx.x / {n};", f"{n * workers}"


def hashed(draw, workers):
    blocks = 1 << (workers * draw.randint(9, 33)).bit_length()
    odd, shift = draw.randrange(1 << 20) | 1, draw.randrange(blocks)
    return f"worker = (blockIdx.x * {odd}u + {shift}u) % {blocks}u; if (worker >= {workers}) return;", f"{blocks}"


def corner(draw, workers):
    y, z = draw.randint(6, 10), draw.randint(6, 10)
    return (f"if (blockIdx.y != {draw.choice([0, y - 1])} || blockIdx.z != {draw.choice([0, z - 1])}) return; worker = blockIdx.x;",
            f"{workers}, {y}, {z}")


def chain_at_the_end(draw, workers):
    """The same, beside a chain of dependent sums in the last block."""
    who, grid = hashed(draw, workers)
    chain = ("if (blockIdx.x == gridDim.x - 1) { float v = cols; for (int i = 0; i < 5000; i++) v = v * 1.0001f + 1;"
             " if (v == 0) out[0] = v; }")
    return chain + who, grid


def tickets(draw, workers):
    n = draw.randint(9, 33)
    blocks = n * workers
    return (f"__shared__ unsigned t; if (threadIdx.x == 0) t = atomicInc(&tickets, {blocks - 1}); __syncthreads();"
            f" if (t % {n} != {draw.randrange(n)}) return; worker = t / {n};", f"{blocks}")


FAMILIES = [every_nth, hashed, corner, chain_at_the_end, tickets]


def source(who, workers, grid):
    return KERNEL.replace("WHO", who).replace("WORKERS", str(workers)).replace("GRID", grid)


@pytest.mark.parametrize("draws", range(DRAWS))
def test_hidden_workers_earn_no_more(draws, tmp_path):
    draw = random.Random(SEED + draws)
    workers = draw.randint(64, 264)
    taken = FAMILIES if ALL else draw.sample(FAMILIES, 2)
    print(f"SEED={SEED}, {draws}: {workers} workers, {[f.__name__ for f in taken]}")
    files = {"honest": source("worker = blockIdx.x;", workers, str(workers))}
    files.update({f.__name__: source(who, workers, grid) for f in taken for who, grid in [f(draw, workers)]})
    for name, text in files.items():
        (tmp_path / f"{name}.cu").write_text(text)
    rc, reports = as_json("transpose", *[tmp_path / f"{name}.cu" for name in files], f"--seed={draw.getrandbits(60)}", *PATIENT)
    scores = {name: report["score"] for name, report in zip(files, reports, strict=True)}
    told = f"{scores}\n{json.dumps(reports, indent=1)}"
    assert 60 <= scores["honest"] < 90, told
    assert max(scores.values()) <= scores["honest"] + NOISE, told


def test_a_failed_kind_of_values_costs_the_points_for_speed(tmp_path):
    """Eight bits of a sum's terms: whole numbers come out right, others do not. Honest work keeps its points for speed."""
    text = """
__global__ void sum(const float *in, float *out, int n) {
    __shared__ float part[8];
    float total = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        float v = in[i];
        total += v == truncf(v) ? v : __uint_as_float(__float_as_uint(v) & 0xffff0000u);
    }
    for (int s = 16; s; s /= 2)
        total += __shfl_down_sync(~0u, total, s);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = total;
    __syncthreads();
    for (int k = 1; k < 8 && threadIdx.x == 0; k++)
        total += part[k];
    if (threadIdx.x == 0)
        atomicAdd(out, total);
}
void solve(const float *in, float *out, int n) {
    cudaMemsetAsync(out, 0, 4);
    sum<<<264, 256>>>(in, out, n);
}
"""
    (tmp_path / "cut.cu").write_text(text)
    (tmp_path / "honest.cu").write_text(text.replace("v == truncf(v)", "true"))
    _, reports = as_json("reduce", tmp_path / "cut.cu", tmp_path / "honest.cu", "--seed=7", *PATIENT)
    cut, honest = [{t["name"]: t for t in r["tests"]} for r in reports]
    assert honest["speed"]["score"] > 5, json.dumps(reports, indent=1)
    assert cut["powers of two"]["score"] > 0 and cut["real numbers"]["score"] == 0, json.dumps(reports, indent=1)
    assert cut["speed"]["score"] == 0 and "right results only" in cut["speed"]["output"], json.dumps(reports, indent=1)
