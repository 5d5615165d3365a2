#!/usr/bin/env python3
"""The model's times beside a GPU's: `make bench-model`, or `make bench-model MODEL=h100`.

Runs the kernels of the set on softgpu with --model GPU's figures and compares the sum of their launches with the
medians of tests/gpu/results. Prints a row for each pair, and at the end how wrong the model was. Then the same for the programs of
tests/model/programs, which took no part in the fit (`ONLY=programs`: those alone), with the ten that are furthest off.

    tests/gpu/model.py [--gpu h200|h100] [--only WORD] [--json FILE]
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import outside
import report

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
# Sizes that softgpu runs in seconds, and one larger size of each ladder.
SIZES = {"gemm": ["512", "1024", "1000x999x1001"], "transpose": ["1024", "1000x999", "2048", "4096", "8192"],
         "reduce": ["2^20", "2^24", "2^26"], "reduce-double": ["2^20", "2^24"], "maximum": ["2^20", "2^24"],
         "access": ["2^26"], "sums": ["8192", "1024x65536", "65536x1024", "8191x8193"]}
LIMIT_S = 600


def pairs(device, only):
    """(part, kernel, size, measured seconds) of what the GPU was timed at and softgpu can run."""
    for part in json.loads(report.newest([device], of="parts").read_text())["parts"]:
        for size in part["sizes"]:
            for row in size["rows"] if size["size"] in SIZES.get(part["name"], []) else []:
                name = row["name"]
                if row["status"] == "timed" and not row.get("reference") and row.get("clock") != "host" \
                        and only in f"{part['name']} {name}":
                    yield part, name, size["size"], row["median"]


def launches(gpu, part, name, size, env=None):
    """Returns a call's time as if it were one launch (warpbook compare adds up), or [] if softgpu refuses the kernel."""
    done = subprocess.run([BUILD / "bin/warpbook", "compare", name, "--sizes", size, "--type", part["type"], "--rounds", "1",
                           "--reference", "none", "--model", gpu, "--json"], capture_output=True, text=True, timeout=LIMIT_S,
                          env={**os.environ, **(env or {})})
    rows = [row for at in json.loads(done.stdout)["sizes"] for row in at["kernels"]] if done.stdout else []
    return [{"model": row["model"]} for row in rows if "model" in row]


def seconds(calls, launch_s, next_s=1.5e-6):
    """Returns the time of launches in a row. Later ones cost less, because the GPU receives them meanwhile."""
    return sum(c["model"]["seconds"] - (launch_s - next_s) * (k > 0) for k, c in enumerate(calls))


def summary(rows):
    errors = sorted(abs(math.log(model / measured)) for *_, measured, model in rows)
    if not errors:
        return "no pairs"
    nine = errors[math.ceil(0.9 * len(errors)) - 1]
    return (f"{len(errors)} pairs: median error {100 * (math.exp(statistics.median(errors)) - 1):.1f} %, "
            f"nine of ten within {100 * (math.exp(nine) - 1):.0f} %, worst a factor of {math.exp(errors[-1]):.2f}")


def wrong_order(rows):
    """Kernels of one ladder and size whose measured times differ by 1.2 or more, modelled the other way round."""
    wrong, all_pairs = [], 0
    for i, (part, name, size, measured, model) in enumerate(rows):
        for other in rows[i + 1:]:
            if (part, size) == (other[0], other[2]) and max(measured, other[3]) >= 1.2 * min(measured, other[3]):
                all_pairs += 1
                if (measured < other[3]) != (model < other[4]):
                    wrong.append(f"{name} and {other[1]} at {size}")
    return wrong, all_pairs


def row(rows, silent, part, name, size, measured, calls, launch_s):
    """Notes and prints one pair, or why there is none."""
    why = [c["model"]["why"] for c in calls if "why" in c.get("model", {})]
    if not calls or why:
        silent[name] = why[0] if why else "softgpu does not run it"
        return
    model = seconds(calls, launch_s)
    bound = max(calls, key=lambda c: c["model"]["seconds"])["model"]["bound"]
    rows.append((part, name, size, measured, model))
    print(f"{part:14} {name:36} {size:>14} {1e6 * measured:10.1f} us {1e6 * model:10.1f} us {model / measured:6.2f}  {bound}", flush=True)


def say_ladders(rows):
    for part in dict.fromkeys(r[0] for r in rows):
        print(f"{part:14} {summary([r for r in rows if r[0] == part])}")
    print(f"{'all':14} {summary(rows)}")
    wrong, all_pairs = wrong_order(rows)
    print(f"{'order':14} {len(wrong)} of {all_pairs} pairs of a ladder are the wrong way round")
    for line in wrong:
        print(f"               {line}")


def say_programs(device, rows):
    seeds = " and ".join(str(d["seed"]) for d in outside.newest(device))
    print(f"{'programs':14} {summary(rows)} (cases of seed {seeds})")
    for part, name, _, measured, model in sorted(rows, key=lambda r: -abs(math.log(r[4] / r[3])))[:10]:
        print(f"               {name:32} {1e6 * measured:10.1f} us, model {1e6 * model:10.1f} us: {model / measured:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="h200", help="one that was measured: h200, h100")
    parser.add_argument("--only", default="", help="parts or kernels with this in their name")
    parser.add_argument("--json", help="writes the rows there")
    args = parser.parse_args()
    path = ROOT / f"runtime/model/gpus/{args.gpu}.json"
    gpu = json.loads(path.read_text())
    launch_s, device = gpu["figures"]["launch_s"]["value"], gpu["device_name"]
    rows, others, silent = [], [], {}
    for part, name, size, measured in pairs(device, args.only):
        calls = launches(path, part, name, size)
        row(rows, silent, part["name"], name, size, measured, calls, launch_s)
    for name, measured, calls, wrong in outside.pairs(BUILD / "bin/warpbook", device, path, BUILD / "programs", args.only):
        if wrong:
            silent[name] = wrong
        else:
            row(others, silent, name.split(".")[0], name, "", measured, calls, launch_s)
    print()
    if rows:
        say_ladders(rows)
    if others:
        say_programs(device, others)
    for name, why in silent.items():
        print(f"no time for {name}: {why}")
    if args.json:
        Path(args.json).write_text(json.dumps(rows + others))


if __name__ == "__main__":
    main()
