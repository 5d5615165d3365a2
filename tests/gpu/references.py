#!/usr/bin/env python3
"""The times that libraries and copies took on a GPU, from tests/gpu/results, as data for the model:

    tests/gpu/references.py [RESULTS.json] > runtime/model/references/h200.json (or h100.json, ...)

A size measured twice has the lesser time. Sizes of a copy are the bytes that it reads."""

import json
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "tests/gpu/results/NVIDIA-H200_2026-11-24.json"
BYTES = {"float": 4, "double": 8}
# what the sweeps of shapes had beside them
SWEEPS = {"gemm-shapes": ("cublas.sgemm", "float"), "tensor-shapes": ("cublas.gemm_bf16", "bf16"),
          "tf32-shapes": ("cublas.gemm_tf32", "tf32"), "double-shapes": ("cublas.dgemm_rows", "double"),
          "transpose-shapes": ("cublas.sgeam", "float"),
          "sum-shapes": ("cub.reduce", "float"), "maximum-shapes": ("cub.maximum", "float")}


def rows(results):
    """(name, type, sizes, seconds) of everything that is no kernel of the set."""
    for part in results["parts"]:
        for at in part["sizes"]:
            sizes = tuple(at[k] for k in ("m", "n", "k") if k in at)
            for row in at["rows"]:
                if row["status"] != "timed" or row["name"].split(".")[0] not in ("cublas", "cub", "cuda"):
                    continue
                copied = row["name"] == "cuda.memcpy"
                elements = sizes[0] * sizes[1] if copied else 0
                yield row["name"], part["type"], (elements * BYTES[part["type"]],) if copied else sizes, row["median"]
    for sweep in results["sweeps"]:
        for at in sweep["sizes"]:
            yield *SWEEPS[sweep["name"]], tuple(map(int, at["size"].split("x"))), at["reference"]


def wrapped(words):
    return textwrap.fill(", ".join(words), 116, subsequent_indent="    ", break_long_words=False)


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS
    results = json.loads(path.read_text())
    found = {}
    for name, type_, sizes, seconds in rows(results):
        times = found.setdefault((name, type_), {})
        times[sizes] = min(seconds, times.get(sizes, seconds))
    lines = []
    for (name, type_), times in sorted(found.items()):
        sizes = ["bytes"] if name == "cuda.memcpy" else [["n"], ["m", "n"], ["m", "n", "k"]][len(next(iter(times))) - 1]
        lines.append('  {"name": "%s", "type": "%s", "sizes": %s, "times": [\n    %s]}' % (
            name, type_, json.dumps(sizes), wrapped(json.dumps([*at, seconds], separators=(",", ":")) for at, seconds in sorted(times.items()))))
    print('{\n "title": %s,\n "source": %s,\n "references": [\n%s\n ]\n}' % (
        json.dumps(results["device"]["name"]),
        json.dumps(f"measured by us on {results['date']} (tests/gpu/results/{path.name}), medians of events around each call"),
        ",\n".join(lines)))


if __name__ == "__main__":
    main()
