"""Programs that took no part in fitting the model give the right results on softgpu, and each launch a time or the reason that there is
none. Which programs and with what parameters is drawn anew at each run; tests/gpu/model.py compares all of them with a GPU's times."""

import os
import random
import sys
from pathlib import Path

import pytest

import draw

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/gpu"))
import outside
import programs

WARPBOOK = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve() / "bin/warpbook"
DEAR = {"tensor.products"}  # half a minute of CPU: ALL=1, and tests/gpu/model.py
NAMES = sorted(s.stem for s in programs.SOURCES.glob("*.cu"))


def build(name, folder):
    program, wrong = programs.build(programs.SOURCES / f"{name}.cu", folder, "compute_90")
    assert not wrong, wrong
    return program


@pytest.mark.parametrize("name", draw.few(NAMES, 2))
def test_a_case_is_right_and_gets_a_time_or_a_reason(name, tmp_path):
    seed = random.randrange(10**6)
    program = build(name, tmp_path)
    cases = os.popen(f"{program} --list").read().split()
    assert cases and all(case.split(".")[0] for case in cases)
    cheap = [case for case in cases if draw.ALL or case not in DEAR] or cases
    for case in draw.few(cheap, 2):
        launches, wrong = outside.launches(WARPBOOK, "h200", program, case, seed=seed)
        assert not wrong, f"{case} of seed {seed}: {wrong}"
        assert launches, f"{case} of seed {seed}"
        for launch in launches:
            model = launch["model"]
            assert model.get("why") or 1e-6 < model["low"] <= model["seconds"] <= model["high"] < 1, (case, seed, model)


def test_a_result_that_is_wrong_is_told(tmp_path):
    source = tmp_path / "wrong.cu"
    text = (programs.SOURCES / "layout.cu").read_text()
    source.write_text(text.replace("in[i].y * 2", "in[i].y + 2").replace('"timed.h"', f'"{programs.SOURCES}/timed.h"'))
    program, wrong = programs.build(source, tmp_path, "compute_90")
    assert not wrong, wrong
    launches, wrong = outside.launches(WARPBOOK, "h200", program, "layout.field_of_four", drawn={"n": 4321})
    assert launches[0]["grid"][0] == -(-4321 // 128)  # what is drawn can be said outright
    assert "and must be" in wrong
