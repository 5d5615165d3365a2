"""Blocks that hide from the model's sample earn no more than the same work in the open. A family chooses by the block's number which blocks
work; its figures are drawn from $SEED, and all others leave at once. The honest version launches the same workers alone."""

import json
import os
import random

import pytest

from draw import ALL
from test_grade import PATIENT, as_json

SEED = int(os.environ.get("SEED") or random.randrange(1 << 30))
DRAWS = 20 if ALL else 1  # each of a lab and a number of workers
# Points: the requests of 32 blocks stand for those of thousands, which moves a time by 2 %. In coalescing one worker in twenty sums columns
# too. Those blocks take longest, and a sample has few of them: 12 %.
NOISE = {"coalescing": 2}

# WHO gives `worker`, or leaves; WORKERS is their number. A chain writes SIZE where it ends, to FIRST.
HEAD = "__device__ unsigned tickets;"
LABS = {
    "transpose": """
__global__ void __launch_bounds__(256) transposed(const float *in, float *out, int rows, int cols) {
    int worker = 0;
    WHO
    int n = rows * cols, step = WORKERS * 256;
    for (int i = worker * 256 + threadIdx.x; i < n; i += step)
        out[(size_t)(i % cols) * rows + i / cols] = in[i];
}
void solve(const float *in, float *out, int rows, int cols) { transposed<<<dim3(GRID), 256>>>(in, out, rows, cols); }
""",
    "reduce": """
__global__ void __launch_bounds__(256) sum(const float *in, float *out, int n) {
    int worker = 0;
    WHO
    __shared__ float part[8];
    float total = 0;
    for (int i = worker * 256 + threadIdx.x; i < n; i += WORKERS * 256)
        total += in[i];
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
    sum<<<dim3(GRID), 256>>>(in, out, n);
}
""",
    "gemm": """
__global__ void __launch_bounds__(256) product(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    int worker = 0;
    WHO
    for (int i = worker * 256 + threadIdx.x; i < m * n; i += WORKERS * 256) {
        float sum = 0;
        for (int j = 0; j < k; j++)
            sum += a[i / n * k + j] * b[j * n + i % n];
        c[i] = beta ? alpha * sum + beta * c[i] : alpha * sum;
    }
}
void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    product<<<dim3(GRID), 256>>>(m, n, k, alpha, a, b, beta, c);
}
""",
    "coalescing": """
__global__ void __launch_bounds__(256) sums(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    int worker = 0;
    WHO
    for (int i = worker * 8 + threadIdx.x / 32; i < rows; i += WORKERS * 8) {
        float sum = 0;
        for (int j = threadIdx.x % 32; j < cols; j += 32)
            sum += m[(size_t)i * cols + j];
        for (int s = 16; s; s /= 2)
            sum += __shfl_down_sync(~0u, sum, s);
        if (threadIdx.x % 32 == 0)
            row_sums[i] = sum;
    }
    for (int j = worker * 256 + threadIdx.x; j < cols; j += WORKERS * 256) {
        float sum = 0;
        for (int i = 0; i < rows; i++)
            sum += m[(size_t)i * cols + j];
        col_sums[j] = sum;
    }
}
void solve(const float *m, float *row_sums, float *col_sums, int rows, int cols) { sums<<<dim3(GRID), 256>>>(m, row_sums, col_sums, rows, cols); }
""",
}


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
    chain = ("if (blockIdx.x == gridDim.x - 1) { float v = SIZE; for (int i = 0; i < 5000; i++) v = v * 1.0001f + 1;"
             " if (v == 0) FIRST = v; }")
    return chain + who, grid


def tickets(draw, workers):
    n = draw.randint(9, 33)
    blocks = n * workers
    return (f"__shared__ unsigned t; if (threadIdx.x == 0) t = atomicInc(&tickets, {blocks - 1}); __syncthreads();"
            f" if (t % {n} != {draw.randrange(n)}) return; worker = t / {n};", f"{blocks}")


def clocked(draw, workers):
    """Tickets for those that come in one of so many slices of time; the workers are the first to get one."""
    n, slice_bits = draw.randint(9, 33), draw.randint(5, 10)
    blocks = n * workers
    return (f"__shared__ unsigned t; if (threadIdx.x == 0) t = (clock64() >> {slice_bits}) % {n} == {draw.randrange(n)} || blockIdx.x >="
            f" {blocks - workers} ? atomicInc(&tickets, {blocks}) : {blocks}; __syncthreads(); if (t >= {workers}) return; worker = t;",
            f"{blocks}")


FAMILIES = [every_nth, hashed, corner, chain_at_the_end, tickets, clocked]


def source(lab, who, workers, grid):
    names = {"transpose": ("cols", "out[0]"), "reduce": ("n", "out[0]"), "gemm": ("n", "c[0]"), "coalescing": ("cols", "row_sums[0]")}
    size, first = names[lab]
    text = HEAD + LABS[lab].replace("WHO", who).replace("WORKERS", str(workers)).replace("GRID", grid)
    return text.replace("SIZE", size).replace("FIRST", first)


@pytest.mark.parametrize("draws", range(DRAWS))
def test_hidden_workers_earn_no_more(draws, tmp_path):
    draw = random.Random(SEED + draws)
    lab = draw.choice(sorted(LABS))
    workers = draw.randint(64, 264)
    taken = FAMILIES if ALL else draw.sample(FAMILIES, 2)
    print(f"SEED={SEED}, {draws}: {lab}, {workers} workers, {[f.__name__ for f in taken]}")
    files = {"honest": source(lab, "worker = blockIdx.x;", workers, str(workers))}
    files.update({f.__name__: source(lab, who, workers, grid) for f in taken for who, grid in [f(draw, workers)]})
    for name, text in files.items():
        (tmp_path / f"{name}.cu").write_text(text)
    rc, reports = as_json(lab, *[tmp_path / f"{name}.cu" for name in files], f"--seed={draw.getrandbits(60)}", *PATIENT)
    scores = {name: report["score"] for name, report in zip(files, reports, strict=True)}
    told = f"{scores}\n{json.dumps(reports, indent=1)}"
    assert scores["honest"] >= 60, told
    assert max(scores.values()) <= scores["honest"] + NOISE.get(lab, 0.8), told


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
