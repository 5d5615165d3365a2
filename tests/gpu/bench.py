#!/usr/bin/env python3
"""`make bench-gpu`: the kernel set beside cuBLAS, CUB and the copy on this machine's GPU.

    tests/gpu/bench.py [--only PART,PART] [--plan FILE] [--results FOLDER] [--device gpu|soft] [--seed N] [--seconds S]

What is measured is data: the parts of tests/gpu/lines.json. Each call is `warpbook compare`, so every kernel's result is
checked first (whole numbers bit for bit, patterns, poisoned outputs, guard zones), the caches are cold and all kernels of
a part run in turn. 41 runs of each, or as many as the plan says; a kernel that has run for SHARE seconds in sum sits out after five runs, and
the plan says what is left out. Its sweeps (shapes.py) are of shapes drawn anew, from a seed that is kept. Leaves one JSON file a GPU and day in tests/gpu/results/, written after each part and each few shapes of a
sweep, so that a run that is cut off has what it measured; the others of that day's file stay. Exit status 1: a kernel was wrong, or could not be measured.
"""
import argparse
import datetime
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import clocks
import shapes

ROOT = Path(__file__).resolve().parents[2]
WARPBOOK = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve() / "bin/warpbook"
RUNS, SHARE = 41, 1.0
DAMAGED = "the comparison printed no document"


def words_of(part, size):
    """The names to compare: a lab stands for its kernels, less those that the plan leaves out at this size."""
    leave_out = part.get("leave_out", {})
    out = leave_out.get("*", []) + leave_out.get(size, [])
    if not out and "shape" not in part:
        return part["words"]
    listed = json.loads(subprocess.run([WARPBOOK, "labs", "--json"], capture_output=True, text=True, check=True).stdout)
    return [
        k["name"]
        for k in listed["kernels"]
        if (k["lab"] in part["words"] or k["name"] in part["words"])
        and part["type"] in k["types"]
        and part.get("shape") in (None, k["shape"])
        and not k["reference"]
        and k["name"] not in out
    ]


def compare(part, sizes, runs, words, device):
    command = [WARPBOOK, "compare", *words, "--type", part["type"], "--sizes", ",".join(sizes), "--device", device]
    command += ["--rounds", str(runs), "--share", str(SHARE), "--seconds", "120", "--json"]
    for option in ("reference", "like"):
        if option in part:
            command += [f"--{option}", part[option]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, stdin=subprocess.DEVNULL)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        lacking = re.search(r"(\S+) needs .*; this device is ", done.stderr)  # named, and not a lab's, so the whole call is refused
        if lacking and lacking[1] in words and len(words) > 1:
            return compare(part, sizes, runs, [w for w in words if w != lacking[1]], device)
        return {"sizes": [], "device": {}, "error": (done.stderr or DAMAGED)[-600:]}
    return document


def groups(part):
    """Neighbouring sizes that are measured by the same call: [(sizes, runs, words)]."""
    found = []
    for size in part["sizes"]:
        call = (part.get("runs", {}).get(size, RUNS), words_of(part, size))
        if found and found[-1][1:] == call:
            found[-1][0].append(size)
        else:
            found.append(([size], *call))
    return found


def rows_of(kernels):
    rows = []
    for k in kernels:
        row = {n: k[n] for n in ("name", "title", "reference", "status", "checks") if k[n] not in ("", False)}
        if k["status"] == "timed":
            t = k["time"]
            row.update({n: float(f"{t[n]:.6g}") for n in ("median", "q1", "q3", "min")})
            row.update(runs=t["runs"], rate=float(f"{k['rate']:.6g}"), unit=k["unit"])
            if "error" in k:
                row["error"] = float(f"{k['error']:.3g}")
            if t["clock"] == "host":
                row["clock"] = "host"
            if "speedup" in k:
                row["speedup"] = [float(f"{k['speedup'][n]:.5g}") for n in ("value", "low", "high")]
        else:
            row["text"] = k["text"]
        rows.append(row)
    return rows


def measure(part, gpu, device):
    """One part as the results file keeps it."""
    start, sizes, errors = time.monotonic(), [], []
    with clocks.Watch(gpu) as watch:
        for names, runs, words in groups(part):
            document = compare(part, names, runs, words, device)
            errors += [document["error"]] if document["error"] else []
            for name, size in zip(names, document["sizes"]):
                sizes.append({"size": name, **{n: size[n] for n in "mnk" if size[n]}, "rows": rows_of(size["kernels"])})
                print_size(part, sizes[-1])
    kept = {n: part[n] for n in ("name", "title", "type")}
    kept.update(seconds=round(time.monotonic() - start, 1), clocks=watch.summary(), errors=errors, sizes=sizes)
    return kept


def print_size(part, size):
    print(f"{part['title']}, {size['size']}")
    for row in size["rows"]:
        if "rate" not in row:
            print(f"  {row['name']:<30} {row['status']}: {row.get('text', '')[:140]}")
            continue
        ratio = "  {:.3f}x ({:.3f} to {:.3f})".format(*row["speedup"]) if "speedup" in row else ""
        print(f"  {row['name']:<30} {row['median'] * 1e6:>12,.1f} us {row['rate']:>9,.1f} {row['unit']}  n={row['runs']:<4}{ratio}")
    sys.stdout.flush()


def sweep(plan, seed, gpu, device, most, keep):
    """One sweep of shapes drawn anew; keep() it as the results file does after each few of them, for all may take longer than there is."""
    start = time.monotonic()
    with clocks.Watch(gpu) as watch:
        for kept in shapes.measure(plan, seed, lambda part, sizes, runs, words: compare(part, sizes, runs, words, device), most):
            kept.update(seconds=round(time.monotonic() - start, 1), clocks=watch.summary())
            keep(kept)
            print_judged(plan, kept)
    for ratio, shape in shapes.ratios(kept)[:8]:
        print(f"  {shape:<20} {ratio:.3f}")
    sys.stdout.flush()


def print_judged(plan, kept):
    print(f"{plan['title']}, {len(shapes.ratios(kept))} of {plan['shapes']} random shapes, seed {kept['seed']}: " +
          ", ".join(f"{what} {ratio:.3f}" + (f" ({shape})" if shape else "") for what, ratio, shape, _ in shapes.judged(plan, kept)), flush=True)


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def cuda_version():
    """"13.0", of the nvcc that is found first; None without one."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    try:
        said = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    release = re.search(r"release (\d+\.\d+)", said)
    return release and release[1]


def written(results):
    """The results file's text: a line for each thing measured."""
    return re.sub(r"\{[^{}\[\]]*\}", lambda inner: json.dumps(json.loads(inner[0])), json.dumps(results, indent=1)) + "\n"


def with_old(old, fresh, order):
    """Merges the new measurements with the others of this day, in the plan's order."""
    now = {p["name"] for p in fresh}
    return sorted([p for p in old if p["name"] not in now] + fresh, key=lambda p: order.index(p["name"]))


class Kept:
    """The day's results file, written after each part and as a sweep goes, so that a run that is cut off loses little."""

    def __init__(self, folder, device, gpu, today, order):
        name = re.sub(r"[^\w.]+", "-", device["name"]).strip("-")
        self.path, self.gpu, self.order = folder / f"{name}_{today:%Y-%m-%d}.json", gpu, order
        old = json.loads(self.path.read_text()) if self.path.exists() else {}
        device = {n: v for n, v in device.items() if n != "sm_hz"}
        self.results = {"date": f"{today:%Y-%m-%d}", "device": device, "driver": gpu.driver(), "cuda": cuda_version(),
                        "cpu": cpu_name(), "before": clocks.named(gpu.read()), "after": {}}
        for what in ("parts", "sweeps"):
            self.results[what] = [part for part in old.get(what, []) if part["name"] in order]

    def add(self, what, part):
        self.results[what] = with_old(self.results[what], [part], self.order)
        self.results["after"] = clocks.named(self.gpu.read())
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(written(self.results))


def problems_of(results):
    for part in results["parts"]:
        yield from (f"{part['name']}: {error}" for error in part["errors"])
        for size in part["sizes"]:
            for row in size["rows"]:
                said = row.get("text", "")
                not_for_this = row["status"] == "unavailable" and ("takes n and k" in said or " needs " in said)
                if row["status"] not in ("timed", "refused") and not not_for_this:
                    yield f"{part['name']} {size['size']}: {row['name']}: {row['status']}: {said}"
    for kept in results["sweeps"]:
        yield from (f"{kept['name']}: {error}" for error in kept["errors"])
        yield from (f"{kept['name']} {s['size']}: {s['text']}" for s in kept["sizes"] if "text" in s)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default=os.environ.get("ONLY", ""))
    parser.add_argument("--plan", type=Path, default=Path(__file__).parent / "lines.json")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the shapes that are drawn")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no more shapes of a sweep are begun")
    options = parser.parse_args()
    plan = json.loads(options.plan.read_text())
    only = [w for w in options.only.replace(",", " ").split() if w]
    sweeps = plan.get("sweeps", [])
    names = [p["name"] for p in plan["parts"] + sweeps]
    unknown = set(only) - set(names)
    if unknown:
        sys.exit(f"bench-gpu: no part {min(unknown)}; there are: {' '.join(names)}")
    gpu, today = clocks.Gpu(), datetime.datetime.now(datetime.timezone.utc)
    device = compare({"type": "float"}, ["64"], 5, ["gemm.best"], options.device)
    if not device["device"]:
        sys.exit("bench-gpu: nothing can be measured: " + device["error"])
    kept = Kept(options.results, device["device"], gpu, today, [p["name"] for p in plan["parts"] + sweeps])
    for part in plan["parts"]:
        if not only or part["name"] in only:
            kept.add("parts", {"measured": today.strftime("%Y-%m-%dT%H:%MZ"), **measure(part, gpu, options.device)})
    for part in sweeps:
        if not only or part["name"] in only:
            sweep(part, options.seed, gpu, options.device, options.seconds, lambda some: kept.add("sweeps", some))
    path, results = kept.path, kept.results
    seconds = sum(p["seconds"] for p in results["parts"] + results["sweeps"])
    problems = list(problems_of(results))
    print(f"{path}: {seconds:.0f} s, {len(problems)} problems")
    for problem in problems:
        print("  " + problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
