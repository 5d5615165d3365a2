"""`make bench-gpu` as far as a machine without a GPU can see it: BENCHMARKS.md says what the committed figures say, a line
holds or misses as its figures do, and the measuring itself runs (on softgpu, with a small plan)."""
import json
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

GPU = Path(__file__).resolve().parents[1] / "gpu"
sys.path.insert(0, str(GPU))
import report
import shapes


def run(*command):
    return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, timeout=600)


def test_the_tables_and_pictures_are_what_the_newest_figures_give():
    done = run(GPU / "report.py", "--check")
    assert done.returncode == 0, done.stderr


def row(name, rate, unit="TFLOP/s", status="timed", **more):
    return {"name": name, "status": status, "rate": rate, "unit": unit, "runs": 31, **more}


def results_of(*rows, part="gemm", size="64", type_="float"):
    numbers = {"m": 64, "n": 64, "k": 64}
    return {"date": "2030-01-02", "driver": "1", "device": {"name": "A GPU"}, "parts": [
        {"name": part, "title": "products", "type": type_, "clocks": None, "errors": [],
         "sizes": [{"size": size, **numbers, "rows": list(rows)}]}]}


LINE = {"line": 1, "part": "gemm", "against": "cublas.sgemm", "at_least": 1.0}
CUBLAS = row("cublas.sgemm", 50.0, reference=True)


@pytest.mark.parametrize("line,rows,holds,ours", [
    ({}, [row("gemm.a", 20.0), row("gemm.b", 50.1)], True, "gemm.b"),
    ({}, [row("gemm.a", 49.9), row("gemm.b", 20.0)], False, "gemm.a"),
    ({}, [row("gemm.a", 20.0), row("gemm.b", 99.0, status="wrong")], False, "gemm.a"),
    ({}, [row("gemm.a", 20.0), row("cuda.memcpy", 99.0)], False, "gemm.a"),
    ({}, [row("gemm.a", 20.0), {**row("gemm.b", 99.0), "runs": 29}], False, "gemm.a"),
    ({"only": "*_a"}, [row("gemm.x_a", 60.0), row("gemm.b", 99.0)], True, "gemm.x_a"),
    ({"at_least": 1.08}, [row("gemm.a", 53.9)], False, "gemm.a"),
    ({"against": "reference"}, [row("gemm.a", 53.9)], True, "gemm.a"),
    ({"against_memory": True}, [row("gemm.a", 53.9)], False, "gemm.a")])
def test_a_line_holds_as_its_figures_do(line, rows, holds, ours):
    (verdict,) = report.verdicts(results_of(*rows, CUBLAS), {"lines": [{**LINE, **line}], "machines": {"A GPU": {"memory_gbs": 60}}})
    assert (verdict["holds"], verdict["ours"]) == (holds, ours)


@pytest.mark.parametrize("line", [{"part": "elsewhere"}, {"sizes": ["65"]}, {"against": "nobody"}])
def test_what_was_not_measured_has_no_verdict(line):
    assert list(report.verdicts(results_of(row("gemm.a", 1.0), CUBLAS), {"lines": [{**LINE, **line}]})) == []


def test_the_plan_names_what_there_is():
    plan = json.loads((GPU / "lines.json").read_text())
    parts = {p["name"]: p for p in plan["parts"]}
    for line in plan["lines"]:
        part = parts[line["part"]]
        assert set(line.get("sizes", [])) <= set(part["sizes"])
        if "against_part" in line:
            assert line["against_size"] in parts[line["against_part"]]["sizes"]
    assert {line["line"] for line in plan["lines"]} == {1, 2, 3, 4, 5, 6}


SWEEP = {"name": "s", "title": "products", "type": "float", "kernel": "gemm.best", "reference": "cublas.sgemm", "dimensions": 3,
         "from": 3, "to": 64, "multiples": [8, 1], "shapes": 40, "runs": 3, "mean": 1.0, "most": 0.9, "worst": 0.5}


def test_shapes_are_drawn_from_their_seed_within_their_bounds():
    drawn = shapes.draw(SWEEP, 5)
    sides = [[int(side) for side in shape.split("x")] for shape in drawn]
    assert drawn == shapes.draw(SWEEP, 5) != shapes.draw(SWEEP, 6)
    assert len(drawn) == 40 and all(1 <= side <= 64 for shape in sides for side in shape)
    assert all(side % 8 == 0 for shape in sides[::2] for side in shape) and any(side % 8 for shape in sides[1::2] for side in shape)


def test_a_sweep_tells_what_it_has_as_it_goes_and_ends_in_time(monkeypatch):
    """By a clock that goes 40 seconds on at each look: of 40 shapes the second half is not begun where 30 may pass, and is where 50 may."""
    clock = iter(range(0, 10**4, 40))
    monkeypatch.setattr(shapes.time, "monotonic", lambda: next(clock))

    def compare(part, sizes, runs, words):
        rows = [{"name": name, "status": "timed", "time": {"median": 1.0}} for name in (*words, part["reference"])]
        return {"error": "", "sizes": [{"kernels": rows} for _ in sizes]}

    told = {most: [len(kept["sizes"]) for kept in shapes.measure(SWEEP, 1, compare, most)] for most in (30, 50)}
    assert told == {30: [20], 50: [20, 40]}


@pytest.mark.parametrize("slow,holds", [(1.0, [True, True, True]), (1.05, [False, True, True]), (3.0, [False, False, False])])
def test_a_sweep_is_held_to_its_mean_its_most_and_its_worst(slow, holds):
    """All shapes take `slow` times what the reference does; one was refused, and counts for nothing."""
    sizes = [{"size": str(i), "ours": slow, "reference": 1.0} for i in range(100)]
    results = {"parts": [], "sweeps": [{"name": "s", "seed": 1, "sizes": sizes + [{"size": "x", "text": "refused"}]}]}
    assert [v["holds"] for v in report.swept(results, {"sweeps": [SWEEP]})] == holds


def test_it_measures(tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({
        "parts": [
            {"name": "gemm", "title": "products", "type": "float", "words": ["gemm"], "sizes": ["32", "33x17x5"],
             "runs": {"32": 30, "33x17x5": 2}, "leave_out": {"32": ["gemm.naive"]}},
            {"name": "reduce", "title": "sums", "type": "double", "words": ["reduce.shared", "reduce.vector"], "sizes": ["1000"]}],
        "sweeps": [{**SWEEP, "shapes": 3}], "lines": [LINE], "machines": {}}))
    bench = [GPU / "bench.py", "--plan", plan, "--results", tmp_path, "--device", "soft"]
    assert run(*bench).returncode == 0
    (path,) = tmp_path.glob("*softgpu_*.json")
    first = json.loads(path.read_text())
    sizes = {s["size"]: {r["name"]: r for r in s["rows"]} for p in first["parts"] for s in p["sizes"]}
    assert set(sizes) == {"32", "33x17x5", "1000"}
    assert "gemm.naive" not in sizes["32"] and sizes["33x17x5"]["gemm.naive"]["runs"] == 2
    assert sizes["1000"]["reduce.vector"]["runs"] == 41 and sizes["32"]["cublas.sgemm"]["reference"]
    assert "gemm.fetcher" not in sizes["32"]  # softgpu can't run it: left out where rungs are named, said where a lab is
    assert " needs " in sizes["33x17x5"].pop("gemm.fetcher")["text"]
    assert all(r["status"] == "timed" and r["q1"] <= r["median"] <= r["q3"] for rows in sizes.values() for r in rows.values())

    assert run(*bench, "--only", "reduce").returncode == 0  # the other part stays as it was
    second = json.loads(path.read_text())
    assert [p["name"] for p in second["parts"]] == ["gemm", "reduce"] and second["parts"][0] == first["parts"][0]
    assert run(*bench, "--only", "nothing").returncode == 1

    said = run(GPU / "report.py", "--results", path, "--plan", plan, "--print")
    assert said.returncode == 0 and "of 1.00" in said.stdout


def test_pictures_are_well_formed_and_name_every_rung():
    machine = {"memory_gbs": 4800, "roofs": [{"name": "fp32", "tflops": 66.9}]}
    results = results_of(row("gemm.a<b", 20.0), row("gemm.c", 0.5), CUBLAS, size="4096")
    made = report.pictures(results, {"machines": {"A GPU": machine}})
    for name, svg in made.items():
        words = "".join(xml.etree.ElementTree.fromstring(svg).itertext())
        assert all(rung in words for rung in ("a<b", "c", "cublas.sgemm")), name
    assert set(made) == {"ladder.svg", "roofline.svg"}
    assert set(report.pictures(results, {"machines": {}})) == {"ladder.svg"}
