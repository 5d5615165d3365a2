#!/usr/bin/env python3
"""Random shapes, every kernel of the set against fp64 (or whole numbers), by `warpbook compare --check`.

    tests/kernels/sweep.py [--shapes N] [--seed S] [--device soft|gpu] [--work W] [--only LAB,...] [--jobs N] [--seconds S]

For each kind of work (lab, shape, type) N shapes are drawn: tiny ones, primes, multiples of tiles and their
neighbours, long and flat ones; each of them with arrays that begin 0 to 3 elements past an aligned address. --check does
the rest: alpha and beta of 0, 1 and others, NaN where BLAS does not look, poisoned outputs, guard zones on a GPU, races and
stray reads on softgpu. A kernel may refuse a call if it is one that needs special hardware; nothing else may. Prints the
seed, and every call's shapes and what came of it as soon as it has ended; the kinds of work take turns, so that one who has
no time for all (--seconds) has seen some of each, and a sum for each kind says how many. Exit status 1: something was wrong,
or of a kind nothing was seen.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

WARPBOOK = Path(os.environ.get("WARPBOOK_BUILD", "build")).resolve() / "bin/warpbook"
NEAR = (4, 8, 16, 32, 64, 128, 256)
OFFSETS = (0, 1, 2, 3)


def families():
    """{(lab, shape, type): [kernel]} of the set, references left out."""
    listed = json.loads(subprocess.run([WARPBOOK, "labs", "--json"], capture_output=True, text=True, check=True).stdout)
    found = {}
    for kernel in listed["kernels"]:
        for type_ in kernel["types"]:
            if not kernel["reference"]:
                found.setdefault((kernel["lab"], kernel["shape"], type_), []).append(kernel)
    return found


def length(draw, largest):
    """A number from 1 to largest: as likely small as large, often beside a multiple of a tile's side."""
    n = int(largest ** draw.random()) or 1
    if draw.random() < 0.5:
        side = draw.choice(NEAR)
        n = max(1, (n // side or 1) * side + draw.choice((-1, 0, 0, 1)))
    return min(n, int(largest))


def shape(draw, dimensions, work):
    """Sizes whose product is at most `work`, the last of them what is left for it; of a batch its number first."""
    if dimensions == 4:
        batch = draw.randint(1, 12)
        return f"{batch}x{shape(draw, 3, work / batch)}"
    sides, left = [], work
    for i in range(dimensions):
        sides.append(length(draw, left if i == dimensions - 1 else min(left, work**0.5 * 2)))
        left = max(1, left / sides[-1])
    draw.shuffle(sides)
    return "x".join(map(str, sides)) if dimensions > 1 else str(sides[0])


def rounded(size, multiple):
    """The shape with every side up to a multiple; how many of a batch stays."""
    sides = size.split("x")
    batch = sides[:1] if len(sides) == 4 else []
    return "x".join(batch + [str(-(-int(side) // multiple) * multiple) for side in sides[len(batch):]])


def dimensions_of(kernels):
    parameters = kernels[0]["parameters"]
    return 4 if "int batch" in parameters else 3 if "int k" in parameters else 2 if "int rows" in parameters else 1


def check(kernels, type_, sizes, offset, device, end=None):
    """Returns what `compare --check` found, [(status, kernel, size, text)] for each kernel and size, or None if it did not end by `end`."""
    left = end - time.monotonic() if end else 600
    if left < 1:
        return None
    command = [WARPBOOK, "compare", *kernels, "--type", type_, "--sizes", ",".join(sizes), "--offset", str(offset)]
    command += ["--device", device, "--reference", "none", "--check", "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=left, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None if end else [("failed", kernels[0], sizes[0], "not done after 600 s")]
    if not done.stdout:
        return [("failed", kernels[0], sizes[0], done.stderr[-600:])]
    document = json.loads(done.stdout)
    rows = [(k["status"], k["name"], text, k["text"]) for text, s in zip(sizes, document["sizes"]) for k in s["kernels"]]
    if document["error"] or len(document["sizes"]) != len(sizes):
        rows.append(("failed", kernels[0], "", document["error"] or "sizes are missing"))
    return rows


def may_refuse(kernel, status):
    return kernel["needs"] is not None and status in ("refused", "unavailable")


def calls_of(family, kernels, options):
    """Returns a family's checks, [(names, type, sizes, offset)], drawn from the seed alone."""
    _, _, type_ = family
    draw = random.Random(f"{options.seed} {family}")
    runnable = [k["name"] for k in kernels if not (k["needs"] and options.device == "soft" and "9.0" in k["needs"])]
    if not runnable:
        return []
    dimensions = dimensions_of(kernels)
    work = options.work ** (1.5 if dimensions >= 3 else 1)
    rounds = [(offset, 1, len(range(offset, options.shapes, len(OFFSETS)))) for offset in OFFSETS]
    if any(k["needs"] for k in kernels):  # some of these take rows of whole 16 bytes alone
        rounds.append((0, 16 if type_ == "fp8" else 8, options.shapes))
    calls = []
    for offset, multiple, n in rounds:
        sizes = [rounded(shape(draw, dimensions, work), multiple) for _ in range(n)]
        at_once = options.at_once
        calls += [(runnable, type_, sizes[first : first + at_once], offset) for first in range(0, n, at_once)]
    return calls


def in_turn(found, options):
    """All calls, the first of each family, then the second of each, and so on: [(family, call)]."""
    each = [[(family, call) for call in calls_of(family, kernels, options)] for family, kernels in found.items()]
    return [calls[i] for i in range(max(map(len, each), default=0)) for calls in each if i < len(calls)]


class Seen:
    """Collects the results of the calls so far."""

    def __init__(self, found):
        self.known = {k["name"]: k for kernels in found.values() for k in kernels}
        self.total, self.families, self.problems = {}, {}, []

    def add(self, family, call, rows):
        """A call's rows, told at once; None: there was no time for it."""
        _, type_, sizes, offset = call
        counts, problems = {}, []
        of_family = self.families.setdefault(family, {"seen": 0, "left": 0})
        of_family["left" if rows is None else "seen"] += len(sizes)
        for status, name, size, text in rows or []:
            counts[status] = counts.get(status, 0) + 1
            if status != "right" and not may_refuse(self.known[name], status):
                problems.append(f"{name}, {type_}, {size}, {offset} past: {status}: {text}")
        for status, n in counts.items():
            self.total[status] = self.total.get(status, 0) + n
        said = "no time" if rows is None else in_words(counts)
        print(f"{', '.join(family)}, {offset} past: {' '.join(sizes)}: {said}", flush=True)
        for problem in problems:
            print("  " + problem, flush=True)
        self.problems += problems


def in_words(counts):
    return "; ".join(f"{n} {status}" for status, n in sorted(counts.items())) or "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--shapes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--device", default="soft")
    parser.add_argument("--work", type=float, default=1e5, help="elements of a matrix, about")
    parser.add_argument("--only", default="", help="labs or types")
    parser.add_argument("--jobs", type=int, help="processes at a time; softgpu fills the cores by itself: 1 there")
    parser.add_argument("--at-once", type=int, default=25, help="shapes a process")
    parser.add_argument("--seconds", type=float, help="no longer than this")
    options = parser.parse_args()
    jobs = options.jobs or (1 if options.device == "soft" else os.cpu_count() or 1)
    print(f"seed {options.seed}: tests/kernels/sweep.py --seed {options.seed} --shapes {options.shapes} "
          f"--work {options.work:g} --device {options.device}", flush=True)
    only = set(filter(None, options.only.split(",")))
    found = {family: kernels for family, kernels in families().items() if not only or only & set(family)}
    end = time.monotonic() + options.seconds if options.seconds else None
    seen = Seen(found)
    with ThreadPoolExecutor(jobs) as pool:
        under_way = {pool.submit(check, *call, options.device, end): (family, call) for family, call in in_turn(found, options)}
        for done in as_completed(under_way):
            seen.add(*under_way[done], done.result())
    for family, n in seen.families.items():
        print(f"{', '.join(family)}: {n['seen']} shapes" + (f", no time for {n['left']}" if n["left"] else ""))
    print(in_words(seen.total) + f"; {len(seen.problems)} problems")
    for problem in seen.problems[:60]:
        print("  " + problem)
    return 1 if seen.problems or not all(n["seen"] for n in seen.families.values()) or not seen.total.get("right") else 0


if __name__ == "__main__":
    sys.exit(main())
