"""warpbook lab: what it makes grades at once, and a lab whose points would teach nothing is told so."""

import json
import os
import random
import re
import shutil
import subprocess

import pytest

from draw import ALL, few
from test_grade import PATIENT, ROOT, WARPBOOK, as_json

SEED = f"--seed={random.getrandbits(63)}"
KINDS = {"one operand dropped", "off by one", "first instead of largest or least", "barrier removed", "one size wrong"}
DOUBLED = ROOT / "tests/grader/labs/doubled"


def lab(*args, cwd=ROOT):
    return subprocess.run([WARPBOOK, "lab", *map(str, args)], capture_output=True, timeout=1800, cwd=cwd)


def check(folder, *args):
    done = lab("check", folder, "--json", "--device", "soft", *(() if "--mutants" in args else ("--mutants", "0")), *args)
    assert done.stdout, done.stderr.decode()
    result = json.loads(done.stdout)
    assert done.returncode == (0 if result["fine"] else 1) and result["fine"] == (not result["fix"])
    return result


def test_a_new_lab_grades_at_once_and_its_points_spread(tmp_path):
    done = lab("new", "first-steps", cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    made = tmp_path / "first-steps"
    assert not [p for p in made.rglob("*") if p.is_file() and "NEW_LAB" in p.read_text()]
    rc, (starter, best) = as_json(made, made / "starter.cu", made / "solutions/2_side_by_side.cu", *PATIENT)
    assert starter["lab"] == "first-steps" and starter["score"] <= 20
    assert best["score"] == best["max_score"] == 100 and rc == 1
    result = check(made, "--seeds", "2" if ALL else "1")
    assert result["fine"], result
    files = {f["file"]: f for f in result["files"]}
    assert list(files) == ["starter.cu", "solutions/1_a_run_each.cu", "solutions/2_side_by_side.cu"]
    assert files["starter.cu"]["most"] <= 20 < 60 < files["solutions/1_a_run_each.cu"]["least"] < 95
    assert files["solutions/2_side_by_side.cu"]["least"] == 100


def test_the_ten_minutes_of_the_readme(tmp_path):
    """Files and commands of labs/README.md, literally; the plain run leaves commands out that grade more than one file."""
    text = (ROOT / "labs/README.md").read_text().split("## Ten minutes: ")[1].split("\n## ")[0]
    env = {**os.environ, "PATH": f"{WARPBOOK.parent}:{os.environ['PATH']}"}
    name, ran = None, []
    for step in re.finditer(r"`(blur/[\w./]+)`|^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        if step[1]:
            name = step[1]
        elif step[2] != "sh":
            (tmp_path / name).write_text(step[3])
        else:
            lines = [line for line in step[3].splitlines() if ALL or not re.match("warpbook (grade|lab check|book)", line)]
            done = subprocess.run(["sh", "-ec", "\n".join(lines)], cwd=tmp_path, env=env, capture_output=True, timeout=1800)
            assert done.returncode == 0, f"{lines}: {done.stdout.decode()}{done.stderr.decode()}"
            ran += lines
    assert len(ran) == (10 if ALL else 4), ran
    if ALL:
        grades = (tmp_path / "grades.csv").read_text()
        assert re.search(r'^"ada".*\n"ben"', grades, re.M) and list((tmp_path / "feedback").rglob("ben.html")), grades
    else:
        rc, (best,) = as_json(tmp_path / "blur", tmp_path / "blur/solutions/2_side_by_side.cu", *PATIENT)
        assert rc == 0 and best["lab"] == "blur" and best["score"] == best["max_score"] == 100, json.dumps(best, indent=1)


@pytest.mark.parametrize("name", ["9lives", "a b", "../up/", "", "x" * 41, "new.lab"])
def test_a_name_that_is_none_makes_nothing(name, tmp_path):
    done = lab("new", name, cwd=tmp_path)
    assert done.returncode == 2 and b"is no name for a lab" in done.stderr
    assert not list(tmp_path.iterdir())


def test_what_is_there_stays(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes").write_text("mine")
    done = lab("new", "mine", cwd=tmp_path)
    assert done.returncode == 2 and b"mine is there already; nothing was changed" in done.stderr
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["notes"]


@pytest.fixture()
def folder(tmp_path):
    """labs/doubled with a starter that does nothing and two solutions, of which the first is slow."""
    made = tmp_path / "doubled"
    shutil.copytree(DOUBLED, made)
    (made / "solutions").mkdir()
    right = (made / "right.cu").read_text()
    slow = right.replace("int i = blockIdx.x * blockDim.x + threadIdx.x;", "int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    int i = t % 256 * ((n + 255) / 256) + t / 256;")
    assert slow != right
    (made / "solutions/1_slow.cu").write_text(slow)
    (made / "solutions/2_right.cu").write_text(right)
    (made / "starter.cu").write_text(right.replace("in[i] + in[i]", "in[i] - 1"))
    (made / "README.md").write_text("# Twice as much\n")
    return made


def test_a_lab_whose_points_spread_is_fine(folder):
    result = check(folder)
    assert result["fine"], result


# Each grades three files: a plain run draws some.
FIXED = [
    (lambda f: shutil.copy(f / "right.cu", f / "starter.cu"), "starter.cu earns 10 of 10 points already"),
    (lambda f: (f / "starter.cu").unlink(), "There is no starter.cu"),
    (lambda f: (f / "README.md").unlink(), "There is no README.md"),
    (lambda f: (f / "starter.cu").write_text("what\n"), "starter.cu can't be graded: it does not compile"),
    (lambda f: shutil.copy(f / "starter.cu", f / "solutions/1_slow.cu"), 'solutions/1_slow.cu fails "any size": '),
    (lambda f: (f / "solutions/2_right.cu").unlink(), "There is one solution: at least two show"),
    (lambda f: shutil.copy(f / "right.cu", f / "solutions/1_slow.cu"), "Points do not spread"),
]


@pytest.mark.parametrize("change, says", few(FIXED, 3))
def test_what_is_to_be_fixed_is_told(change, says, folder):
    change(folder)
    result = check(folder)
    assert any(says in line for line in result["fix"]), result


def best_earns_all_points(path):
    best = sorted((path / "solutions").glob("*.cu"))[-1]
    rc, (report,) = as_json(path, best, *PATIENT)
    assert rc == 0 and report["score"] == report["max_score"], json.dumps(report, indent=1)


CHECKED = [p.parent for p in sorted((ROOT / "tests/grader/bad_labs").glob("*/case.json")) if '"check"' in p.read_text()]


@pytest.mark.parametrize("case", few(CHECKED, 1), ids=lambda p: p.name)
def test_a_best_solution_that_is_not_best_is_told(case, folder):
    """By the command, and by the test of our own labs below: it can fail."""
    expect = json.loads((case / "case.json").read_text())
    text = (folder / "lab.json").read_text()
    assert expect.get("from", "") in text
    (folder / "lab.json").write_text(text.replace(expect.get("from", ""), expect.get("to", ""), 1))
    for path in case.glob("*.cu"):
        shutil.copy(path, folder / "solutions")
    with pytest.raises(AssertionError):
        best_earns_all_points(folder)
    result = check(folder)
    assert not result["fine"] and any(re.match(expect["check"], line) for line in result["fix"]), result


MUTANTS = sorted((ROOT / "tests/grader/mutants").glob("*/case.json"))


@pytest.mark.parametrize("case", MUTANTS, ids=lambda p: p.parent.name)
def test_mutants_that_the_tests_let_pass_are_listed(case, tmp_path):
    """A mutant of labs/peaks passes only where the lab's one test is weak: values that fall, and as many rows as columns."""
    expect, made = json.loads(case.read_text()), tmp_path / "peaks"
    shutil.copytree(ROOT / "tests/grader/labs/peaks", made)
    text, best = (made / "lab.json").read_text(), (made / "solutions/1_a_block_a_row.cu").read_text().splitlines()
    for old, new in expect["replace"]:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (made / "lab.json").write_text(text)
    result = check(made, "--mutants", str(expect["mutants"]), SEED)
    mutants, told = result["mutants"], json.dumps([SEED, result], indent=1)
    assert len(mutants) == expect["mutants"] and {m["kind"] for m in mutants} == KINDS, told
    assert len({(m["line"], m["text"]) for m in mutants}) == len(mutants), told
    assert sorted({m["kind"] for m in mutants if not m["noticed"]}) == expect["pass"], told
    for m in mutants:  # code alone is changed
        assert m["text"] != best[m["line"] - 1].strip() and not re.search('//|"', best[m["line"] - 1]), told
    assert not any("mutant" in line for line in result["fix"]), told  # it may change nothing: the author judges


def test_a_lab_that_can_not_be_graded(folder):
    (folder / "reference.cpp").write_text("void reference(const float *, float *, int) { __builtin_trap(); }\n")
    done = lab("check", folder, "--device", "soft")
    assert done.returncode == 3 and b"the lab's reference.cpp crashes" in done.stderr and not done.stdout
    (folder / "lab.json").write_text("{}")
    done = lab("check", folder, "--device", "soft")
    assert done.returncode == 2 and b"lab.json:1: version: missing" in done.stderr
    done = lab("check", folder / "nowhere")
    assert done.returncode == 2 and b"there is no lab" in done.stderr


# Our labs whose reference is a source beside lab.json.
OWN = [p.parent for p in sorted((ROOT / "labs").glob("*/lab.json")) if "." in json.loads(p.read_text())["reference"]]


@pytest.mark.skipif(not ALL, reason="some 40 s a lab: WARPBOOK_TEST_ALL=1 checks each; one is below")
@pytest.mark.parametrize("path", [pytest.param(p, id=p.name) for p in OWN])
def test_our_labs_need_no_fixing(path):
    result = check(path, "--seeds", "2")
    assert result["fine"], result


@pytest.mark.skipif(ALL, reason="the test above grades it with the others")
def test_the_best_solution_of_one_of_our_labs_earns_all_points():
    best_earns_all_points(few(OWN, 1)[0])
