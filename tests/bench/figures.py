"""Shared by the benchmarks: the JSON they write, the lines they must reach, and the part of BENCHMARKS.md that is
made from both.

A benchmark's file in build/bench/ is {"title", "rows": [{...}], "lines": [{"what", "value", "limit"}]}: a line is
reached when its value is at most its limit. machine.json says where and when, and how busy the machine was.
"""

import argparse
import json
import os
import platform
import re
import sys
from datetime import date
from pathlib import Path

BEGIN = "<!-- bench: begin (`make bench WRITE=1` writes what stands between these lines) -->"
END = "<!-- bench: end -->"


def options(doc):
    """A parser for the one option every benchmark takes; it may add more."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    return parser


def line(what, value, limit):
    return {"what": what, "value": value, "limit": limit}


def reached(a_line):
    return a_line["value"] <= a_line["limit"]


def finish(file, title, rows, lines):
    """Says which lines are reached, writes the file and ends: with status 1 when one is missed."""
    print()
    for x in lines:
        print(f"  {'reached' if reached(x) else 'MISSED':8} {x['what']}: {x['value']:.3g} (at most {x['limit']:.3g})")
    if file:
        Path(file).write_text(json.dumps({"title": title, "rows": rows, "lines": lines}, indent=1) + "\n")
    sys.exit(not all(map(reached, lines)))


def machine():
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {"cpu": cpu[1] if cpu else platform.machine(), "cores": os.cpu_count(),
            "date": date.today().isoformat(), "load": os.getloadavg()[0]}


# ---- the tables -------------------------------------------------------------------------------------


def table(head, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])


def ms(value):
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms" if value >= 1 else f"{value:.3f} ms"


def kernel_table(rows):
    return table(["kernel process", "start to first answer", "kernel_info", "empty execute", "the same beside two busy processes",
                  "a cell through nbclient", "resident"],
                 [[r["kernel"], ms(r["start_ms"]), ms(r["kernel_info_ms"]), ms(r["execute_ms"]),
                   f"{ms(r['kernel_info_busy_ms'])}, {ms(r['execute_busy_ms'])}", ms(r["cells_ms"]),
                   f"{r['resident_mb']:.1f} MB"] for r in rows])


def output_words(rows):
    r = rows[0]
    lost = "loses no byte" if r["intact"] and r["bytes_lost"] == 0 else f"LOSES {r['bytes_lost']} BYTES"
    return (f"A cell that prints {r['printed_mb']:.0f} MB takes {r['seconds']:.2f} s and {lost}; an endless one stops "
            f"{ms(r['interrupt_ms'])} after an interrupt (the slowest of {r['interrupts']}: "
            f"{ms(r['slowest_interrupt_ms'])}) and keeps its variables. The same cell run again, from the cache: "
            f"{ms(r['again_ms'])}, compiled for the first time {ms(r['first_ms'])}.")


def softgpu_table(rows):
    return table(["softgpu, one core", "softgpu", "a loop in C, -O2, scalar", "ratio"],
                 [[r["kernel"], ms(r["ms"]), ms(r["c_ms"]), f"{r['of_c']:.2f}"] for r in rows])


def grade_table(rows):
    return table(["grading a best solution on softgpu", "score", "graded in", "nvcc alone", "ratio"],
                 [[r["lab"], f"{r['score']:g} of {r['max_score']:g}", f"{r['grade_s']:.2f} s", f"{r['nvcc_s']:.2f} s",
                   f"{r['ratio']:.2f}"] for r in rows])


def lines_table(lines):
    return table(["line to reach", "measured", "at most", ""],
                 [[x["what"], f"{x['value']:.3g}", f"{x['limit']:.3g}", "holds" if reached(x) else "**misses**"]
                  for x in lines])


def section(folder):
    """Returns the text between the markers, made from the figures in build/bench/."""
    missing = [n for n in ("machine", "kernel", "output", "softgpu", "grade") if not (folder / f"{n}.json").exists()]
    if missing:
        sys.exit(f"the tables need all figures; not measured yet: {' '.join(missing)} (make bench)")
    read = {p.stem: json.loads(p.read_text()) for p in folder.glob("*.json")}
    m = read["machine"]
    lines = [x for n in ("kernel", "output", "softgpu", "grade") for x in read[n]["lines"]]
    held = sum(map(reached, lines))
    return "\n\n".join([
        f"{m['cores']} cores ({m['cpu']}), warm medians (means beside busy processes), {m['date']}; other work on the machine at the beginning: load "
        f"{m['load']:.1f}. What stands beside each other is measured in turn. A round trip is timed by a client in C over "
        "libzmq, from signed frames to the reply.",
        kernel_table(read["kernel"]["rows"]), output_words(read["output"]["rows"]),
        softgpu_table(read["softgpu"]["rows"]), grade_table(read["grade"]["rows"]),
        f"{held} of {len(lines)} lines hold:", lines_table(lines)])


def write_tables(file, folder):
    """Puts the section between the file's markers."""
    text = file.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"{file} lacks the lines {BEGIN} and {END}")
    head, rest = text.split(BEGIN)
    file.write_text(f"{head}{BEGIN}\n{section(folder)}\n{END}{rest.split(END)[1]}")
