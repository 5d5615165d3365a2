#!/usr/bin/env python3
"""Do softgpu's points for speed agree with a GPU's? The labs' starters and solutions and those attacks of
tests/grader/attacks that say "on_gpu" are graded on softgpu, by the model, and on this machine's GPU, by the clock.

    tests/gpu/agree.py [OUT] [--sizes soft|gpu] [--only WORD]

Leaves OUT/LAB-NAME.json with both reports and OUT/agree.json with the table that it prints. With --sizes soft (the default)
the GPU is timed at the sizes that softgpu has, which takes seconds a file; with --sizes gpu at its own, half a
minute a file. What a GPU machine must have says tests/gpu/grade.sh. Exit status 1: points of speed differ by more than 10.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
LABS = [path.parent.name for path in sorted((ROOT / "labs").glob("*/lab.json"))]
SEED, APART = "20261122", 10


def files(only):
    """(lab, name, path)."""
    for lab in LABS:
        for path in [ROOT / f"labs/{lab}/starter.cu", *sorted((ROOT / f"labs/{lab}/solutions").glob("*.cu"))]:
            yield lab, f"{lab}-{path.stem}", path
    for expect in sorted((ROOT / "tests/grader/attacks").glob("*/expect.json")):
        said = json.loads(expect.read_text())
        if "on_gpu" in said:
            yield said["lab"], f"{said['lab']}-{expect.parent.name}", expect.parent / "submission.cu"


def lab_for(lab, sizes, folder):
    """A copy of the lab whose performance on a GPU is judged at softgpu's sizes."""
    text = json.loads((ROOT / f"labs/{lab}/lab.json").read_text())
    if sizes == "soft":
        text["performance"]["gpu"].pop("case", None)
        text["performance"]["gpu"]["cases"] = text["performance"]["soft"]["cases"]
    shutil.copytree(ROOT / f"labs/{lab}", folder / lab)
    (folder / lab / "lab.json").write_text(json.dumps(text))
    return folder / lab


def grade(lab, path, device):
    sandbox = [] if shutil.which("bwrap") else ["--unsafe-no-sandbox"]
    done = subprocess.run([BUILD / "bin/warpbook", "grade", lab, path, "--device", device, "--seed", SEED, "--json",
                           "--compile-limit", "300", "--run-limit", "30", *sandbox], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else {"message": done.stderr, "tests": [], "status": "error"}


def speed(report):
    """Points for speed; None where none were to be had, because a result was wrong."""
    tests = [t for t in report["tests"] if t["kind"] == "performance"]
    return sum(t["score"] for t in tests) if tests and report.get("measured") else None


def row(name, lab, soft, gpu):
    a, b = speed(soft), speed(gpu)
    both = a is not None and b is not None
    return {"name": name, "lab": lab, "soft": a, "gpu": b, "apart": abs(a - b) if both else None,
            "soft_cases": (soft.get("measured") or {}).get("cases"), "gpu_says": [
                t["output"] for t in gpu["tests"] if t["kind"] == "performance"],
            "error": gpu["message"] if gpu["status"] == "error" else ""}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?", default=BUILD / "gpu-agree", type=Path)
    parser.add_argument("--sizes", choices=("soft", "gpu"), default="soft")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        os.chmod(folder, 0o755)
        labs = {lab: lab_for(lab, args.sizes, Path(folder)) for lab in LABS}
        chosen = [f for f in files(args.only) if args.only in f[1]]
        # softgpu's first and side by side, so that the GPU's clock then has the machine for itself
        softs = list(pool.map(lambda f: grade(labs[f[0]], f[2], "soft"), chosen))
        for (lab, name, path), soft in zip(chosen, softs):
            gpu = grade(labs[lab], path, "gpu")
            (args.out / f"{name}.json").write_text(json.dumps({"soft": soft, "gpu": gpu}, indent=1))
            rows.append(row(name, lab, soft, gpu))
            points = ["  none" if p is None else f"{p:6.1f}" for p in (rows[-1]["soft"], rows[-1]["gpu"])]
            mark = "APART" if (rows[-1]["apart"] or 0) > APART else ""
            print(f"{name:44} softgpu {points[0]}  GPU {points[1]}  {mark} {rows[-1]['error'][:200]}", flush=True)
            for says in rows[-1]["gpu_says"]:
                print(f"      {says[:400]}", flush=True)
    (args.out / "agree.json").write_text(json.dumps(rows, indent=1))
    apart = [r["name"] for r in rows if (r["apart"] or 0) > APART]
    print(f"{len(rows)} files, {len(apart)} more than {APART} points apart: {', '.join(apart)}")
    return 1 if apart else 0


if __name__ == "__main__":
    raise SystemExit(main())
