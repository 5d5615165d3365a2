"""Blocks that wait for one another: the model's times beside those that GPUs took (tests/gpu/results/programs), of cases drawn anew."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import draw

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/gpu"))
import outside
import programs

WARPBOOK = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve() / "bin/warpbook"
# The model had all 81 kernels timed on an H200 and an H100 within 0.64 and 1.32, and 66 within 0.7 and 1.2.
LOW, HIGH = 0.5, 1.6


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made, wrong = programs.build(programs.SOURCES / "waiting.cu", tmp_path_factory.mktemp("waits"), "compute_90")
    assert not wrong, wrong
    return made


def timed(name):
    """The cases of waiting.cu that a GPU of the model's name timed, and an empty launch's seconds."""
    gpu = json.loads((ROOT / f"runtime/model/gpus/{name}.json").read_text())
    cases = [c for d in outside.newest(gpu["device_name"]) for c in d["cases"] if c["program"] == "waiting" and "seconds" in c]
    return cases, gpu["figures"]["launch_s"]["value"]


@pytest.mark.parametrize("gpu", ["h200", "h100"])
def test_waits_take_what_they_take(program, gpu):
    cases, launch_s = timed(gpu)
    assert len(cases) >= 27
    for case in draw.few(cases, 3):
        launches, wrong = outside.launches(WARPBOOK, gpu, program, case["case"], case["drawn"])
        assert not wrong, (case["case"], case["drawn"], wrong)
        seconds = sum(l["model"]["seconds"] - (launch_s - 1.5e-6) * (k > 0) for k, l in enumerate(launches))
        assert LOW < seconds / case["seconds"] < HIGH, (case, seconds)


def test_where_the_time_goes(tmp_path):
    """The line that waits is named, and what for."""
    case = {"blocks": random.randrange(200, 400), "rounds": 10}
    program = tmp_path / "waiting"
    subprocess.run([programs.nvcc(), "-std=c++17", "-arch=compute_90", "-cudart", "shared", "-lineinfo", "-o", program,
                    programs.SOURCES / "waiting.cu"], check=True)
    launches, wrong = outside.launches(WARPBOOK, "h200", program, "waiting.by_exchange", case)
    assert not wrong
    model = launches[0]["model"]
    assert model["bound"] == "other blocks" and model["sentence"].startswith("Blocks wait for one another")
    text = (programs.SOURCES / "waiting.cu").read_text().splitlines()
    first = model["lines"][0]
    assert "atomicExch(lock, 1)" in text[first["line"] - 1] and first["waits_for"] == "another block", model["lines"][:3]
