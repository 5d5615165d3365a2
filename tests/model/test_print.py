"""Kernels that print: the model's times beside those that an H100 took (tests/gpu/print.cu, results/micro), and where they go."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import draw

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/gpu"))
import programs

WARPBOOK = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve() / "bin/warpbook"
KEPT = json.loads(max((ROOT / "tests/gpu/results/micro").glob("NVIDIA-H100*_print.json")).read_text())
FIGURES = json.loads((ROOT / "runtime/model/gpus/h100.json").read_text())["figures"]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made, wrong = programs.build(ROOT / "tests/gpu/print.cu", tmp_path_factory.mktemp("print"), "compute_90")
    assert not wrong, wrong
    return made


def modelled(*command, gpu="h100"):
    done = subprocess.run([WARPBOOK, "exec", "--json", "--model", gpu, "--", *command], capture_output=True, text=True, timeout=300)
    return [launch["model"] for launch in json.loads(done.stdout)["launches"]]


@pytest.mark.parametrize("which", ["chosen", "drawn"])
def test_printing_takes_what_it_takes(program, which):
    cases = [c for c in KEPT[which] if c["blocks"] * c["threads"] * c["lines"] * c["lanes"] <= 32 * 2**17]
    for case in draw.few(cases, 5):
        shape = [str(case[key]) for key in ("numbers", "blocks", "threads", "lanes", "lines")]
        model, = modelled(program, "--once", *shape)
        # beside a launch that nothing else hides, as the H100's was measured
        seconds = model["seconds"] - FIGURES["launch_s"]["value"] + case["silent_us"] * 1e-6
        assert 0.55 < seconds / (case["us"] * 1e-6) < 1.6, (case, model["seconds"])
        assert model["bound"] == "printf" and "printf()" in model["sentence"], model


SOURCE = """
#include <cstdio>
__global__ void scale(float *x, int n, int who) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
    if (i == who)
        printf("here is %d\\n", i); // the line
}
int main(int argc, char **argv) {
    float *x;
    int n = 1 << 18;
    cudaMalloc(&x, n * sizeof *x), cudaMemset(x, 0, n * sizeof *x);
    for (int who : {0, n / 2 + 77, n - 1, -1})
        scale<<<n / 256, 256>>>(x, n, who);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def test_one_thread_that_prints_is_one(tmp_path):
    """... wherever its block lies, and though others stand for blocks that were not looked at; its line has the time."""
    source = tmp_path / "scale.cu"
    source.write_text(SOURCE)
    made = tmp_path / "scale"
    subprocess.run([programs.nvcc(), "-arch=compute_90", "-cudart", "shared", "-lineinfo", "-o", made, source], check=True)
    first, middle, last, silent = modelled(made)
    for model in first, middle, last:
        assert 23e-6 < model["seconds"] < 30e-6 and model["bound"] == "printf", model
    assert silent["seconds"] < 8e-6 and silent["limits"]["printf"] == 0, silent
    line = 1 + next(k for k, text in enumerate(SOURCE.splitlines()) if "the line" in text)
    for model in first, last:  # the middle's block may be none of those that were looked at
        assert model["lines"][0]["line"] == line and model["lines"][0]["limits"]["printf"] > 0.5, model["lines"][:2]
