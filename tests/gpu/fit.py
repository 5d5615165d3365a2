#!/usr/bin/env python3
"""The model's fitted constants fitted anew, with all ladders and without each: `make bench-model-fit`.

A ladder's error when it took no part in the fit says what the constants are worth elsewhere. softgpu runs each kernel once and keeps
what its time follows from; tests/model/fit.c tells the times under other constants.

    tests/gpu/fit.py [--gpu h200] [--kept FILE] [--seed N]

--kept: what the launches did, read from there if it exists, else written there.
"""

import argparse
import json
import math
import random
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import model

FITTED = ("norm", "block_clocks", "warp_clocks", "request_clocks", "dirty_share", "launch_s")
NEXT_LAUNCH_S = 1.5e-6
STARTS, STEPS = 4, 700
# The least and the greatest value of each constant. Combined limits lie between their sum and nearly the greatest alone. L1 looks up one request a
# clock at best, and handed out 104 of 128 bytes a clock (tests/gpu/results/micro).
BOUNDS = {"norm": (1, 16), "request_clocks": (1, 128 / 104), "dirty_share": (0, 1)}


# ---- what the launches did -------------------------------------------------------------------------------


def row_of(path, launch_s, part, name, size, measured):
    """Part, kernel, size, measured seconds, and a line of figures for each launch of a call; None without a modelled time."""
    with tempfile.NamedTemporaryFile("r") as lines:
        calls = model.launches(path, part, name, size, {"WARPBOOK_SOFTGPU_TRAITS": lines.name})
        launches = lines.read().splitlines()
    if not calls or "seconds" not in calls[0]["model"]:
        return None
    told = sum(float(line.split()[0]) for line in launches) - (len(launches) - 1) * (launch_s - NEXT_LAUNCH_S)
    assert math.isclose(told, calls[0]["model"]["seconds"], rel_tol=1e-6), f"{name} at {size}: launches are missing"
    return [part["name"], name, size, measured, launches]


def collect(path, device, launch_s):
    with ThreadPoolExecutor(2) as pool:
        rows = pool.map(lambda pair: row_of(path, launch_s, *pair), model.pairs(device, ""))
        return [row for row in rows if row]


class Times:
    """The modelled seconds of each row under given constants."""

    def __init__(self, path, rows):
        self.rows = rows
        self.file = tempfile.NamedTemporaryFile("w")
        self.file.write("".join(line + "\n" for row in rows for line in row[4]))
        self.file.flush()
        self.program = subprocess.Popen([model.BUILD / "tests/model/model_fit", path, self.file.name],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.stands = self.answer()

    def answer(self):
        return [float(word) for word in self.program.stdout.readline().split()]

    def of(self, constants):
        print(*(repr(c) for c in constants), file=self.program.stdin, flush=True)
        seconds = iter(self.answer())
        later = constants[-1] - NEXT_LAUNCH_S
        return [sum(next(seconds) for _ in row[4]) - (len(row[4]) - 1) * later for row in self.rows]


# ---- the fit ---------------------------------------------------------------------------------------------


def least(function, start, step):
    """Finds the minimum of a function of several numbers with Nelder and Mead's simplex."""
    corners = [start] + [[x + step * (k == i) for k, x in enumerate(start)] for i in range(len(start))]
    corners = sorted((function(c), c) for c in corners)
    for _ in range(STEPS):
        worst, rest = corners[-1], corners[:-1]
        middle = [statistics.fmean(xs) for xs in zip(*(c for _, c in rest))]

        def at(far):
            point = [m + far * (m - w) for m, w in zip(middle, worst[1])]
            return function(point), point

        new = at(1)
        if new < corners[0]:
            new = min(new, at(2))
        elif new > rest[-1]:
            new = min(at(0.5), at(-0.5))
        if new < worst:
            corners = sorted(rest + [new])
            continue
        best = corners[0][1]
        corners = sorted([corners[0]] + [(function(p), p) for p in ([(x + b) / 2 for x, b in zip(c, best)] for _, c in corners[1:])])
    return corners[0]


def possible(constants):
    """The nearest ones that are possible."""
    return [min(max(c, BOUNDS[name][0]), BOUNDS[name][1]) if name in BOUNDS else c for name, c in zip(FITTED, constants)]


def fit(times, rows, start, seed):
    """The constants with the least mean error of these rows: the best of several searches."""
    chosen = [times.rows.index(row) for row in rows]

    def wrong(logs):
        seconds = times.of(possible([math.exp(x) for x in logs]))
        return statistics.fmean(abs(math.log(seconds[k] / times.rows[k][3])) for k in chosen)

    draw = random.Random(seed)
    logs = [math.log(c) for c in start]
    found = [least(wrong, logs, 0.3)]
    for _ in range(STARTS - 1):
        found.append(least(wrong, [x + draw.uniform(-0.5, 0.5) for x in logs], 0.3))
    found.append(least(wrong, min(found)[1], 0.1))
    return possible([math.exp(x) for x in min(found)[1]])


# ---- in words --------------------------------------------------------------------------------------------


def summed(rows, seconds):
    """Median and nine of ten, in percent, and the worst factor."""
    wrong = sorted(abs(math.log(s / row[3])) for row, s in zip(rows, seconds))
    percent = [100 * math.expm1(x) for x in (statistics.median(wrong), wrong[math.ceil(0.9 * len(wrong)) - 1])]
    return f"{percent[0]:.1f}", f"{percent[1]:.0f}", f"{math.exp(wrong[-1]):.2f}"


def errors(times, rows, constants):
    seconds = dict(zip(map(id, times.rows), times.of(constants)))
    return summed(rows, [seconds[id(row)] for row in rows])


def shown(constants):
    return ", ".join(f"{c:.3g}" for c in constants)


def say(name, n, three, constants):
    """A row: each of median, nine of ten and worst as it stands, fitted with all, fitted without it."""
    print(f"| {name} | {n} | " + " | ".join("; ".join(each) for each in zip(*three)) + f" | {shown(constants)} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="h200", help="one that was measured")
    parser.add_argument("--kept", type=Path, help="what the launches did")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of where the searches begin")
    args = parser.parse_args()
    path = model.ROOT / f"runtime/model/gpus/{args.gpu}.json"
    gpu = json.loads(path.read_text())
    if args.kept and args.kept.exists():
        rows = json.loads(args.kept.read_text())
    else:
        rows = collect(path, gpu["device_name"], gpu["figures"]["launch_s"]["value"])
        if args.kept:
            args.kept.write_text(json.dumps(rows))
    print(f"seed {args.seed}")
    times = Times(path, rows)
    apart = [0] * len(rows)  # the seconds of each when its ladder took no part
    ladders = list(dict.fromkeys(row[0] for row in rows))
    fitted = fit(times, rows, times.stands, args.seed)
    print(f"as they stand: {shown(times.stands)}\nfitted with all: {shown(fitted)}")
    print("| ladder | pairs | median error, %: as it stands; all took part; this one did not | nine of ten within, % | worst factor | "
          + ", ".join(FITTED) + ": without it |\n" + "| --- " * 6 + "|")
    for ladder in ladders:
        inside = [row for row in rows if row[0] == ladder]
        without = fit(times, [row for row in rows if row[0] != ladder], times.stands, args.seed)
        say(ladder, len(inside), [errors(times, inside, c) for c in (times.stands, fitted, without)], without)
        for k, row in enumerate(times.of(without)):
            apart[k] = row if rows[k][0] == ladder else apart[k]
    say("all", len(rows), [errors(times, rows, c) for c in (times.stands, fitted)] + [summed(rows, apart)], fitted)


if __name__ == "__main__":
    main()
