"""Counts copies and fills, and compares their modelled times with those of GPUs (tests/gpu/micro.cu)."""

import json
import random
import subprocess

import pytest

import draw
from test_model import LIMIT_S, NVCC, ROOT, WARPBOOK

MICRO = {"h200": "NVIDIA-H200_2026-11-23", "h100": "NVIDIA-H100-80GB-HBM3_2026-11-23"}
SIZES = [4096 * 4 ** i for i in range(8)]


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    out = tmp_path_factory.mktemp("copies") / "copies"
    subprocess.run([NVCC, "-cudart", "shared", "-o", out, ROOT / "tests/model/copies.cu"], check=True, timeout=LIMIT_S)
    return out


def run(copies, *words, flags=()):
    return subprocess.run([WARPBOOK, "exec", *flags, "--", copies, *map(str, words)], capture_output=True, text=True, check=True, timeout=LIMIT_S)


def moved(copies, *words, flags=("--device", "soft")):
    """{(way, pinned): the report's row}"""
    report = json.loads(run(copies, *words, flags=("--json", *flags)).stdout)
    return {(row["way"], row.get("pinned")): row for row in report["moved"]}


def test_each_way_is_counted(copies):
    bytes_, times = random.randrange(1, 100000), random.randrange(1, 5)
    rows = moved(copies, bytes_, times)
    assert set(rows) == {("to the device", False), ("to the device", True), ("to the host", False), ("to the host", True),
                         ("on the device", None), ("fill", None)}
    assert all(row["times"] == times and row["bytes"] == times * bytes_ and "model" not in row for row in rows.values())


@pytest.mark.parametrize("gpu", MICRO)
def test_a_gpus_times_are_near(copies, gpu):
    figures = json.loads((ROOT / f"tests/gpu/results/micro/{MICRO[gpu]}.json").read_text())["figures"]
    measured = {figure["what"]: figure["value"] for figure in figures}
    for size in draw.few(SIZES, 2):
        rows = moved(copies, size, 1, flags=("--model", gpu))
        for way, words in ("to the device", "host to device"), ("to the host", "device to host"):
            for pinned in False, True:
                model = rows[way, pinned]["model"]
                took = measured[f"{words}, {'pinned' if pinned else 'pageable'}, {size} bytes"]
                assert model["low"] / 1.2 <= took <= model["high"] * 1.2, (size, way, pinned, took, model)
                assert model["low"] <= model["seconds"] <= model["high"]


def test_ordinary_memory_is_told_what_pinned_would_take(copies):
    told = run(copies, 1 << 24, 1, flags=("--model", "h200")).stderr
    assert "to the device, from ordinary memory" in told and "fills (cudaMemset)" in told
    assert "with pinned memory (cudaMallocHost) they would take" in told
    assert "copies" not in run(copies, 1 << 10, 1, flags=("--device", "soft")).stderr
