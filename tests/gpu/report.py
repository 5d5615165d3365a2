#!/usr/bin/env python3
"""Reads what tests/gpu/run.sh left (JSON lines of warpbook-compare), writes OUT/results.json and
OUT/tables.txt, prints short tables. Exit status 1 when a kernel was wrong or missing."""
import json
import random
import statistics
import sys
from pathlib import Path


def read(path):
    """A list of sizes, each with its kernels, from one run's events."""
    device, sizes, problems = {}, [], []
    for line in path.read_text().splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            problems.append(f"{path.name}: not an event: {line[:200]}")
            continue
        kind = event["event"]
        if kind == "device":
            device = event
        elif kind == "size":
            sizes.append({**event, "kernels": []})
        elif kind == "kernel":
            sizes[event["size"]]["kernels"].append({**event, "checks": 0})
            if event["problem"]:
                problems.append(f"{path.name}: {event['name']}: {event['problem']}")
        elif kind == "check":
            kernel = sizes[event["size"]]["kernels"][event["kernel"]]
            kernel["checks"] += 1
            if not event["ok"]:
                problems.append(f"{path.name}: {kernel['name']} at {sizes[event['size']]['text']} "
                                f"({event['mode']}, alpha {event['alpha']}, beta {event['beta']}): "
                                f"{event['text']}")
        elif kind == "result":
            kernel = sizes[event["size"]]["kernels"][event["kernel"]]
            kernel["times"], kernel["sm_hz"] = event["times"], event["sm_hz"]
        elif kind in ("error", "skip"):
            problems.append(f"{path.name}: {event['text']}")
    if not device:
        problems.append(f"{path.name}: no device answered")
    return device, sizes, problems


def speedup(times, reference):
    """median(reference) / median(times) and its 95 % interval, rounds resampled whole."""
    draw = random.Random(1)
    n = min(len(times), len(reference))
    ratios = []
    for _ in range(500):
        picks = [draw.randrange(n) for _ in range(n)]
        ratios.append(statistics.median(reference[i] for i in picks) /
                      statistics.median(times[i] for i in picks))
    ratios.sort()
    return statistics.median(reference) / statistics.median(times), ratios[12], ratios[487]


def summarise(device, size):
    reference = next((k for k in size["kernels"] if k["reference"] and k.get("times")), None)
    reference_times = reference and reference["times"]
    for kernel in size["kernels"]:
        times = kernel.get("times")
        if not times:
            continue
        quartiles = statistics.quantiles(times, n=4) if len(times) > 1 else [times[0]] * 3
        kernel["median"], kernel["q1"], kernel["q3"] = statistics.median(times), quartiles[0], quartiles[2]
        work = kernel["flops"] / 1e12 if size["flops"] else kernel["bytes"] / 1e9
        kernel["rate"] = work / kernel["median"]
        kernel["unit"] = "TFLOP/s" if size["flops"] else "GB/s"
        if reference and kernel is not reference:
            kernel["speedup"] = speedup(times, reference_times)
        kernel["runs"] = len(times)
        del kernel["times"]


def table(name, size):
    yield f"{name}, {size['type']}, {size['text']}"
    for kernel in size["kernels"]:
        if "rate" not in kernel:
            yield f"  {kernel['name']:<30} not timed"
            continue
        ratio = "reference" if kernel["reference"] else ""
        if "speedup" in kernel:
            ratio = "{:.3f}x  ({:.3f} to {:.3f})".format(*kernel["speedup"])
        coalescing = f"  合并度 {100 * kernel['efficiency']:.1f} % (theory)" if kernel["efficiency"] else ""
        yield (f"  {kernel['name']:<30} {kernel['median'] * 1e6:>12,.1f} us  {kernel['rate']:>9,.1f} "
               f"{kernel['unit']}  n={kernel['runs']:<4} {ratio}{coalescing}")


def main(out):
    results, problems, checks, lines = {}, [], 0, []
    device = {}
    for path in sorted(out.glob("*.jsonl")):
        found, sizes, bad = read(path)
        device = device or found
        problems += bad
        checks += sum(k["checks"] for s in sizes for k in s["kernels"])
        if path.name.startswith("time-"):
            name = path.stem[len("time-"):]
            for size in sizes:
                summarise(found, size)
                lines += table(name, size)
            results[name] = sizes
    head = [f"device: {device.get('name')}, {device.get('multiprocessors')} multiprocessors, "
            f"L2 {device.get('l2_bytes', 0) / 2**20:.0f} MiB, memory "
            f"{device.get('memory_bytes_per_s', 0) / 1e9:,.0f} GB/s"]
    tail = [f"checks: {checks} run, {len(problems)} problems"] + ["  " + p for p in problems[:40]]
    text = "\n".join(head + lines + tail) + "\n"
    (out / "tables.txt").write_text(text)
    (out / "results.json").write_text(json.dumps(
        {"device": device, "times": results, "checks": checks, "problems": problems}, indent=1))
    print(text, end="")
    return 1 if problems or not checks else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
