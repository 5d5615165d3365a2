"""Random shapes on softgpu (sweep.py; the GPU's tests draw two hundred). SWEEP_SEED=7 draws others."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

import draw

SWEEP = Path(__file__).parent / "sweep.py"
SEED = os.environ.get("SWEEP_SEED", "20261")
GEMM_SHAPES = 12 if draw.ALL else 2  # 39 kernels and types, 1.7 s of CPU each


@pytest.mark.parametrize("lab,shapes,work", [
    ("coalescing", 16, 2500), ("transpose", 16, 2500), ("reduce", 16, 2500), ("gemm", GEMM_SHAPES, 1200),
    ("scan", 8, 2500), ("histogram", 8, 2500), ("softmax", 8, 2500)])
def test_random_shapes(lab, shapes, work):
    command = [sys.executable, SWEEP, "--only", lab, "--shapes", str(shapes), "--work", str(work), "--seed", SEED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert done.stdout.startswith(f"seed {SEED}") and " 0 problems" in done.stdout
