"""Random programs, computed by host and device, compared bit for bit: see differential.py.

WARPBOOK_SEEDS=FROM:TO tries others."""
import os
import random
import shutil
import subprocess

import pytest

import differential
import draw
from test_cases import BUILD, HERE, NVCC, SOFTGPU

# A plain run takes two that were seen to pass, for what fails here may be nvcc's fault (below); ALL=1 twenty that nobody saw.
FIRST, LAST = (int(n) for n in os.environ.get("WARPBOOK_SEEDS", "1:100000" if draw.ALL else "60:80").split(":"))
SEEDS = range(FIRST, LAST + 1) if "WARPBOOK_SEEDS" in os.environ else random.sample(range(FIRST, LAST + 1), 20 if draw.ALL else 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_differential(seed, tmp_path):
    source = tmp_path / "program.cu"
    source.write_text(differential.Generator(seed).program())
    arch = ["75", "90", "100"][seed % 3]
    done = subprocess.run([NVCC, "-w", "-cudart", "shared", "-gencode", f"arch=compute_{arch},code=compute_{arch}",
                           "-fmad=false", "-Xcompiler", "-ffp-contract=off", "-I", str(HERE), "-o",
                           str(tmp_path / "program"), str(source)], capture_output=True, text=True, timeout=600)
    if done.returncode > 128:  # seed 93, CUDA 13.0: SIGFPE, though nothing in the program is undefined
        pytest.skip(f"nvcc itself ends by signal {done.returncode - 128} at seed {seed}")
    assert done.returncode == 0, done.stderr
    done = subprocess.run([str(tmp_path / "program")], capture_output=True, text=True, timeout=600,
                          env=dict(os.environ, LD_LIBRARY_PATH=str(SOFTGPU)))
    wrong = [line for line in done.stdout.splitlines() if not line.endswith(" ok")]
    if wrong or done.returncode != 0:
        kept = BUILD / f"tests/softgpu/differential-{seed}.cu"
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, kept)
        pytest.fail("\n".join([f"seed {seed}, kept as {kept}", *wrong, done.stderr]))
    assert len(done.stdout.splitlines()) == differential.EXPRESSIONS + differential.PROGRAMS + differential.LOOKUPS
