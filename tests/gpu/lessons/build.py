#!/usr/bin/env python3
"""The kernels of notebooks 10 to 12 as they stand there, with the programs of this folder that time them: build.py FOLDER [ARCH]

FOLDER gets a program a notebook, for ARCH (sm_90). Each checks every element before it times; timed.cuh says how. What a GPU took is
in tests/notebooks/measured.json, which tests hold the notebooks' words to."""

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNEL = re.compile(r"^(?:__constant__ .*?;|struct .*?;|(?:template <.*?> )?(?:__global__|static|__device__) .*?^})$", re.M | re.S)


def kernels(notebook):
    """Returns what the notebook's cells define on the device, without exercises, and the solution folded into its text."""
    for cell in json.loads(notebook.read_text())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and not text.startswith("%"):
            yield from KERNEL.findall(text)
        if cell["cell_type"] == "markdown":
            yield from re.findall(r"<details>.*?```cuda\n(.*?)```", text, re.S)


def main():
    out, arch = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "sm_90"
    out.mkdir(parents=True, exist_ok=True)
    for program in sorted(HERE.glob("*.cu")):
        notebook = HERE.parents[2] / "notebooks" / f"{program.stem}.ipynb"
        (out / f"{program.stem}.cuh").write_text("\n".join(kernels(notebook)))
        command = ["nvcc", "-O3", "-std=c++17", f"-arch={arch}", "-I", out, "-I", HERE, "-o", out / program.stem, program]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
