"""The model's times of the programs of tests/model/programs, which took no part in its fit, beside those that a GPU took."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import programs

FIGURES = Path(__file__).parent / "results/programs"
LIMIT_S = 600


def newest(device):
    """Reads what programs.py measured on a GPU of this name, one document a seed. Keeps each program's newest day."""
    kept = [json.loads(path.read_text()) for path in sorted(FIGURES.glob("*.json"))]
    kept, days = [d for d in kept if d["device"] == device], {}
    for d in kept:
        for case in d["cases"]:
            days[case["program"]] = max(d["date"], days.get(case["program"], ""))
    found = [{**d, "cases": [c for c in d["cases"] if days[c["program"]] == d["date"]]} for d in kept]
    return [d for d in found if d["cases"]]


def build_programs(folder):
    """{name: program} with PTX of 9.0; those whose source is older stay as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    header = (programs.SOURCES / "timed.h").stat().st_mtime
    for source in programs.SOURCES.glob("*.cu"):
        made = folder / source.stem
        if made.exists() and made.stat().st_mtime < max(header, source.stat().st_mtime):
            made.unlink()
    stale = [s for s in sorted(programs.SOURCES.glob("*.cu")) if not (folder / s.stem).exists()]
    with ThreadPoolExecutor(2) as pool:
        for _, wrong in pool.map(lambda s: programs.build(s, folder, "compute_90"), stale):
            if wrong:
                raise SystemExit(wrong)
    return {s.stem: folder / s.stem for s in programs.SOURCES.glob("*.cu")}


def launches(warpbook, gpu, program, case, drawn=None, seed=1):
    """The launches of a case as softgpu's report has them, and what is wrong: a result, or the program's end."""
    words = ["--drawn", ",".join(map(str, drawn.values()))] if drawn else ["--seed", str(seed)]
    try:
        done = subprocess.run([warpbook, "exec", "--json", "--model", gpu, "--", program, "--once", *words, case],
                              capture_output=True, text=True, timeout=LIMIT_S)
        report = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return [], f"softgpu was not done after {LIMIT_S} s"
    except ValueError:
        return [], done.stderr.strip().splitlines()[-1][:200] if done.stderr.strip() else f"exit status {done.returncode}"
    said = [row["error"] for row in programs.lines(done.stderr) if "error" in row]
    return report["launches"], said[0] if said else None


def pairs(warpbook, device, gpu, folder, only=""):
    """(case, measured seconds, launches, what is wrong) of each case that the GPU timed; two run at once."""
    cases = [c for d in newest(device) for c in d["cases"] if "seconds" in c and "error" not in c and only in f"programs {c['case']}"]
    made = build_programs(folder) if cases else {}
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(lambda c: (c["case"], c["seconds"], *launches(warpbook, gpu, made[c["program"]], c["case"], c["drawn"])), cases)
