"""Shapes drawn anew: how a kernel that is to suit every shape fares beside its reference where nobody looked before.

A sweep of lines.json names a kernel, its reference, and how many shapes to draw: sides log-uniform between `from` and `to` (one number,
or one a side), a share of them in multiples of each number of `multiples`, at most `elements` in all. The seed is drawn anew at each run and kept with the results. What comes out is
a distribution: the geometric mean of the ratios, the ratio that 95 of 100 reach, and the worst, each with the shape it belongs to.
Each shape is drawn for itself, so the first of them, where a run ends early, are as fair a sample as all.
"""
import math
import random
import time

AT_ONCE = 20  # shapes a process


def draw(sweep, seed):
    """The shapes of a sweep, as `warpbook compare` wants them: from the seed and the sweep's name alone."""
    chance, found = random.Random(f"{seed} {sweep['name']}"), []
    lows, highs = ([end] * sweep["dimensions"] if isinstance(end, int) else end for end in (sweep["from"], sweep["to"]))
    while len(found) < sweep["shapes"]:
        multiple = sweep["multiples"][len(found) % len(sweep["multiples"])]
        sides = [low * (high / low) ** chance.random() for low, high in zip(lows, highs)]
        sides = [max(multiple, int(side / multiple) * multiple) for side in sides]
        if math.prod(sides) <= sweep.get("elements", math.inf):
            found.append("x".join(str(side) for side in sides))
    return found


def ratios(kept):
    """[(ratio, shape)] of what was measured, the worst first."""
    return sorted((s["reference"] / s["ours"], s["size"]) for s in kept["sizes"] if "ours" in s)


def judged(sweep, kept):
    """[(what, ratio, shape or None, at least or None)]: the three figures a sweep is held to."""
    found = ratios(kept)
    if not found:
        return []
    mean = math.exp(sum(math.log(r) for r, _ in found) / len(found))
    return [("geometric mean", mean, None, sweep.get("mean")),
            ("95 of 100", *found[len(found) // 20], sweep.get("most")),
            ("the worst", *found[0], sweep.get("worst"))]


def measure(sweep, seed, compare, most=math.inf):
    """The sweep's shapes with the times of both, in seconds, again after each AT_ONCE more of them; no more are begun after `most`
    seconds. compare(part, sizes, runs, words) gives compare's document."""
    sizes, start = draw(sweep, seed), time.monotonic()
    kept = {"name": sweep["name"], "seed": seed, "sizes": [], "errors": []}
    part = {"type": sweep["type"], "reference": sweep["reference"]}
    for first in range(0, len(sizes), AT_ONCE):
        if first and time.monotonic() - start > most:
            break
        some = sizes[first : first + AT_ONCE]
        document = compare(part, some, sweep["runs"], [sweep["kernel"]])
        kept["errors"] += [document["error"]] if document["error"] else []
        for name, size in zip(some, document["sizes"]):
            kept["sizes"].append({"size": name, **times(size["kernels"], sweep["kernel"])})
        yield kept


def times(kernels, ours):
    """{"ours": s, "reference": s}, or why there is none of it: {"text": ...}"""
    found = {}
    for row in kernels:
        key = "ours" if row["name"] == ours else "reference"
        if row["status"] != "timed":
            return {"text": f"{row['name']}: {row['status']}: {row['text']}"}
        found[key] = float(f"{row['time']['median']:.6g}")
    return found if len(found) == 2 else {"text": "nothing to compare with"}
