#!/usr/bin/env python3
"""Measures one operation, one byte and one launch on this machine's GPU: builds and runs micro.cu, writes OUT/micro.json.

    tests/gpu/micro.py OUT [--only spread|accesses]

Needs nvcc, a C++ compiler and python3 alone. Clocks are of one warp's dependent chain, rates of all multiprocessors.
"""
import argparse
import datetime
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import bench
import clocks
import programs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--arch", default="native")
    parser.add_argument("--only", choices=("spread", "accesses"), help="how far lines are; atomic operations in place of loads and stores")
    options = parser.parse_args()
    gpu = clocks.Gpu()
    with tempfile.TemporaryDirectory() as folder, clocks.Watch(gpu) as watch:
        program = Path(folder) / "micro"
        subprocess.run([programs.nvcc(), "-std=c++17", f"-arch={options.arch}", "-Xcompiler", "-O2", "-cudart", "shared", "-o", program,
                        Path(__file__).with_suffix(".cu")], check=True)
        rows, died = programs.run(program, *([options.only] if options.only else []))
    errors = [row["error"] for row in rows if "error" in row] + ([died] if died else [])
    for row in rows:
        print("{what}: {value} {unit}".format(**row) if "what" in row else row)
    today = datetime.datetime.now(datetime.timezone.utc)
    results = {"date": f"{today:%Y-%m-%d}", "device": programs.gpu_name(), "driver": gpu.driver(), "cuda": bench.cuda_version(),
               "clocks": watch.summary(), "errors": errors, "figures": rows}
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "micro.json").write_text(bench.written(results))
    print(f"{len(rows)} figures, {len(errors)} errors", *errors, sep="\n  ")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
