#!/usr/bin/env python3
"""Do softgpu's points for speed agree with a GPU's? The labs' starters and solutions and those attacks of
tests/grader/attacks that say "on_gpu" are graded on softgpu, by the model, and on this machine's GPU, by the clock.

    tests/gpu/agree.py [OUT] [--sizes soft|gpu] [--only WORDS] [--first WORDS] [--honest] [--device soft|gpu] [--soft FILE] [--gpu NAME]

Leaves OUT/LAB-NAME.json with both reports, OUT/rows.jsonl, a row as soon as a file is graded, and OUT/agree.json with the table that it
prints. With --sizes soft (the default) the GPU is timed at the sizes that softgpu has, which takes seconds a file; with --sizes gpu at its
own, half a minute a file. WORDS are parts of names, with commas between. --honest adds the files of tests/grader/honest. Where time on a GPU is
short: `--device soft` elsewhere beforehand leaves agree.json, which `--device gpu --soft agree.json` puts the GPU's points beside; --first says what
is not to be missed, and --jobs N compiles N files at a time, while one of them has the GPU. The GPU that softgpu models is this machine's, or
--gpu's: h200, h100. What a GPU machine must have says tests/gpu/grade.sh. Exit status 1: points of speed differ by more than 10.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import programs

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
LABS = [path.parent.name for path in sorted((ROOT / "labs").glob("*/lab.json"))]
SEED, APART = "20261122", 10
GRADED = "h200"  # whose times the grader asks softgpu for


def files(honest):
    """(lab, name, path)."""
    for lab in LABS:
        for path in [ROOT / f"labs/{lab}/starter.cu", *sorted((ROOT / f"labs/{lab}/solutions").glob("*.cu"))]:
            yield lab, f"{lab}-{path.stem}", path
    for kind in ("attacks", "honest") if honest else ("attacks",):
        for expect in sorted((ROOT / "tests/grader" / kind).glob("*/expect.json")):
            said = json.loads(expect.read_text())
            if kind == "honest" or "on_gpu" in said:
                yield said["lab"], f"{said['lab']}-{expect.parent.name}", expect.parent / "submission.cu"


def chosen(only, first, honest):
    """Picks the names that hold a word of `only`, and sorts those with the first word of `first` first, and so on."""
    def place(name):
        return next((k for k, word in enumerate(first) if word in name), len(first))
    return sorted((f for f in files(honest) if not only or any(word in f[1] for word in only)), key=lambda f: place(f[1]))


def lab_for(lab, sizes, folder):
    """A copy of the lab whose performance on a GPU is judged at softgpu's sizes."""
    text = json.loads((ROOT / f"labs/{lab}/lab.json").read_text())
    if sizes == "soft":
        text["performance"]["gpu"].pop("case", None)
        text["performance"]["gpu"]["cases"] = text["performance"]["soft"]["cases"]
    shutil.copytree(ROOT / f"labs/{lab}", folder / lab)
    (folder / lab / "lab.json").write_text(json.dumps(text))
    return folder / lab


def grade(lab, path, device, limits=()):
    sandbox = [] if shutil.which("bwrap") else ["--unsafe-no-sandbox"]
    done = subprocess.run([BUILD / "bin/warpbook", "grade", lab, path, "--device", device, "--seed", SEED, "--json",
                           "--compile-limit", "300", "--run-limit", "30", *limits, *sandbox], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else {"message": done.stderr, "tests": [], "status": "error"}


def speed(report):
    """Points for speed; None where none were to be had, because a result was wrong."""
    tests = [t for t in report["tests"] if t["kind"] == "performance"]
    return sum(t["score"] for t in tests) if tests and report.get("measured") else None


def brief(case):
    """Keeps a timed case's medians, not each time."""
    medians = {name: statistics.median(case[name]) for name in ("times", "reference_times") if case.get(name)}
    return {**{name: value for name, value in case.items() if not isinstance(value, list)}, **medians}


def row(name, lab, soft, gpu, modelled):
    """Compares two reports. softgpu's may be a row of another day."""
    soft_cases = soft.get("soft_cases") or [{**case, "gpu": modelled} for case in (soft.get("measured") or {}).get("cases", [])]
    a, b = soft["soft"] if "soft" in soft else speed(soft), speed(gpu)
    both = a is not None and b is not None
    return {"name": name, "lab": lab, "soft": a, "gpu": b, "apart": abs(a - b) if both else None,
            "soft_cases": soft_cases,
            "gpu_cases": [brief(case) for case in (gpu.get("measured") or {}).get("cases", [])],
            "gpu_says": [t["output"] for t in gpu["tests"] if t["kind"] == "performance"],
            "error": gpu["message"] if gpu["status"] == "error" else ""}


def here():
    """The GPU of this machine by its name in runtime/model/gpus; the grader's own where there is none."""
    names = {json.loads(path.read_text())["device_name"]: path.stem for path in (ROOT / "runtime/model/gpus").glob("*.json")}
    return names.get(programs.gpu_name() if shutil.which("nvidia-smi") else "", GRADED)


def copy_of_the_build(folder):
    return Path(shutil.copytree(BUILD, folder, symlinks=True, ignore=shutil.ignore_patterns("obj", "tests", "programs")))


def graded_as(gpu, folder):
    """A build like this one, whose softgpu models that GPU where the grader asks for its usual one, and knows what libraries took there."""
    share = copy_of_the_build(folder) / "share/warpbook"
    for kind in ("gpus", "references"):
        shutil.copyfile(share / kind / f"{gpu}.json", share / kind / f"{GRADED}.json")
    return folder


def alone_on_the_gpu(folder):
    """A build like this one, whose runners wait until they have the GPU for themselves; softgpu's need none."""
    copy_of_the_build(folder)
    replay = folder / "lib/warpbook/warpbook-replay"
    replay.rename(replay.with_suffix(".real"))
    replay.write_text(f'#!/bin/bash\nexec 9>"{folder}/one"\n[[ $LD_LIBRARY_PATH == *softgpu* ]] || flock 9\nexec "{replay.with_suffix(".real")}" "$@"\n')
    replay.chmod(0o755)
    return folder


def told(row):
    points = ["  none" if p is None else f"{p:6.1f}" for p in (row["soft"], row["gpu"])]
    mark = "APART" if (row["apart"] or 0) > APART else ""
    print(f"{row['name']:44} softgpu {points[0]}  GPU {points[1]}  {mark} {row['error'][:200]}", flush=True)
    for says in row["gpu_says"]:
        print(f"      {says[:400]}", flush=True)


def main():
    global BUILD
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?", default=BUILD / "gpu-agree", type=Path)
    parser.add_argument("--sizes", choices=("soft", "gpu"), default="soft")
    parser.add_argument("--only", default="")
    parser.add_argument("--first", default="")
    parser.add_argument("--honest", action="store_true")
    parser.add_argument("--device", choices=("soft", "gpu"))
    parser.add_argument("--soft", type=Path)
    parser.add_argument("--gpu", default=here())
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows, empty = [], {"tests": [], "status": "not graded", "message": ""}
    words = [[word for word in text.split(",") if word] for text in (args.only, args.first)]
    files = chosen(*words, args.honest)
    known = {r["name"]: r for r in json.loads(args.soft.read_text())} if args.soft else {}
    with tempfile.TemporaryDirectory() as folder, open(args.out / "rows.jsonl", "w") as kept:
        os.chmod(folder, 0o755)
        labs = {lab: lab_for(lab, args.sizes, Path(folder)) for lab in LABS}

        def graded(file, device):
            return empty if args.device not in (None, device) else grade(labs[file[0]], file[2], device)
        BUILD = graded_as(args.gpu, Path(folder) / "as") if args.gpu != GRADED else BUILD
        with ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
            softs = pool.map(lambda f: known.get(f[1]) or graded(f, "soft"), files)
            if args.device != "soft":
                softs = list(softs)  # side by side, and first, so that the GPU's clock then has the machine for itself
            if args.jobs > 1:
                BUILD = alone_on_the_gpu(Path(folder) / "build")
            with ThreadPoolExecutor(args.jobs) as others:
                for (lab, name, _), soft, gpu in zip(files, softs, others.map(lambda f: graded(f, "gpu"), files)):
                    (args.out / f"{name}.json").write_text(json.dumps({"soft": soft, "gpu": gpu}, indent=1))
                    rows.append(row(name, lab, soft, gpu, args.gpu))
                    print(json.dumps(rows[-1]), file=kept, flush=True)
                    told(rows[-1])
    (args.out / "agree.json").write_text(json.dumps(rows, indent=1))
    apart = [r["name"] for r in rows if (r["apart"] or 0) > APART]
    print(f"{len(rows)} files, {len(apart)} more than {APART} points apart: {', '.join(apart)}")
    return 1 if apart else 0


if __name__ == "__main__":
    raise SystemExit(main())
