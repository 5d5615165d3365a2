"""Which code nvcc makes of the kernel set. A body that exists for 90a alone is empty in code made from compute_90, and the
launcher would take that code for 90a's: the product would be left out without an error."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOPPER = "__CUDA_ARCH_FEAT_SM90_ALL"
SOURCES = sorted((ROOT / "kernels" / "tensor").glob("*.cu")) + sorted((ROOT / "kernels" / "gemm").glob("*.cu"))


def options(source, *archs):
    run = subprocess.run(["sh", "kernels/gencode.sh", "g++", str(source.relative_to(ROOT)), "80", *archs], cwd=ROOT,
                         capture_output=True, text=True, check=True)
    return run.stdout.split()


def text_with_headers(source):
    listed = subprocess.run(["g++", "-MM", "-MG", "-x", "c++", "-I.", "-Ikernels", str(source.relative_to(ROOT))], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split()
    return "".join((ROOT / name).read_text() for name in listed if name.startswith("kernels/"))


@pytest.mark.parametrize("archs", [[], ["90a", "100", "120"]], ids=["ptx", "all"])
def test_code_for_90a_alone_is_made_from_nothing_else(archs):
    found = [s for s in SOURCES if HOPPER in text_with_headers(s)]
    assert len(found) > 5
    for source in found:
        made = [option for option in options(source, *archs) if option.startswith("arch=")]
        wrong = [option for option in made if option.split(",")[0] not in ("arch=compute_80", "arch=compute_90a")]
        assert not wrong, f"{source.name}: {wrong}"
