#!/usr/bin/env python3
"""From measurements to words: `make bench-gpu-report`.

    tests/gpu/report.py [--results FILE] [--plan FILE] [--print] [--check]

Takes the newest file of tests/gpu/results/ and the lines of tests/gpu/lines.json; writes the block of BENCHMARKS.md between its
markers, results/ladder.svg and results/roofline.svg. --print only prints the table. --check writes nothing, and its exit
status is 1 when one of the three is not what the file gives.
"""
import argparse
import fnmatch
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import charts
import shapes

ROOT = HERE.parents[1]
BEGIN = "<!-- bench-gpu: begin (`make bench-gpu` writes what stands between these lines) -->"
END = "<!-- bench-gpu: end -->"
LEAST_RUNS = 30  # of what a line is about
NAMES = {"cublas": "cuBLAS", "cub": "CUB", "cuda.memcpy": "copy", "cublas.sgeam": "cublasSgeam"}


def newest(devices, folder=HERE / "results", of=None):
    """The newest results of one of these GPUs, as their files are called, that hold some `of`: "parts", "sweeps"; None where there are none."""
    named = [device.replace(" ", "-") for device in devices]
    files = [p for p in folder.glob("*_*.json") if p.stem.rsplit("_", 1)[0] in named and (of is None or json.loads(p.read_text()).get(of))]
    files.sort(key=lambda p: (p.stem.rsplit("_", 1)[1], p.stem))
    return files[-1] if files else None


def spoken(name):
    return NAMES.get(name) or NAMES.get(name.split(".")[0], name)


# ---- the lines -------------------------------------------------------------------------------------------


def find(results, part, size=None):
    """A part, or one of its sizes; None when it was not measured."""
    found = next((p for p in results["parts"] if p["name"] == part), None)
    return next((s for s in found["sizes"] if s["size"] == size), None) if found and size else found


def timed(size):
    return [r for r in size["rows"] if r["status"] == "timed"] if size else []


def best(size, only="*"):
    rows = [r for r in timed(size) if not r["name"].startswith(charts.OTHERS)]
    rows = [r for r in rows if r["runs"] >= LEAST_RUNS and fnmatch.fnmatch(r["name"], only)]
    return max(rows, key=lambda r: r["rate"], default=None)


def rival(results, plan, line, size):
    """(name, rate) of what the line measures against at this size, or None."""
    if "against_memory" in line:
        machine = plan["machines"].get(results["device"]["name"])
        return machine and ("the memory's peak", machine["memory_gbs"])
    if "against_part" in line:
        # The fastest that so many bytes were read, by a sum or by any kernel of the part itself.
        part, sums = find(results, line["part"]), timed(find(results, line["against_part"], line["against_size"]))
        rows = sums + [r for s in part["sizes"] for r in timed(s)]
        return (line["against_name"], max(r["rate"] for r in rows)) if sums else None
    for row in timed(size):
        if row["name"] == line["against"] or (line["against"] == "reference" and row.get("reference")):
            return spoken(row["name"]), row["rate"]
    return None


def verdicts(results, plan):
    """One for each line and size that was measured; holds is None where a line only asks for the figures."""
    for line in plan["lines"]:
        part = find(results, line["part"])
        for size in part["sizes"] if part else []:
            if size["size"] not in line.get("sizes", [size["size"]]):
                continue
            ours, other = best(size, line.get("only", "*")), rival(results, plan, line, size)
            if ours and other:
                ratio = ours["rate"] / other[1]
                yield {"line": line["line"], "title": line.get("title", part["title"]), "size": size["size"], "ours": ours["name"],
                       "rate": ours["rate"], "unit": ours["unit"], "error": ours.get("error"), "rival": other[0],
                       "rival_rate": other[1], "ratio": ratio, "at_least": line.get("at_least"),
                       "holds": None if "at_least" not in line else ratio >= line["at_least"]}


def swept(results, plan):
    """One for each figure of each sweep that was measured, as verdicts() has them; no rate, for shapes differ."""
    for kept in results.get("sweeps", []):
        sweep = next(s for s in plan["sweeps"] if s["name"] == kept["name"])
        for what, ratio, shape, at_least in shapes.judged(sweep, kept):
            yield {"title": f"{sweep['title']}, {len(shapes.ratios(kept))} random shapes, seed {kept['seed']}", "what": what, "shape": shape,
                   "ours": sweep["kernel"], "rival": spoken(sweep["reference"]),
                   "ratio": ratio, "at_least": at_least, "holds": None if at_least is None else ratio >= at_least}


# ---- words -----------------------------------------------------------------------------------------------


WORDS = {True: "holds", False: "misses", None: ""}


def least(verdict):
    return "–" if verdict["at_least"] is None else f"{verdict['at_least']:.2f}"


def from_to(values, unit):
    low, _, high = values
    return f"{low:.0f} {unit}" if round(low) == round(high) else f"{low:.0f} to {high:.0f} {unit}"


def conditions(results):
    """The machine and how it fared, in a sentence."""
    seen = [p["clocks"] for p in results["parts"] if p["clocks"]]
    text = f"On one {results['device']['name']} (driver {results['driver'] or 'unknown'}"
    text += f", CUDA {results['cuda']}" if results.get("cuda") else ""
    text += f"; {results['date']}"
    if seen:
        merged = {n: [min(c[n][0] for c in seen), 0, max(c[n][2] for c in seen)] for n in seen[0] if n != "held_down_by"}
        held = sorted({reason for c in seen for reason in c["held_down_by"]})
        text += f"; SM clock {from_to(merged['sm_mhz'], 'MHz')}, memory {from_to(merged['memory_mhz'], 'MHz')}, "
        text += f"{from_to(merged['power_w'], 'W')}, "
        text += from_to(merged["temperature_c"], "°C") + (f"; held down by {', '.join(held)}" if held else "")
    return text + ")"


def apart(results):
    """Which parts were measured in a run of their own, in a sentence; it may have been another card of the kind."""
    first = max({p["measured"] for p in results["parts"]}, key=lambda when: sum(p["measured"] == when for p in results["parts"]))
    titles = [p["title"] for p in results["parts"] if p["measured"] != first]
    return f" {'; '.join(titles)}: measured in another run, perhaps on another card of the kind." if titles else ""


def block(results, plan):
    rows = list(verdicts(results, plan))
    runs = [r["runs"] for p in results["parts"] for s in p["sizes"] for r in timed(s)]
    out = [BEGIN, conditions(results) + "." + apart(results) + " Medians with a cold L2 and correct results, all kernels of a row interleaved, "
           f"{sum(r >= LEAST_RUNS for r in runs)} of {len(runs)} of them {LEAST_RUNS} to {max(runs)} times, the slowest rungs at least {min(runs)}:", "",
           "| work | size | the set | beside | ratio | at least | |", "| --- | --- | --- | --- | --- | --- | --- |"]
    before = None
    for v in rows:
        title = v["title"] if v["title"] != before else ""
        before = v["title"]
        error = f"; error up to {v['error']:.1e} Σ\\|ab\\|" if v["error"] else ""
        out.append(f"| {title} | {v['size']} | {charts.figure(v['rate'])} {v['unit']}, `{v['ours'].split('.', 1)[1]}`{error} | "
                   f"{v['rival']} {charts.figure(v['rival_rate'])} | {v['ratio']:.3f} | {least(v)} | {WORDS[v['holds']]} |")
    figures, before = list(swept(results, plan)), None
    for v in figures:
        title = v["title"] if v["title"] != before else ""
        before = v["title"]
        out.append(f"| {title} | {v['what']}{': ' + v['shape'] if v['shape'] else ''} | `{v['ours'].split('.', 1)[1]}` | {v['rival']} | "
                   f"{v['ratio']:.3f} | {least(v)} | {WORDS[v['holds']]} |")
    judged = [v["holds"] for v in rows + figures if v["holds"] is not None]
    out += ["", f"{sum(judged)} of {len(judged)} lines hold. `make bench-gpu` measures all this on your GPU; the figures and quartiles of every "
            "rung are in [tests/gpu/results/](tests/gpu/results).", "",
            "![Every rung of the ladder beside its reference](tests/gpu/results/ladder.svg)"]
    if results["device"]["name"] in plan["machines"]:
        out += ["", "![The kernels under the roofs of the machine](tests/gpu/results/roofline.svg)"]
    return "\n".join([*out, END])


def console(results, plan):
    out = [conditions(results) + "." + apart(results), ""]
    for v in verdicts(results, plan):
        out.append(f"  {WORDS[v['holds']]:<6} {v['line']}  {v['title']:<22} {v['size']:<16} {v['ours']:<28} "
                   f"{charts.figure(v['rate']):>7} {v['unit']:<8} {v['rival']:<16} {charts.figure(v['rival_rate']):>7}  "
                   f"{v['ratio']:.3f} of {least(v)}" + (f"  error up to {v['error']:.1e}" if v["error"] else ""))
    for v in swept(results, plan):
        out.append(f"  {WORDS[v['holds']]:<6} {v['title']}: {v['what']} {v['ratio']:.3f} of {least(v)}" + (f" at {v['shape']}" if v["shape"] else ""))
    return "\n".join(out)


# ---- pictures --------------------------------------------------------------------------------------------

SHOWN = [("gemm", "4096"), ("tensor", "8192"), ("tf32", "8192"), ("transpose", "8192"), ("reduce", "2^30"), ("sums", "8192")]
WIDTHS = {"float": 4, "double": 8, "bf16": 2, "tf32": 4, "fp16": 2}


def panels(results):
    for part, size in SHOWN:
        rows = timed(find(results, part, size))
        if rows:
            yield {"title": f"{find(results, part)['title']}, {size}", "rows": rows}


def intensity_of(part, size):
    """Operations for each byte that must move: 2mnk over three matrices; an addition an element that is read."""
    width = WIDTHS[part["type"]]
    if "k" in size:
        m, n, k = size["m"], size["n"], size["k"]
        return 2 * m * n * k / (width * (m * k + k * n + m * n))
    return 1 / width


def points(results):
    for name, size in [("reduce", "2^30"), ("gemm", "512"), ("gemm", "4096"), ("tensor", "8192"), ("tf32", "8192")]:
        part, found = find(results, name), find(results, name, size)
        intensity = found and intensity_of(part, found)
        for row in timed(found):
            per = 1e-3 * intensity if row["unit"] == "GB/s" else 1
            if name == "gemm" and size == "4096" or row.get("reference") or row is best(found):
                yield {"name": row["name"] if size != "512" else f"{row['name']} (512)", "intensity": intensity,
                       "tflops": row["rate"] * per, "reference": row.get("reference")}


def pictures(results, plan):
    """{file name: SVG}"""
    name = results["device"]["name"]
    machine = plan["machines"].get(name)
    made = {"ladder.svg": charts.ladder(list(panels(results)), "The ladder, rung by rung",
                                        f"{name}, {results['date']} · medians, cold L2 · orange: what the set is measured against")}
    if machine:
        made["roofline.svg"] = charts.roofline(machine, list(points(results)), "Under the roofs",
                                               f"{name}, {results['date']} · squares: references · nominal roofs")
    return made


def with_block(page, text):
    before, rest = page.split(BEGIN)
    return before + text + rest.split(END)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--plan", type=Path, default=HERE / "lines.json")
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    plan = json.loads(options.plan.read_text())
    path = options.results or newest(plan["machines"])
    if not path:
        sys.exit("bench-gpu-report: tests/gpu/results/ holds no results: run `make bench-gpu` on a machine with a GPU")
    results = json.loads(path.read_text())
    tables = ROOT / "BENCHMARKS.md"
    wanted = {tables: with_block(tables.read_text(), block(results, plan))}
    wanted.update({HERE / "results" / name: svg for name, svg in pictures(results, plan).items()})
    if options.check:
        stale = [str(p.relative_to(ROOT)) for p, text in wanted.items() if not p.exists() or p.read_text() != text]
        if stale:
            sys.exit(f"{', '.join(stale)}: not what {path.name} gives; run `make bench-gpu-report`")
        return
    print(console(results, plan))
    if not options.only_print:
        for file, text in wanted.items():
            file.write_text(text)


if __name__ == "__main__":
    main()
