#!/usr/bin/env python3
"""Does an attack earn more on this machine's GPU than its honest version? Those of tests/grader/attacks that may earn something and their
honest versions are graded by the GPU's clock, at softgpu's sizes; with --nothing, those that may earn nothing.

    tests/gpu/attacks.py [OUT] [--nothing] [--only WORDS] [--labs WORDS] [--jobs N]

Leaves OUT/NAME.json, a report each, and OUT/attacks.json, the table that it prints. WORDS are parts of attacks' names, or labs, with commas
between: where time on a GPU is short, some at a time; a report that OUT has is taken as it is. N files are compiled at a time, while one of
them has the GPU. Where an attack is honest work itself, it is held to its max_score. Each is graded with its own limits, in the sandbox where
there is one. What a GPU machine must have says tests/gpu/grade.sh.
Exit status 1: an attack earned more.
"""

import argparse
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import agree

ATTACKS = agree.ROOT / "tests/grader/attacks"
# Points by which two gradings of one file differ by the clock: of 40 for speed, three in a hundred of the time.
NOISE = 2.5


def pairs(labs, only, nothing):
    """(lab, attack's folder, its honest version or None, expect.json) of those that may earn something, or nothing."""
    for path in sorted(ATTACKS.glob("*/expect.json")):
        expect = json.loads(path.read_text())
        chosen = expect["lab"] in (labs or [expect["lab"]]) and any(word in path.parent.name for word in only or [""])
        if chosen and (expect["max_score"] == 0) == nothing:
            version = expect.get("honest", "itself")
            beside = path.parent / version
            honest = None if version == "itself" else beside if beside.exists() else agree.ROOT / version
            yield expect["lab"], path.parent, honest, expect


def judged(attack, report, honest, expect):
    """A row of the table. Where the honest version earns less on a GPU than on softgpu, so must the attack."""
    score = report.get("score")
    allowed = expect["max_score"] if honest is None else honest["score"] + expect.get("faster", 0)
    return {"name": attack.name, "lab": expect["lab"], "score": score, "honest": honest and honest["score"], "max_score": expect["max_score"],
            "more": score is None or score > allowed + NOISE,
            "says": report["message"] or next((t["output"] for t in report["tests"] if t["output"]), "")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?", default=agree.BUILD / "gpu-attacks", type=Path)
    parser.add_argument("--nothing", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--labs", default="")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    labs, only = ([word for word in text.split(",") if word] for text in (args.labs, args.only))
    wanted = list(pairs(labs, only, args.nothing))
    limits = {attack / "submission.cu": expect.get("limits", []) for _, attack, _, expect in wanted}
    files = {file: lab for lab, attack, honest, _ in wanted for file in (attack / "submission.cu", honest) if file}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        agree.BUILD = agree.alone_on_the_gpu(Path(folder) / "build")
        labs = {lab: agree.lab_for(lab, "soft", Path(folder)) for lab in set(files.values())}

        def graded(file):
            name = "-".join(file.relative_to(agree.ROOT).with_suffix("").parts[1:])
            kept = args.out / f"{name}.json"
            report = json.loads(kept.read_text()) if kept.exists() else agree.grade(labs[files[file]], file, "gpu", limits.get(file, ()))
            kept.write_text(json.dumps(report, indent=1))
            print(f"{name:60} {report.get('score')}  {report['message'][:200]}", flush=True)
            return report
        with ThreadPoolExecutor(args.jobs) as pool:
            reports = dict(zip(files, pool.map(graded, files)))
    rows = [judged(attack, reports[attack / "submission.cu"], reports.get(honest), expect) for _, attack, honest, expect in wanted]
    (args.out / "attacks.json").write_text(json.dumps(rows, indent=1))
    for row in rows:
        print(f"{'MORE' if row['more'] else '':5}{row['name']:40} {row['lab']:12} {row['score']} of {row['honest']} ({row['max_score']})  {row['says'][:160]}")
    more = [row["name"] for row in rows if row["more"]]
    print(f"{len(rows)} attacks, {len(more)} earn more than their honest versions: {', '.join(more)}")
    return 1 if more else 0


if __name__ == "__main__":
    raise SystemExit(main())
