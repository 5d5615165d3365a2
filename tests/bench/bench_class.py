#!/usr/bin/env python3
"""How many submissions of a class are graded a minute on softgpu, into a gradebook as a teacher does it.

Sixty files of four labs: each lab's starter, its solutions and one that does not compile, in turn, every one another text,
with an empty compile cache; one `warpbook grade --book` a lab, as many submissions at a time as there are cores. The line
to reach is for two quiet cores: 45 a minute, so at most 1.33 s a submission. On more cores --jobs is 2 all the same.
What else runs on the machine counts in the rate, hardly in the CPU time beside it, of which two quiet cores have 120 s a minute: the
rate that it allows is told too. --each N grades N files a lab.
"""

import ctypes
import json
import os
import resource
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
EACH, JOBS, LINE_A_MINUTE = 15, 2, 45
PR_SET_CHILD_SUBREAPER = 36


def hand_in(lab, folder, each):
    """So many files for a lab, nobody's like another's."""
    texts = [p.read_text() for p in (ROOT / "labs" / lab / "starter.cu", *sorted((ROOT / "labs" / lab / "solutions").glob("*.cu")))]
    texts.append(texts[-1].replace("__global__", "__globl__", 1))
    paths = [folder / f"s{i:02}_{lab}.cu" for i in range(each)]
    for i, path in enumerate(paths):
        path.write_text(f"// student {i} of {lab}\n{texts[i % len(texts)]}\nstatic __device__ int mark_of_{i};\n")
    return paths


def cpu_seconds():
    """CPU time of all children that have ended. A sandbox's first process counts only if we wait for it, because bubblewrap ends first."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def grade(lab, folder, each):
    paths = hand_in(lab, folder, each)
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    command = [WARPBOOK, "grade", lab, *paths, "--book", folder / "class.book", "--device", "soft", "--jobs", str(JOBS), "--json"]
    began, cpu = time.perf_counter(), cpu_seconds()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    taken, cpu = time.perf_counter() - began, cpu_seconds() - cpu
    if done.returncode not in (0, 1):
        sys.exit(f"grading {lab} failed: {done.stderr}")
    reports = json.loads(done.stdout)
    reports = reports.get("submissions", reports) if isinstance(reports, dict) else reports
    if len(reports) != each:
        sys.exit(f"of {each} submissions of {lab}, {len(reports)} have a result")
    return {"lab": lab, "submissions": each, "seconds": taken, "cpu_s": cpu, "with_points": sum(r["score"] > 0 for r in reports)}


def main():
    parser = options(__doc__)
    parser.add_argument("--each", type=int, default=EACH)
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        rows = [grade(lab, Path(folder), arguments.each) for lab in LABS]
    whole = {"lab": "all", **{key: sum(r[key] for r in rows) for key in ("submissions", "with_points", "seconds", "cpu_s")}}
    print(f"{'lab':12}{'submissions':>12}{'with points':>13}{'seconds':>10}{'CPU':>10}{'CPU each':>10}{'a minute':>10}")
    for r in [*rows, whole]:
        print(f"{r['lab']:12}{r['submissions']:12}{r['with_points']:13}{r['seconds']:10.1f}{r['cpu_s']:10.1f}"
              f"{r['cpu_s'] / r['submissions']:10.2f}{60 * r['submissions'] / r['seconds']:10.1f}")
    print(f"two quiet cores: {JOBS * 60 * whole['submissions'] / whole['cpu_s']:.1f} a minute by the CPU time")
    finish(arguments.json, "a class on softgpu, two at a time", rows,
           [line(f"seconds a submission ({LINE_A_MINUTE} a minute)", whole["seconds"] / whole["submissions"], 60 / LINE_A_MINUTE)])


if __name__ == "__main__":
    main()
