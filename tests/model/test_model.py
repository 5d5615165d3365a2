"""Modelled times of launches: `warpbook exec --model`. Sizes are drawn anew at each run."""

import json
import math
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
WARPBOOK = BUILD / "bin" / "warpbook"
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
H200_FILE = ROOT / "runtime/model/gpus/h200.json"
H200 = {key: figure["value"] for key, figure in json.loads(H200_FILE.read_text())["figures"].items()}
LIMIT_S = 600


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "programs"
    subprocess.run([NVCC, "-arch=compute_75", "-cudart", "shared", "-o", out, ROOT / "tests/model/programs.cu"],
                   check=True, timeout=LIMIT_S)
    return out


def execute(*words, env=None):
    return subprocess.run([WARPBOOK, "exec", *map(str, words)], env={**os.environ, **(env or {})}, timeout=LIMIT_S,
                          capture_output=True, text=True)


def launch(program, *words, gpu="h200", flags=()):
    """The program's one launch, as the report has it."""
    done = execute("--json", "--model", gpu, *flags, "--", program, *words)
    assert done.returncode == 0, done.stderr
    [found] = json.loads(done.stdout)["launches"]
    return found


def model(program, *words, gpu="h200"):
    return launch(program, *words, gpu=gpu)["model"]


def test_a_copy_takes_what_its_bytes_take(program):
    blocks = random.randrange(60000, 90000)  # 123 to 184 MB, more than L2 keeps
    m = model(program, "copy", blocks, 256, 0)
    bytes_s = H200["dram_bytes_per_s"] * H200["dram_copy_share"]
    least = 2 * blocks * 256 * 4 / bytes_s
    assert m["gpu"] == "h200" and m["title"] == "NVIDIA H200" and m["measured"] is True
    assert m["bound"] in ("memory", "latency") and m["registers_by"] == "ptxas"
    assert 0.7 * least < m["seconds"] < 2 * least
    assert m["low"] < m["seconds"] < m["high"]
    assert m["limits"][m["bound"]] == max(m["limits"].values())


def test_a_graphs_launches_are_launches_that_cost_less(program):
    words = (random.randrange(900, 9000), 256)
    alone = launch(program, "copy", *words, 0, flags=["--counters"])
    done = execute("--json", "--model", "h200", "--counters", "--", program, "graph", *words, 3)
    first, *others = json.loads(done.stdout)["launches"]
    assert len(others) == 2 and first["counters"] == alone["counters"] == others[1]["counters"]
    assert first["model"]["limits"]["launch"] == H200["launch_s"] == alone["model"]["limits"]["launch"]
    assert first["model"]["seconds"] == pytest.approx(alone["model"]["seconds"])
    for other in others:
        less = first["model"]["limits"]["launch"] - other["model"]["limits"]["launch"]
        assert 1e-6 < less < H200["launch_s"]
        assert other["model"]["seconds"] == pytest.approx(first["model"]["seconds"] - less)


def test_what_a_time_follows_from_is_kept(program, tmp_path):
    kept = tmp_path / "traits"
    done = execute("--json", "--model", "h200", "--", program, "copy", random.randrange(900, 90000), 256, 0,
                   env={"WARPBOOK_SOFTGPU_TRAITS": str(kept)})
    [found] = json.loads(done.stdout)["launches"]
    seconds = found["model"]["seconds"]
    assert float(kept.read_text().split()[0]) == pytest.approx(seconds)

    def told(constants):
        out = subprocess.run([BUILD / "tests/model/model_fit", H200_FILE, kept], input=" ".join(map(str, constants)), text=True,
                             capture_output=True, check=True, timeout=LIMIT_S).stdout
        return [list(map(float, line.split())) for line in out.splitlines()]

    [stands] = told([])
    assert stands[-1] == H200["launch_s"]
    assert told(stands)[1] == pytest.approx([seconds])
    longer = [*stands[:-1], 2 * stands[-1]]
    assert told(longer)[1] == pytest.approx([seconds + H200["launch_s"]])
    rougher = [1, *stands[1:]]  # limits put together by their sum
    assert told(rougher)[1][0] > 1.01 * seconds


def test_scattered_accesses_cost_sectors(program):
    blocks = random.randrange(9000, 12000)
    step = random.choice([s for s in range(81, 1000, 2) if math.gcd(s, blocks) == 1])  # so that each element is read
    near, far = (model(program, "scattered", blocks, 256, n) for n in (1, step))
    # All of it fits in L2, so memory has no more to do.
    assert far["limits"]["memory"] == pytest.approx(near["limits"]["memory"], rel=0.1)
    assert far["limits"]["L2"] > 3 * near["limits"]["L2"]
    assert far["seconds"] > 1.5 * near["seconds"]


def test_a_chain_of_loads_waits_for_each(program):
    n = random.randrange(20000, 40000)
    m = model(program, "chase", 1, 1, n)
    assert m["bound"] == "latency"
    clocks = (m["seconds"] - H200["launch_s"]) * H200["clock_hz"] / n
    assert H200["l1_clocks"] <= clocks < 1.5 * H200["l1_clocks"]  # always the same word


def test_atomics_at_one_address_queue(program):
    blocks, n = random.randrange(300, 500), random.randrange(8, 16)
    m = model(program, "queue", blocks, 256, n)
    assert m["bound"] == "atomics"
    # Integers at an address that is the same for a warp by construction are summed up before.
    assert m["limits"]["atomics"] == pytest.approx(blocks * 8 * n * H200["atomic_int_queue_s"], rel=0.01)
    m = model(program, "queue_of_floats", blocks, 256, n)
    assert m["bound"] == "atomics"
    assert m["seconds"] == pytest.approx(blocks * 256 * n * H200["atomic_queue_s"], rel=0.1)


def test_blocks_start_one_after_another(program):
    blocks = random.randrange(500_000, 900_000)
    m = model(program, "copy", blocks, 32, 0)
    assert m["limits"]["latency"] == pytest.approx(blocks * H200["block_start_s"], rel=0.01)


def test_products_take_what_the_pipes_take(program):
    n = random.randrange(60, 100)
    m = model(program, "multiply", 132 * 8, 256, n)
    least = 132 * 8 * 256 * 64 * n / (132 * H200["fp32_lanes"] * H200["clock_hz"])
    assert m["bound"] == "issue" and least < m["limits"]["issue"] < 1.3 * least


def test_bank_conflicts_take_passes(program):
    by_step = {step: model(program, "conflicts", 132 * 16, 128, step) for step in (1, 2, 8, 32)}
    once = by_step[1]["limits"]["L1 and shared memory"]
    for step, m in by_step.items():
        assert m["limits"]["L1 and shared memory"] == pytest.approx(step * once, rel=0.1)
    assert by_step[32]["bound"] == "L1 and shared memory" and by_step[32]["seconds"] > 2 * by_step[1]["seconds"]


def test_the_same_each_time_and_nothing_counted_otherwise(program):
    words = ("scattered", random.randrange(200, 400), 192, 2 * random.randrange(1, 99) + 1)
    once, again = (launch(program, *words, flags=["--counters"]) for _ in range(2))
    assert once["model"]["seconds"] == pytest.approx(again["model"]["seconds"], rel=0.02)
    plain = execute("--json", "--counters", "--", program, *words)
    assert json.loads(plain.stdout)["launches"][0]["counters"] == once["counters"]


def test_other_gpus(program):
    words = ("copy", random.randrange(20000, 30000), 256, 0)
    seconds = {gpu: model(program, *words, gpu=gpu)["seconds"] for gpu in ("h200", "h100", "a100", "t4")}
    assert seconds["h200"] < seconds["h100"] * 1.02 < seconds["a100"] * 1.1 < seconds["t4"]
    assert seconds["t4"] > 5 * seconds["h200"]
    assert model(program, *words, gpu="t4")["measured"] is False
    described = execute("--model", "T4", "--", program, "device", 1, 1, 0)
    assert "T4" in described.stdout and "40 multiprocessors, 75" in described.stdout


def test_a_file_of_ones_own(program, tmp_path):
    mine = json.loads(H200_FILE.read_text())
    mine.update(name="half", title="half an H200")
    for key in ("dram_bytes_per_s", "memory_clock_hz"):
        mine["figures"][key]["value"] /= 2
    path = tmp_path / "half.json"
    path.write_text(json.dumps(mine))
    words = ("copy", 40000, 256, 0)
    whole, half = model(program, *words), model(program, *words, gpu=path)
    assert half["limits"]["memory"] == pytest.approx(2 * whole["limits"]["memory"], rel=0.02)
    del mine["figures"]["l2_bytes"]
    path.write_text(json.dumps(mine))
    done = execute("--model", path, "--", program, *words)
    assert done.returncode == 3 and "l2_bytes" in done.stderr and "half.json" in done.stderr


def test_what_is_refused(program):
    done = execute("--model", "h20", "--", program, "copy", 1, 32, 0)
    assert done.returncode == 3 and "did you mean h200?" in done.stderr
    done = execute("--model", "h200", "--device", "gpu", "--", program, "copy", 1, 32, 0)
    assert done.returncode == 2 and "leave --device gpu out" in done.stderr
    done = execute("--model", "t4", "--", program, "much_shared", 1, 64, 100000)  # a T4 has 64 KB a block
    assert done.returncode == 1 and "100000 bytes" in done.stderr + done.stdout
    assert execute("--model", "h200", "--", program, "much_shared", 1, 64, 100000).returncode == 0
    waits = model(program, "flag", 70000, 32, 0)
    assert "seconds" not in waits and "are more than the model follows, 65,536" in waits["why"]


def test_sizes_of_a_gpus_kind_in_seconds(program):
    """Some blocks tell of all: the same time as when all of them run, which they do in `run`."""
    words = ("copy", random.randrange(20000, 60000), 256, 0)
    whole, part = model(program, *words), launch(program, *words, flags=["--sample"])["model"]
    assert "ran" not in whole and 5 <= part["ran"] < 600
    assert part["seconds"] == pytest.approx(whole["seconds"], rel=0.02) and part["bound"] == whole["bound"]
    done = subprocess.run([WARPBOOK, "predict", "--", program, "copy", "100000", "1024", "0"], capture_output=True,
                          text=True, timeout=LIMIT_S)
    assert done.returncode == 0 and "As modelled for an NVIDIA H200" in done.stderr
    assert "of 100,000 blocks were simulated and scaled up" in done.stderr
    words = ("scattered", random.randrange(300, 600), 256, 77)  # its places follow from no plain step
    assert "ran" not in launch(program, *words, flags=["--sample"])["model"]
    done = execute("--sample", "--", program, "copy", 1, 32, 0)
    assert done.returncode == 2 and "--sample goes with --model" in done.stderr
    done = execute("--sample", "--model", "h200", "--counters", "--", program, "copy", 1, 32, 0)
    assert done.returncode == 2 and "every block" in done.stderr


def test_in_words(program):
    done = execute("--model", "a100", "--", program, "multiply", 500, 128, 100)
    assert "As modelled for an NVIDIA A100" in done.stderr and "not measured by us" in done.stderr
    assert "multiply" in done.stderr and "fewer instructions" in done.stderr
    done = execute("--model", "h200", "--", program, "flag", 70000, 32, 0)
    assert "No time for flag: its blocks wait for one another, and are more than" in done.stderr
    done = execute("--model", "h200", "--", program, "flag", 2, 32, 0)
    assert "As modelled for an NVIDIA H200" in done.stderr and "No time" not in done.stderr


def test_a_source_is_compiled_for_that_gpu(tmp_path):
    source = tmp_path / "which.cu"
    source.write_text("""#include <cstdio>
__global__ void which(int *out) {
#ifdef __CUDA_ARCH__
    *out = __CUDA_ARCH__;
#endif
}
int main() {
    int *out;
    cudaMallocManaged(&out, sizeof *out);
    which<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("%d\\n", *out);
}
""")
    done = subprocess.run([WARPBOOK, "run", "--device", "t4", source], capture_output=True, text=True, timeout=LIMIT_S)
    assert done.stdout == "750\n" and "As modelled for an NVIDIA T4" in done.stderr
    assert "?" not in done.stderr  # registers are ptxas' own
    done = subprocess.run([WARPBOOK, "run", "--device", "t5", source], capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 2 and "did you mean t4?" in done.stderr
