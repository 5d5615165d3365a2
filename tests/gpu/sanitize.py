#!/usr/bin/env python3
"""compute-sanitizer's memcheck and racecheck over every kernel of the set, at small and odd sizes, some at a time.

    tests/gpu/sanitize.py [--jobs N] [--tools memcheck,racecheck] [--only LAB,TYPE,NAME...]

Needs a GPU, compute-sanitizer and a build ($WARPBOOK_BUILD). Prints a line for each that is not clean and a sum; exit
status 1: something was found, or a tool could not run.
"""
import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
import sweep

PROGRAM = sweep.WARPBOOK.parent.parent / "lib/warpbook/warpbook-compare"
SIZES = {1: "1,33,1000,4097", 2: "1x77,33x65,130x68,35x2051", 3: "1,33x17x65,136x264x48", 4: "2x1x1x1,3x33x17x65,2x136x264x48"}
AT_ONCE = 6  # kernels a process: many small processes, all cores busy


def jobs(tools, only):
    for (lab, _, type_), kernels in sweep.families().items():
        names = [k["name"] for k in kernels if not only or only & {lab, type_, k["name"]}]
        for first in range(0, len(names), AT_ONCE):
            for tool in tools:
                yield tool, type_, SIZES[sweep.dimensions_of(kernels)], names[first : first + AT_ONCE]


def run(job):
    tool, type_, sizes, names = job
    command = [shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer", "--tool", tool]
    command += ["--error-exitcode", "9", PROGRAM, "--check", "--reference", "none", "--type", type_, "--sizes", sizes]
    done = subprocess.run([*command, *names], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("=========")]
    summary = next((line for line in said if "SUMMARY" in line), "no summary")
    clean = done.returncode == 0 and (" 0 errors" in summary or " 0 hazards" in summary)
    return job, clean, done.stdout.count('"event":"check"'), "\n".join(said[:12] or [done.stderr[-500:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--tools", default="memcheck,racecheck")
    parser.add_argument("--only", default="", help="labs, types and kernels; all without it")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    all_jobs, bad, checks = list(jobs(options.tools.split(","), only)), 0, 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for (tool, type_, sizes, names), clean, n, said in pool.map(run, all_jobs):
            checks += n
            if not clean:
                bad += 1
                print(f"{tool}: {' '.join(names)}, {type_}, {sizes}:\n{said}", flush=True)
    print(f"compute-sanitizer: {len(all_jobs)} runs, {checks} calls of kernels, {bad} not clean")
    return 1 if bad or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
