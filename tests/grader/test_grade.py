"""warpbook grade, driven as a teacher drives it: the labs' solutions, attacks, bad submissions, forms
of output. Attacks lie in attacks/NAME/, honest work that earns its points in honest/NAME/: submission.cu, and expect.json:

  lab         the lab it is handed in for
  max_score   it must not earn more: what its honest work is worth
  honest      (of attacks that may earn something) its honest version, which earns at least as much: a file from the repository's root, or
              beside submission.cu; "itself" where the attack is honest work that is slow, or looks as if it hid something
  min_score   (optional) honest work must earn at least this
  on_gpu      (optional) harmless, and about speed: the points for it that an H200 gave by its clock (tests/gpu/agree.py);
              softgpu must give as many, within 10
  one_of      (optional) the defence that it tries: of all that try it a plain run has one; where $WARPBOOK_TEST_ALL is set
              (`make test ALL=1`), or tests are chosen by name, all are run
  slow        (optional) takes long: only run where all are
  limits      (optional) arguments of its own, as where it is to run into a limit
  message, output, printed, not_message, not_printed  (optional) regular expressions: what is said of
              the whole, in some test, what it printed; and what must not show
"""

import csv
import io
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from draw import WHOLE, few

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
WARPBOOK = BUILD / "bin" / "warpbook"


def chosen():
    """The attacks of this run."""
    expects = {p.parent: json.loads(p.read_text()) for p in sorted((ROOT / "tests/grader").glob("*/*/expect.json"))}
    if WHOLE:
        return list(expects)
    groups = {}
    for folder, expect in expects.items():
        groups.setdefault(expect.get("one_of", folder), []).append(folder)
    quick = [[folder for folder in group if not {"slow", "slow"} & set(expects[folder])] for group in groups.values()]
    taken = {folder for group in quick for folder in few(group, 1)}
    return [folder for folder in expects if folder in taken]


ATTACKS = chosen()
EXPECTS = {folder: json.loads((folder / "expect.json").read_text()) for folder in ATTACKS}
# All that is compared meets the same inputs.
SEED = f"--seed={random.getrandbits(63)}"
# Points by which two files that do the same may differ: of times three digits count.
ROUNDING = 0.2
# A machine may be slow, and busy with other things.
PATIENT = ["--compile-limit", "600", "--plan-limit", "60", "--run-limit", "120"]
# The smallest lab, for what is the same in all.
DOUBLED = ROOT / "tests/grader/labs/doubled"
LABS = ["coalescing", "transpose", "reduce", "gemm"]
# All solutions of these labs are graded; gemm's take three times as long.
GRADED = few(LABS[:3], 1) if not WHOLE else LABS


def grade(*args, timeout=1800, env=None):
    return subprocess.run([WARPBOOK, "grade", *map(str, args)], capture_output=True, timeout=timeout,
                          cwd=ROOT, env={**os.environ, **(env or {})})


def as_json(*args, **kwargs):
    done = grade(*args, "--json", "--device", "soft", **kwargs)
    assert done.stdout, done.stderr.decode()
    reports = json.loads(done.stdout)
    return done.returncode, reports if isinstance(reports, list) else [reports]


def honest_of(folder):
    """The file that an attack is compared with; None where nothing is."""
    said = EXPECTS[folder].get("honest", "itself")
    beside = folder / said
    return None if said == "itself" else beside if beside.exists() else ROOT / said


# In a plain run those whose honest version is graded anyway.
GRADED_ANYWAY = {folder / "submission.cu" for folder in ATTACKS}
COMPARED = [folder for folder in ATTACKS if honest_of(folder) and (
    WHOLE or honest_of(folder) in GRADED_ANYWAY
    or honest_of(folder).parent in [ROOT / f"labs/{lab}/solutions" for lab in GRADED])]


@pytest.fixture(scope="session")
def attack_reports(request):
    """The attacks whose tests run: those of a lab in one call, as a class would hand them in beside each other."""
    items = [item for item in request.session.items if "attack_reports" in item.fixturenames]
    wanted = {item.callspec.params["folder"] for item in items}
    calls = {}
    for folder in filter(wanted.__contains__, ATTACKS):
        calls.setdefault((EXPECTS[folder]["lab"], *EXPECTS[folder].get("limits", [])), []).append(folder)

    def one(call):
        lab, *limits = call
        folders = calls[call]
        rc, reports = as_json(lab, *[folder / "submission.cu" for folder in folders], SEED, *PATIENT, *limits, "--jobs", 1)
        wrong = [r["message"] or any(t["kind"] == "test" and t["status"] != "passed" for t in r["tests"]) for r in reports]
        assert rc == any(map(bool, wrong)), call
        return zip([folder.name for folder in folders], reports, strict=True)
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(one, sorted(calls, key=lambda call: -len(calls[call]))))
    return {name: report for reports in done for name, report in reports}


@pytest.mark.parametrize("folder", ATTACKS, ids=lambda p: p.name)
def test_attack_earns_no_more_than_its_work(folder, attack_reports):
    expect, report = EXPECTS[folder], attack_reports[folder.name]
    told = json.dumps(report, indent=1)
    assert report["status"] != "error", told
    assert report["score"] <= expect["max_score"] + 1e-6, told
    assert report["score"] >= expect.get("min_score", 0), told
    outputs = "\n".join(t["output"] for t in report["tests"])
    for where, text in [("message", report["message"]), ("output", outputs),
                        ("printed", report["printed"])]:
        if where in expect:
            assert re.search(expect[where], text), f"{expect[where]} not in {where}:\n{told}"
        if "not_" + where in expect:
            assert not re.search(expect["not_" + where], text), told
    if "on_gpu" in expect:
        speed = sum(t["score"] for t in report["tests"] if t["kind"] == "performance")
        assert abs(speed - expect["on_gpu"]) <= 10, told
    # a student is told why
    assert report["score"] == report["max_score"] or report["message"] or outputs


@pytest.fixture(scope="session")
def lab_reports():
    """Returns each lab's starter and solutions. Two of transpose are always there, because a test reads their reasons."""
    def one(lab):
        files = [f"labs/{lab}/starter.cu", *sorted(map(str, (ROOT / f"labs/{lab}/solutions").glob("*.cu")))]
        return lab, as_json(lab, *(files if lab in GRADED else files[:2]), SEED, *PATIENT)[1]
    with ThreadPoolExecutor(2) as pool:
        return dict(pool.map(one, {*GRADED, "transpose"}))


@pytest.fixture(scope="session")
def honest_scores(request, attack_reports):
    """Returns the points of honest versions, and reuses those that other tests graded."""
    wanted = {item.callspec.params["folder"] for item in request.session.items if "honest_scores" in item.fixturenames}
    scores = {folder / "submission.cu": attack_reports[folder.name]["score"] for folder in ATTACKS if folder.name in attack_reports}
    labs = {}
    for folder in wanted:
        if honest_of(folder) not in scores:
            labs.setdefault(EXPECTS[folder]["lab"], set()).add(honest_of(folder))
    if not WHOLE:
        reports = request.getfixturevalue("lab_reports")
        return {**scores, **{ROOT / r["submission"]: r["score"] for lab in labs for r in reports[lab]}}
    with ThreadPoolExecutor(2) as pool:
        graded = pool.map(lambda lab: (sorted(labs[lab]), as_json(lab, *sorted(labs[lab]), SEED, *PATIENT)[1]), sorted(labs))
        return {**scores, **{path: r["score"] for paths, reports in graded for path, r in zip(paths, reports)}}


@pytest.mark.parametrize("folder", COMPARED, ids=lambda p: p.name)
def test_attack_earns_no_more_than_its_honest_version(folder, attack_reports, honest_scores):
    """With the same inputs; "faster": points for what the file truly does faster."""
    report, honest = attack_reports[folder.name], honest_scores[honest_of(folder)]
    honest += EXPECTS[folder].get("faster", 0)
    assert report["score"] <= honest + ROUNDING, f"{honest} for {honest_of(folder)}:\n{json.dumps(report, indent=1)}"


def test_each_attack_that_earns_something_names_its_honest_version():
    for path in sorted((ROOT / "tests/grader/attacks").glob("*/expect.json")):
        expect = json.loads(path.read_text())
        honest = expect.get("honest", "itself")
        assert ("honest" in expect) == (expect["max_score"] > 0), path
        assert honest == "itself" or (path.parent / honest).exists() or (ROOT / honest).exists(), path


@pytest.mark.parametrize("lab", GRADED)
def test_solutions_rise_to_full_marks(lab, lab_reports):
    starter, *solutions = lab_reports[lab]
    assert starter["score"] <= 10
    assert len(solutions) >= 2
    scores = [r["score"] for r in solutions]
    assert scores == sorted(scores), scores
    assert scores[0] >= 60 and scores[-1] == solutions[-1]["max_score"] == 100, scores
    for report in solutions:
        for test in report["tests"]:
            assert test["kind"] == "performance" or test["status"] == "passed", test
            assert (test["output"] == "") == (test["score"] == test["max_score"]), test


def test_the_reason_names_the_line(lab_reports):
    naive = lab_reports["transpose"][1]
    line = next(i for i, text in enumerate((ROOT / "labs/transpose/solutions/1_naive.cu")
                                           .read_text().splitlines(), 1) if "out[c * rows" in text)
    speed = next(t for t in naive["tests"] if t["name"] == "speed")
    assert re.search(r"rows=2048, cols=2048: on an NVIDIA H200 this would take [0-9.]+ µs \(as modelled; [0-9.]+ µs to [0-9.]+ µs\), "
                     r"[0-9.]+ times as long as the device's copy of as many bytes \(10.8 µs, as measured\)", speed["output"]), speed
    assert "The longest launch is transpose, bound by L2: " in speed["output"]
    assert "of the reference's speed (geometric mean); full marks need 0.8." in speed["output"]
    assert "coalesced stores: Of the bytes that stores move, 12.5 % are used" in speed["output"], speed
    assert f"1_naive.cu line {line}: its stores touch 32 sectors" in speed["output"], speed
    assert "where 4 suffice" in speed["output"]


@pytest.mark.parametrize("lab", LABS)
def test_softgpu_and_a_gpu_ask_for_the_same(lab):
    """One scale of speed on both; on softgpu nothing else earns points; some sizes are the seed's."""
    performance = json.loads((ROOT / f"labs/{lab}/lab.json").read_text())["performance"]
    assert performance["soft"]["criteria"] == performance["gpu"]["criteria"]
    assert [c["measure"] for c in performance["soft"]["criteria"]] == ["speed"]
    for device in performance.values():
        assert any(isinstance(size, list) for case in device["cases"] for size in case["sizes"].values())


def test_speed_is_the_mean_of_several_sizes(lab_reports):
    """Which are told as data too; the scale is the lab's, by the logarithm."""
    for lab in GRADED:
        scale = json.loads((ROOT / f"labs/{lab}/lab.json").read_text())["performance"]["soft"]["criteria"][0]
        for report in lab_reports[lab][1:]:
            cases = report["measured"]["cases"]
            assert len(cases) == 2 and len({c["sizes"] for c in cases}) == 2
            for case in cases:
                assert case["gpu"] == "h200" and case["low"] < case["seconds"] < case["high"]
                assert case["ratio"] == pytest.approx(case["reference_seconds"] / case["seconds"])
            speed = report["measured"]["speed"]
            assert speed == pytest.approx(math.sqrt(cases[0]["ratio"] * cases[1]["ratio"]), rel=0.006)
            part = math.log(speed / scale["none"]) / math.log(scale["full"] / scale["none"])
            points = next(t["score"] for t in report["tests"] if t["name"] == "speed")
            assert points == pytest.approx(40 * min(1, max(0, part)), abs=0.01)


def test_hidden_sizes_stay_hidden(lab_reports):
    """A reason is given all the same; other tests tell theirs."""
    for lab in GRADED:
        hidden, shown = ([t["output"] for t in lab_reports[lab][0]["tests"]
                          if t["kind"] == "test" and t["output"] and t["hidden"] is where] for where in (True, False))
        assert hidden and shown
        for text in hidden:
            assert re.match(r"(\d+) of \d+ hidden sizes: .{8,}", text), text
            assert not re.search(r"\b[a-z]+=-?\d", text), text
        for text in shown:
            assert re.match(r"[a-z]+=\d+", text), text


def test_report_has_what_tools_read(lab_reports):
    report = lab_reports[GRADED[-1]][-1]
    for key in ["lab", "submission", "device", "score", "max_score", "status", "seed", "tests"]:
        assert key in report
    for test in report["tests"]:
        for key in ["name", "score", "max_score", "status", "output"]:
            assert key in test
    assert report["device"] == "softgpu" and report["sandboxed"] is True
    assert f"--seed={int(report['seed'], 16)}" == SEED


@pytest.fixture(scope="session")
def bad(tmp_path_factory):
    """Files no one should hand in, and what is said about each."""
    d = tmp_path_factory.mktemp("bad")
    (d / "empty.cu").write_text("  \n")
    (d / "binary.cu").write_bytes(b"\x7fELF\x00\x01" * 100)
    with open(d / "huge.cu", "wb") as f:
        f.truncate(100_000_000)
    (d / "no_solve.cu").write_text("__global__ void k() {}\n")
    (d / "signature.cu").write_text("void solve(float *out, int n) {}\n__global__ void k() {}\n")
    (d / "syntax.cu").write_text("__global__ void k() {\n    int x = ;\n}\n")
    (d / "no_kernel.cu").write_text("void solve(const float *, float *, int, int) {}\n")
    (d / "folder").mkdir()
    (d / "nothing").mkdir()
    kernel = "__global__ void k(float *a) { a[0] = 1; }\n"
    solve = "void solve(const float *in, float *out, int rows, int cols) { %s }\n"
    (d / "utf16.cu").write_text(kernel, encoding="utf-16")
    (d / "brace.cu").write_text(kernel + (solve % "")[:-2])
    (d / "undefined.cu").write_text(kernel + "void helper(int);\n" + solve % "helper(1); k<<<1, 1>>>(out);")
    (d / "undefined_kernel.cu").write_text(kernel + "__global__ void other();\n" + solve % "other<<<1, 1>>>();")
    (d / "host_loop.cu").write_text(kernel + solve % "out[0] = in[0];")
    (d / "unwritten.cu").write_text(
        "__global__ void k(float *a, float *b, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) a[i] = 0 * b[i]; }\n"
        + solve % "float *t; int n = rows * cols; cudaMalloc(&t, 4 * n); k<<<n / 256 + 1, 256>>>(out, t, n);")
    (d / "thrown.cu").write_text(kernel + solve % "throw 1;")
    (d / "freed.cu").write_text(
        kernel + solve % "float *t; cudaMalloc(&t, 4); cudaFree(t); k<<<1, 1>>>(t);")
    (d / "thrust.cu").write_text(
        "#include <thrust/swap.h>\n__global__ void k(float *a) { thrust::swap(a[0], a[1]); }\n"
        + solve % "k<<<1, 1>>>(out);")
    (d / "line.ipynb").write_text(json.dumps({"cells": [
        {"cell_type": "code", "source": "// mine\n\n%%grade transpose\n" + kernel + "int x = ;"},
        {"cell_type": "markdown", "source": "%%grade transpose\nis what the next cell begins with"}]}))
    (d / "helper.ipynb").write_text(json.dumps({"cells": [
        {"cell_type": "code", "source": "__device__ int at(int r, int c, int n) {\n    return r * n + c;\n}"},
        {"cell_type": "code", "source": "%%grade transpose\n__global__ void k(float *a) { a[at(0, 0, 1)] = 1; }\n"
                                        + solve % "k<<<1, 1>>>(out);"}]}))
    os.symlink("/etc/passwd", d / "folder" / "a.cu")
    os.symlink(ROOT / "labs/transpose/solutions/3_padded.cu", d / "link.cu")
    (d / "good").mkdir()
    (d / "good" / "a.cu").write_text((ROOT / "labs/transpose/solutions/3_padded.cu").read_text())
    os.symlink(d / "good", d / "linked")
    os.mkfifo(d / "pipe.cu")
    (d / "none.ipynb").write_text('{"cells": []}')
    return d


BAD = {
    "missing.cu": "no such file", "empty.cu": "is empty", "binary.cu": "binary file",
    "huge.cu": "100.0 MB large", "no_solve.cu": "no function solve.*void solve\\(const float \\*in",
    "signature.cu": "another signature", "syntax.cu": "syntax.cu:2", "no_kernel.cu": "",
    "folder": "a.cu is a symbolic link", "link.cu": "link.cu is a symbolic link", "linked": "linked is a symbolic link",
    "nothing": "no .cu file", "pipe.cu": "no regular file",
    "none.ipynb": "no cell that begins with %%grade transpose",
    "utf16.cu": "UTF-16.*save it as UTF-8", "brace.cu": "\nat end of source: expected a", "line.ipynb": "cell.cu:5: ",
    "undefined.cu": "helper\\(int\\) is declared and used, but not defined",
    "undefined_kernel.cu": "undefined reference to `other\\(\\)'$",
    "host_loop.cu": "Segmentation fault. Arrays such as in lie on the device",
    "unwritten.cu": "Every wrong element is NaN: inf / inf, inf - inf, 0 / 0, or something was read before it was written",
    "thrown.cu": "ended itself .Aborted.: .* an exception",
    "helper.ipynb": '"at" is undefined\nat stands in another cell of the notebook, and only the graded cell counts: copy it',
    "freed.cu": "kernel k\\(float\\*\\) is given", "thrust.cu": "made of the library .*[tT]hrust",
}


@pytest.fixture(scope="session")
def bad_reports(bad):
    files = [bad / name for name in BAD] + [ROOT / "labs/transpose/solutions/3_padded.cu"]
    rc, reports = as_json("transpose", *files, "--jobs", 2, *PATIENT)
    assert rc == 1
    assert len(reports) == len(files) and reports[-1]["score"] == 100  # the batch went on
    assert len({f"--seed={int(r['seed'], 16)}" for r in reports} | {SEED}) == 2  # one of the call's own, the same for all
    return dict(zip(BAD, reports))


def test_a_compiler_error_is_told_once(bad, bad_reports):
    """And in JUnit, where each test stands alone, with each."""
    assert all(t["output"] == "" for t in bad_reports["syntax.cu"]["tests"])
    with ThreadPoolExecutor(2) as pool:
        text, junit = pool.map(lambda a: grade("transpose", bad / "syntax.cu", "--device=soft", *a).stdout.decode(),
                               [[], ["--junit"]])
    assert text.count("syntax.cu:2") == 1 and "not run" not in text and "No test was run" in text
    failures = ET.fromstring(junit).findall("testsuite/testcase/failure")
    assert len(failures) == len(bad_reports["syntax.cu"]["tests"])
    assert all("syntax.cu:2" in f.text for f in failures)


@pytest.mark.parametrize("name", BAD)
def test_bad_submission_has_its_own_message(name, bad_reports):
    report = bad_reports[name]
    assert report["score"] == 0
    assert report["status"] == "failed", report
    said = report["message"] + ("\n".join(t["output"] for t in report["tests"]) if not report["message"] else "")
    assert "warpbook-grade-" not in report["printed"] + said, report
    assert re.search(BAD[name], said, re.S) and said, report
    assert "root:" not in said


def test_seed_replays_a_run(tmp_path):
    """The message about a wrong element has the inputs' values."""
    source = tmp_path / "wrong.cu"
    source.write_text((DOUBLED / "right.cu").read_text().replace("in[i] + in[i]", "in[i]"))
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda seed: as_json(DOUBLED, source, f"--seed={seed}")[1][0],
                             ("0x123456789abcdef0", "1311768467463790320", "7")))
    outputs = [[t["output"] for t in r["tests"]] for r in runs]
    assert runs[0]["seed"] == "0x123456789abcdef0"
    assert outputs[0] == outputs[1] != outputs[2]


def test_folders_and_notebooks(tmp_path):
    """And what editors and notebooks leave: a mark before UTF-8, CRLF, macros with common names, a cell copied with its
    magic, comments above it; cells have printf without asking, also where they are handed in."""
    source = (DOUBLED / "right.cu").read_text()
    folder = tmp_path / "handed in"
    folder.mkdir()
    head, tail = source.split("void solve", 1)
    (folder / "b_solve.cu").write_text("#include \"sizes.cuh\"\nvoid solve" + tail)
    (folder / "a_kernel.cu").write_text(head)
    (folder / "sizes.cuh").write_text("static_assert(sizeof(float) == 4, \"\");\n")
    notebook = tmp_path / "lab.ipynb"
    notebook.write_text(json.dumps({"cells": [
        {"cell_type": "code", "source": "%%grade doubled\nnot this one"},
        {"cell_type": "code", "source": ["%%grade doubled\n", source]},
        {"cell_type": "code", "source": "%%grade gemm\nnor this"}]}))
    cell = source.replace("void solve", "void print() { printf(\"solve\\n\"); }\nvoid solve", 1)
    assert cell != source
    (tmp_path / "ä b.cu").write_text("#define a 1\n#define call 2\n" + source, encoding="utf-8-sig", newline="\r\n")
    (tmp_path / "copied.cu").write_text("%%grade doubled\n" + cell)
    (tmp_path / "commented.ipynb").write_text(json.dumps({"cells": [
        {"cell_type": "code",
         "source": "/* mine\n */\n// it is\n%%grade --seed 3 ../labs/doubled/lab.json\n" + cell}]}))
    rc, reports = as_json(DOUBLED, folder, notebook, *[tmp_path / n for n in ("ä b.cu", "copied.cu", "commented.ipynb")], "--jobs", 2)
    assert [r["score"] for r in reports] == [10] * 5, reports
    assert rc == 0


def test_forms_of_output(tmp_path, lab_reports):
    page = tmp_path / "page.html"
    starter, naive = (ROOT / "labs/transpose" / name for name in ("starter.cu", "solutions/1_naive.cu"))
    wrong = ROOT / "tests/grader/wrong/doubled/the_last_is_left.cu"
    with ThreadPoolExecutor(2) as pool:
        runs = pool.map(lambda a: grade(*a, "--device", "soft"), [
            ["transpose", starter, naive, SEED, "--csv", "--html", page],
            [DOUBLED, wrong, "--junit"], [DOUBLED, wrong, "--gradescope"], [DOUBLED, wrong]])
    table, junit, scope, text = [r.stdout.decode() for r in runs]
    suite = ET.fromstring(junit).find("testsuite")
    assert int(suite.get("tests")) == len(suite.findall("testcase")) == 2
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure")) == 2  # no speed of what is wrong
    rows = list(csv.DictReader(io.StringIO(table)))
    # in full, and what JSON says of the same seed
    exact = lab_reports["transpose"][1]
    assert float(rows[1]["score"]) == exact["score"] == pytest.approx(sum(t["score"] for t in exact["tests"]), abs=1e-9)
    assert float(rows[0]["score"]) <= 10 and rows[0]["max_score"] == "100"
    results = json.loads(scope)
    assert results["score"] <= 5 and results["tests"][0]["max_score"] == 5
    assert {"score", "execution_time", "output", "visibility", "extra_data", "tests",
            "leaderboard"} <= set(results)
    assert "Score" in text and "Correctness" in text
    html = page.read_text()
    assert html.startswith("<!doctype html>") and "//" not in html and "src=" not in html
    assert "starter.cu" in html


def test_nothing_of_a_submission_reaches_a_terminal(tmp_path):
    """No control sequence of its name, its #error, its output; a line end in its name forges no row; a
    spreadsheet finds no formula."""
    lab = ROOT / "tests/grader/increment"
    evil = "\\x1b]52;c;aGk=\\x07\\x1b[2J\\xe2\\x80\\xae"
    printing = tmp_path / "\t=1+1\r\n   100 of 100    passed   \x1b[2Jsomeone else.cu"
    printing.write_text("#include <cstdio>\n" + (lab / "right.cu").read_text().replace(
        "a[i] += 1;", "{ a[i] += 1; if (i == 0) printf(\"device" + evil + "\"); }").replace("void solve", "struct S { S() { printf(\"host" + evil + "\"); } } s;\nvoid solve"))
    broken = tmp_path / "broken.cu"
    broken.write_bytes(b"#error a\x1b[2J\x9b2J\xc2\x9b2Jb\n")
    page = tmp_path / "page.html"
    with ThreadPoolExecutor(2) as pool:
        text, table = pool.map(lambda a: grade(lab, *a, "--device=soft").stdout, [
            [printing, broken], [printing, "--csv", "--html", page]])
    for said in (text.decode(), page.read_text(), table.decode().replace("\r\n", "\n")):
        assert not re.search("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\u202e]", said)
    assert "host" in text.decode() and "device" in text.decode() and "#error a\u241b[2J" in text.decode()
    assert len([line for line in text.decode().splitlines() if re.match(" *[0-9.]+ / ", line)]) == 2
    (row,) = csv.DictReader(io.StringIO(table.decode()))
    assert row["submission"].endswith("\u2409=1+1\u240d\u240a   100 of 100    passed   \u241b[2Jsomeone else.cu")


@pytest.mark.parametrize("args, says, rc", [
    ([], "no lab is named", 2), (["transpose"], "no submission", 2),
    (["transpos", "x.cu"], "did you mean transpose?", 2),
    (["transpose", "x.cu", "--frob"], "no option --frob", 2),
    (["transpose", "x.cu", "--seed", "-1"], "--seed takes a whole number from 0 to 18446744073709551615, not '-1'", 2),
    (["transpose", "x.cu", "--seed=red"], "--seed takes a whole number from 0 to 18446744073709551615, not 'red'", 2),
    (["transpose", "x.cu", "--json=1"], "--json takes no value", 2),
    (["transpose", "x.cu", "--sed=7"], "there is no option --sed=7, did you mean --seed?", 2),
    (["transpose", "x.cu", "--seed"], "--seed needs a value", 2),
    (["transpose", "x.cu", "-j"], "there is no option -j", 2),
    (["transpose", "x.cu", "--device", "tpu"], "--device takes one of soft, gpu, auto, not 'tpu'", 2),
    (["transpose", "x.cu", "--jobs", "65"], "--jobs takes a whole number from 1 to 64, not '65'", 2),
    (["transpose", "x.cu", "--run-limit", "nan"], "--run-limit takes a number from 0.001 to 3600, not 'nan'", 2),
    (["transpose", "x.cu", "y.cu", "--gradescope"], "one submission", 2),
    (["transpose", "x.cu", "y.cu", "--classroom"], "one submission", 2),
])
def test_wrong_usage(args, says, rc):
    done = grade(*args)
    assert done.returncode == rc
    assert says in done.stderr.decode()


def test_an_interrupt_leaves_nothing_behind(tmp_path):
    """Neither in the compiler nor while a submission runs; compare and run alike."""
    endless = ROOT / "tests/grader/attacks/endless_kernel/submission.cu"
    lab = json.loads((endless.parent / "expect.json").read_text())["lab"]
    calls = [(["grade", lab, endless, "--device", "soft"], 0.3), (["grade", lab, endless, "--device", "soft"], 4),
             (["compare", "transpose.padded", f"{endless}:solve", "--device", "soft"], 0.3), (["run", endless], 0.3)]

    def interrupt(i):
        place = tmp_path / str(i)
        place.mkdir()
        words, seconds = calls[i]
        process = subprocess.Popen([WARPBOOK, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "TMPDIR": str(place), "XDG_CACHE_HOME": str(tmp_path / "cache")},
                                   # a shell's background job ignores it, and so would what that starts
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=600)
        assert process.returncode == -signal.SIGINT and out == b""
        assert list(place.iterdir()) == []
    with ThreadPoolExecutor(len(calls)) as pool:
        list(pool.map(interrupt, range(len(calls))))


def test_broken_lab_is_told_with_its_line(tmp_path):
    text = (ROOT / "labs/gemm/lab.json").read_text().replace('"points": 12', '"points": "12"', 1)
    (tmp_path / "lab.json").write_text(text)
    done = grade(tmp_path, "x.cu")
    assert done.returncode == 2
    line = text[:text.index('"points": "12"')].count("\n") + 1
    assert f"lab.json:{line}: tests[0].points: expected a number" in done.stderr.decode()


def test_a_lab_of_a_teacher_and_no_sandbox(tmp_path):
    """Without a sandbox grading refuses, unless told otherwise, and then the report says so."""
    lab = ROOT / "tests/grader/increment"
    refused = grade(lab, lab / "right.cu", "--device", "soft", env={"PATH": "/nowhere"})
    assert refused.returncode == 4
    assert "apt-get install bubblewrap" in refused.stderr.decode()
    rc, (report,) = as_json(lab, lab / "right.cu", "--unsafe-no-sandbox")
    assert report["score"] == report["max_score"], report
    assert report["sandboxed"] is False and rc == 0
    (tmp_path / "broken.cu").write_text("int x = ;\n")
    text = grade(lab, tmp_path / "broken.cu", "--unsafe-no-sandbox", "--device", "soft").stdout.decode()
    assert "WITHOUT a sandbox" in text


def test_a_sandbox_that_fails_is_the_machines_fault(tmp_path):
    """And no "it does not compile" for a submission that does."""
    bwrap = tmp_path / "bwrap"
    bwrap.write_text('#!/bin/sh\ncase "$*" in *nvcc*|*/kit/*) echo "bwrap: Can\'t find source path /x: No such file" >&2; exit 1;; esac\n'
                     f'exec {shutil.which("bwrap")} "$@"\n')
    bwrap.chmod(0o755)
    rc, [report] = as_json(DOUBLED, "tests/grader/labs/doubled/right.cu", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert rc == 3 and report["status"] == "error"
    assert report["message"].startswith("the compiler's sandbox can't be made: bwrap: Can't find source path /x")


def test_submissions_take_turns_on_a_gpu(tmp_path):
    lab, increment = tmp_path / "lab", ROOT / "tests/grader/increment"
    lab.mkdir()
    text = json.loads((increment / "lab.json").read_text())
    text["performance"]["gpu"]["case"]["sizes"]["n"] = 1 << 16
    (lab / "lab.json").write_text(json.dumps(text))
    shutil.copy(increment / "reference.cpp", lab)
    files = [tmp_path / f"{name}.cu" for name in ("ada", "bob", "cleo", "dan")]
    for file in files:
        wrong = file.stem == "cleo"
        file.write_text((increment / "right.cu").read_text().replace("a[i] += 1;", "a[i] += 2;" if wrong else "a[i] += 1;"))
    rc, reports = as_json(lab, *files, *PATIENT, env={"WARPBOOK_TEST_SOFT_AS_GPU": "1"})
    assert rc == 1 and [report["submission"] for report in reports] == [str(file) for file in files]
    assert [report["gpu"] for report in reports] == [True] * 4
    assert [report["tests"][0]["status"] for report in reports] == ["passed", "passed", "failed", "passed"]


def test_the_road_a_gpu_takes(tmp_path):
    """Guard zones, fresh code for every timed run, a reference beside it: walked on softgpu, whose times
    mean nothing."""
    lab = json.loads((ROOT / "tests/grader/increment/lab.json").read_text())
    lab["performance"]["gpu"]["case"]["sizes"]["n"] = 1 << 16
    (tmp_path / "lab.json").write_text(json.dumps(lab))
    (tmp_path / "reference.cpp").write_text((ROOT / "tests/grader/increment/reference.cpp").read_text())
    right = (ROOT / "tests/grader/increment/right.cu").read_text()
    (tmp_path / "right.cu").write_text(right)
    (tmp_path / "past_the_end.cu").write_text(right.replace("i < n", "i <= n").replace("255", "256"))
    (tmp_path / "endless.cu").write_text(right.replace("        a[i] += 1;", "        for (;;)\n            a[i] += 1;"))
    with ThreadPoolExecutor(2) as pool:
        (right_rc, (right,)), (past_rc, (past,)), (endless_rc, (endless,)) = pool.map(
            lambda name: as_json(tmp_path, tmp_path / f"{name}.cu", *PATIENT, *(["--run-limit", 2] if name == "endless" else []),
                                 env={"WARPBOOK_TEST_SOFT_AS_GPU": "1"}),
            ("right", "past_the_end", "endless"))
    assert (right_rc, past_rc, endless_rc) == (0, 1, 1)
    assert right["gpu"] is True
    assert right["tests"][0]["status"] == "passed", right
    speed = right["tests"][-1]["output"]
    assert re.search(r"median .* \d+ runs\); the device's copy of as many bytes .* ratio .*95 % interval", speed)
    assert len(right["measured"]["times"]) == len(right["measured"]["reference_times"]) >= 10
    assert past["score"] == 0
    assert "wrote outside its arrays: behind the end of a" in past["tests"][0]["output"]
    assert endless["score"] == 0
    assert "did not end within 2 s" in endless["tests"][0]["output"]
