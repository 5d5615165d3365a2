#!/usr/bin/env python3
"""softgpu's speed on one core: softgpu_bench.cu, built with nvcc and run against softgpu's libcudart.

CPU time of one launch, the median of up to 15, every result checked; beside it what a prototype of 3,600 lines took, the
floor to beat. Exit status 1 when a kernel misses it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import finish, line, options

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", HERE.parent.parent / "build"))


def nvcc():
    known = (os.environ.get("WARPBOOK_NVCC"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc",
             str(HERE.parent.parent / ".venv/cuda/bin/nvcc"))
    for path in known:
        if path and os.access(path, os.X_OK):
            return path
    sys.exit("no nvcc was found: make setup brings one")


def run():
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/bench"
        subprocess.run([nvcc(), "-std=c++17", "-arch=compute_90", "-cudart", "shared", "-o", program,
                        HERE / "softgpu_bench.cu"], check=True, timeout=300)
        environment = {**os.environ, "WARPBOOK_SOFTGPU_THREADS": "1",
                       "LD_LIBRARY_PATH": str(BUILD / "lib/warpbook/softgpu")}
        return subprocess.run([program], env=environment, capture_output=True, text=True, check=True,
                              timeout=300).stdout


def main():
    arguments = options(__doc__).parse_args()
    text = run()
    print(text, end="")
    rows = [{"kernel": name.strip(), "ms": float(ms), "prototype_ms": float(floor)}
            for name, ms, floor in re.findall(r"^(.+?) +([\d.]+) ms +prototype +([\d.]+)", text, re.M)]
    if len(rows) != 7:
        sys.exit(f"{len(rows)} rows in place of 7: a kernel gave a wrong result")
    finish(arguments.json, "softgpu on one core", rows,
           [line(f"softgpu, {r['kernel']}, ms", r["ms"], r["prototype_ms"]) for r in rows])


if __name__ == "__main__":
    main()
