#!/usr/bin/env python3
"""Times the grading of one submission on softgpu, beside the compiler alone on the same file.

Each lab's best solution, from the command line, as a new process with an empty compile cache (the submissions of a
class are all different); nvcc compiles the same file to a shared library in turn with it. Medians. The line to reach:
under 5 s where nvcc takes 1, so at most five times nvcc. Exit status 1 when a lab misses it.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import finish, line, options

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
WARPBOOK = BUILD / "bin" / "warpbook"
LABS = ("coalescing", "transpose", "reduce", "gemm")
ROUNDS, LINE = 3, 5.0


def nvcc():
    doctor = subprocess.run([WARPBOOK, "doctor", "--json"], capture_output=True, text=True).stdout
    for word in doctor.replace('"', " ").split():
        if word.endswith("/nvcc"):
            return word
    return "nvcc"


def seconds(command, folder):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    return time.perf_counter() - began, done


def grade(lab, solution):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        taken, done = seconds([WARPBOOK, "grade", lab, solution, "--device", "soft", "--json"], folder)
    if done.returncode not in (0, 1):
        sys.exit(f"grading {solution} failed: {done.stderr}")
    report = json.loads(done.stdout)
    first = report["submissions"][0] if "submissions" in report else report
    return taken, first["score"], first["max_score"]


def compile_alone(compiler, solution):
    with tempfile.TemporaryDirectory() as folder:
        command = [compiler, "-std=c++17", "-arch=compute_90", "-cudart", "shared", "-lineinfo", "-shared",
                   "-Xcompiler", "-fPIC", "-o", f"{folder}/a.so", solution]
        taken, done = seconds(command, folder)
    if done.returncode:
        sys.exit(f"nvcc failed: {done.stderr}")
    return taken


def measure(lab, compiler):
    solution = sorted((ROOT / "labs" / lab / "solutions").glob("*.cu"))[-1]
    graded, compiled = [], []
    for _ in range(ROUNDS):
        taken, score, full = grade(lab, solution)
        graded.append(taken)
        compiled.append(compile_alone(compiler, solution))
    return {"lab": lab, "submission": solution.name, "score": score, "max_score": full,
            "grade_s": statistics.median(graded), "nvcc_s": statistics.median(compiled),
            "ratio": statistics.median(g / c for g, c in zip(graded, compiled))}


def main():
    arguments = options(__doc__).parse_args()
    compiler = nvcc()
    rows = [measure(lab, compiler) for lab in LABS]
    print(f"{'lab':12}{'submission':24}{'score':>9}{'graded in':>12}{'nvcc alone':>12}{'ratio':>8}")
    for r in rows:
        print(f"{r['lab']:12}{r['submission']:24}{r['score']:>5g}/{r['max_score']:<3g}{r['grade_s']:>10.2f} s"
              f"{r['nvcc_s']:>10.2f} s{r['ratio']:>8.2f}")
    finish(arguments.json, "grading on softgpu", rows,
           [line(f"grading {r['lab']} / nvcc", r["ratio"], LINE) for r in rows])


if __name__ == "__main__":
    main()
