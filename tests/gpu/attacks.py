#!/usr/bin/env python3
"""Does an attack earn more on this machine's GPU than its honest version? Those of tests/grader/attacks that may earn something, whose work
thus reaches the device, and their honest versions are graded by the GPU's clock, at softgpu's sizes.

    tests/gpu/attacks.py [OUT] [--labs WORDS] [--jobs N]

Leaves OUT/NAME.json, a report each, and OUT/attacks.json, the table that it prints. WORDS are labs, with commas between: where time on a GPU is
short, some at a time; a report that OUT has is taken as it is. N files are compiled at a time, while one of them has the GPU. Where an attack is
honest work itself, it is held to its max_score. The attacks that earn nothing are not run: most end in the compiler, the sandbox or the plan, which
is the same on both roads, but some (a kernel without end, reads beyond the buffers) reach the device. What a GPU machine must have says tests/gpu/grade.sh.
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


def pairs(labs):
    """(lab, attack's folder, its honest version or None, expect.json) of those that may earn something."""
    for path in sorted(ATTACKS.glob("*/expect.json")):
        expect = json.loads(path.read_text())
        if expect["max_score"] > 0 and (not labs or expect["lab"] in labs):
            beside = path.parent / expect["honest"]
            honest = None if expect["honest"] == "itself" else beside if beside.exists() else agree.ROOT / expect["honest"]
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
    parser.add_argument("--labs", default="")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    wanted = list(pairs([lab for lab in args.labs.split(",") if lab]))
    files = {file: lab for lab, attack, honest, _ in wanted for file in (attack / "submission.cu", honest) if file}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        agree.BUILD = agree.alone_on_the_gpu(Path(folder) / "build")
        labs = {lab: agree.lab_for(lab, "soft", Path(folder)) for lab in set(files.values())}

        def graded(file):
            name = "-".join(file.relative_to(agree.ROOT).with_suffix("").parts[1:])
            kept = args.out / f"{name}.json"
            report = json.loads(kept.read_text()) if kept.exists() else agree.grade(labs[files[file]], file, "gpu")
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
