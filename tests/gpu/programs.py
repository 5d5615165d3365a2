#!/usr/bin/env python3
"""Times the programs of tests/model/programs on this machine's GPU. They took no part in fitting the model.

    tests/gpu/programs.py OUT [--seed N] [--runs N] [--only WORD]

Builds them with nvcc for this GPU (Warpbook's own build isn't needed), runs each case with a cold L2 as `warpbook compare` does, and
writes OUT/programs.json: the GPU, its clocks meanwhile, the seed that the cases' parameters were drawn from, and the times, or what was
wrong. Keep it as tests/gpu/results/programs/GPU_DATE.json; `make bench-model ONLY=programs` then draws the same cases from the same
seed. Exit status 1: a case was wrong.
"""
import argparse
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import bench
import clocks

SOURCES = Path(__file__).resolve().parents[1] / "model/programs"
LIMIT_S = 600


def nvcc():
    return os.environ.get("NVCC") or bench.shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def build(source, folder, arch):
    """The program of one source in a folder, and what nvcc said where it failed."""
    out = Path(folder) / source.stem
    done = subprocess.run([nvcc(), "-std=c++17", f"-arch={arch}", "-Xcompiler", "-O2", "-cudart", "shared", "-o", out, source],
                          capture_output=True, text=True)
    return (out, None) if done.returncode == 0 else (out, f"{source.name}: {(done.stderr or done.stdout)[-600:]}")


def build_all(folder, arch, only="", jobs=os.cpu_count()):
    """The programs that built, and what went wrong with the others."""
    sources = sorted((s for s in SOURCES.glob("*.cu") if only in s.stem or s.stem in only), key=lambda s: -s.stat().st_size)
    with ThreadPoolExecutor(jobs) as pool:
        made = list(pool.map(lambda s: build(s, folder, arch), sources))
    return sorted(p for p, wrong in made if not wrong), [wrong for _, wrong in made if wrong]


def run(program, *words):
    """The lines of a program's run as documents, and what it died of. An error that a case found stays in its line."""
    try:
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired as stuck:
        return lines((stuck.stdout or b"").decode()), f"{program.name}: not done after {LIMIT_S} s"
    rows = lines(done.stdout)
    died = done.returncode and not any("error" in row for row in rows)
    return rows, f"{program.name}: exit status {done.returncode}: {done.stderr[-300:]}" if died else None


def lines(text):
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


def gpu_name():
    said = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    return said.stdout.splitlines()[0].strip() if said.returncode == 0 else "no GPU"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--only", default="")
    parser.add_argument("--arch", default="native")
    options = parser.parse_args()
    gpu, rows, today = clocks.Gpu(), [], datetime.datetime.now(datetime.timezone.utc)
    with tempfile.TemporaryDirectory() as folder:
        made, errors = build_all(folder, options.arch, options.only)
        before = clocks.named(gpu.read())
        with clocks.Watch(gpu) as watch:
            for program in made:
                found, died = run(program, "--seed", options.seed, "--runs", options.runs)
                errors += [died] if died else []
                rows += [{"program": program.name, **row} for row in found]
                for row in found:
                    if "seconds" in row:
                        print(f"{row['case']:32} {1e6 * row['seconds']:10.2f} us  {1e6 * row['q1']:10.2f} to {1e6 * row['q3']:.2f}", flush=True)
    errors += [f"{row.get('case', row['program'])}: {row['error']}" for row in rows if "error" in row]
    results = {"date": f"{today:%Y-%m-%d}", "device": gpu_name(), "driver": gpu.driver(), "cuda": bench.cuda_version(), "seed": options.seed,
               "before": before, "clocks": watch.summary(), "errors": errors, "cases": rows}
    options.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**results, "cases": None}, indent=1).replace('"cases": null', '"cases": [\n  ' + ",\n  ".join(map(json.dumps, rows)) + "\n ]")
    (options.out / "programs.json").write_text(text + "\n")
    print(f"{len([r for r in rows if 'seconds' in r])} cases of {len(made)} programs, {len(errors)} errors")
    for error in errors:
        print("  " + error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
