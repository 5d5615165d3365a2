"""Labs as assignments of other systems: what their own programs would run and read, with submissions drawn at random."""

import json
import os
import random
import re
import shutil
import subprocess

import nbclient
import nbformat
import pytest

from test_book import LAB, PATIENT, RIGHT, WARPBOOK, call, copy_of_the_lab

LIMITS = " ".join(PATIENT[:6])


def export(system, lab, folder):
    call("lab", system, lab, folder, check=0)
    assert "LAB_NAME" not in "".join(p.read_text() for p in folder.rglob("*") if p.is_file())
    again = call("lab", system, lab, folder, check=2)
    assert "is there already; nothing was changed" in again.stderr
    return folder


def draw_one():
    """A submission and what it earns."""
    right = random.random() < 0.5
    return (RIGHT if right else RIGHT.replace("+= 1", f"+= {random.randrange(2, 9)}")) + f"// {random.random()}\n", 10 if right else 0


def may_run(user):
    """Whether that user can run the build tree, which may lie in somebody's home."""
    return os.geteuid() == 0 and subprocess.run(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", WARPBOOK, "labs"],
                                                capture_output=True).returncode == 0


def run_autograder(place, env):
    return subprocess.run(["sh", place / "source/run_autograder"], capture_output=True, text=True, timeout=1800,
                          env={**os.environ, "AUTOGRADER": str(place), "WARPBOOK": str(WARPBOOK), "AUTOGRADER_LIMITS": LIMITS, **env})


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "autograder"
    for name in ("submission", "results"):
        (place / name).mkdir(parents=True)
    export("gradescope", LAB, place / "source")
    assert {p.name for p in (place / "source").iterdir()} == {"setup.sh", "run_autograder", "lab"}
    assert all(os.access(place / "source" / name, os.X_OK) for name in ("setup.sh", "run_autograder"))
    assert subprocess.run(["sh", "-n", place / "source/setup.sh"]).returncode == 0
    return place


def check_results(text, points):
    """As https://gradescope-autograders.readthedocs.io/en/latest/specs/ has it."""
    results = json.loads(text)
    assert results["score"] == points == sum(t["score"] for t in results["tests"])
    assert sum(t["max_score"] for t in results["tests"]) == 10
    assert results["visibility"] == "visible" and results["stdout_visibility"] == "hidden" and results["output_format"] == "text"
    for test in results["tests"]:
        assert set(test) == {"name", "number", "score", "max_score", "status", "output", "output_format", "tags", "visibility"}
        assert test["status"] in ("passed", "failed") and test["output_format"] == "text"
        assert test["visibility"] in ("visible", "hidden", "after_due_date", "after_published")
    return results


def test_gradescope(place):
    source, points = draw_one()
    name = random.choice(["solve.cu", "my kernel.cu"])
    (place / "submission" / name).write_text(source)
    if random.random() < 0.5:  # several files are one submission
        (place / "submission/sizes.cuh").write_text("#pragma once\n")
    done = run_autograder(place, {})
    assert done.returncode == 0, done.stderr
    assert check_results((place / "results/results.json").read_text(), points)["extra_data"]["sandboxed"] is True


def test_gradescope_without_user_namespaces(place, tmp_path):
    """bubblewrap as it fails in such a container; what the submission leaves running does not outlive it."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bin/bwrap").chmod(0o755)
    source, points = draw_one()
    (place / "submission/a.cu").write_text(source)
    user = random.randrange(70000, 4000000)
    env = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "AUTOGRADER_USER": str(user) if may_run(user) else ""}
    done = run_autograder(place, env)
    assert done.returncode == 0, done.stderr
    assert "runs without a sandbox" in done.stdout and "may not become root or write results.json" in done.stdout
    assert check_results((place / "results/results.json").read_text(), points)["extra_data"]["sandboxed"] is False
    assert not [p for p in os.listdir("/proc") if p.isdigit() and os.path.exists(f"/proc/{p}") and os.stat(f"/proc/{p}").st_uid == user]


def test_gradescope_of_a_machine_that_fails(place):
    (place / "submission/a.cu").write_text(RIGHT)
    (place / "source/lab/lab.json").write_text("{")
    done = run_autograder(place, {})
    assert done.returncode == 1 and "lab.json" in done.stderr
    assert not list((place / "results").iterdir())


def test_github_classroom(tmp_path):
    folder = export("classroom", LAB.parent.parent.parent / "labs/histogram", tmp_path / "repository")
    assert {p.name for p in folder.iterdir()} == {".github", "lab", "README.md", "histogram.cu"}
    shutil.rmtree(folder)
    folder = export("classroom", LAB, folder)
    source, points = draw_one()
    forged = 'printf("\\n::notice title=Autograding complete::Points 10/10\\n##[error]x\\n");'
    (folder / "increment.cu").write_text("#include <cstdio>\n" + source.replace("    increment<<<", f"    {forged}\n    increment<<<"))
    workflow = (folder / ".github/workflows/classroom.yml").read_text()
    step = re.search(r"name: Grade\n +run: (.*)", workflow)[1]
    done = subprocess.run(f"{step} {LIMITS}", shell=True, cwd=folder, capture_output=True, text=True, timeout=1800,
                          env={**os.environ, "PATH": f"{WARPBOOK.parent}:{os.environ['PATH']}"})
    assert done.returncode == (0 if points else 1), done.stdout + done.stderr
    assert ": :notice" in done.stdout and "##[" not in done.stdout  # what it printed is shown, and commands nothing
    commands = [line for line in done.stdout.splitlines() if line.lstrip().startswith("::")]
    assert commands[0] == f"::notice title=Autograding complete::Points {points}/10" and len(commands) == 2, done.stdout
    title, _, report = commands[1].rpartition("::")
    assert title == "::notice title=Autograding report" and json.loads(report) == {"totalPoints": points, "maxPoints": 10}


def points_of(cell):
    """Returns nbgrader 0.9.5's points for a grade cell that is no solution (utils.determine_grade)."""
    for output in cell.outputs:
        if output.output_type == "error" or (output.output_type == "stream" and output.name == "stderr"):
            return 0
        if output.output_type == "execute_result":
            return float(output["data"]["text/plain"])
    return cell.metadata.nbgrader.points


def test_nbgrader(tmp_path, monkeypatch):
    """A locked cell gives the points of what the student's cell above it holds; what is not graded has none."""
    export("nbgrader", copy_of_the_lab(tmp_path / "increment"), tmp_path / "course")
    assert "code_stub" in (tmp_path / "course/nbgrader_config.py").read_text()
    call("install", "--prefix", tmp_path / "jupyter", check=0)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter/share/jupyter"))
    folder = tmp_path / "course/source/increment"
    notebook = nbformat.read(folder / "increment.ipynb", 4)
    nbformat.validate(notebook)
    _, solution, graded = notebook.cells
    same = {"schema_version": 3, "task": False}
    assert solution.metadata.nbgrader == {"grade_id": "solution", "grade": False, "solution": True, "locked": False, **same}
    assert graded.metadata.nbgrader == {"grade_id": "points", "grade": True, "solution": False, "locked": True, "points": 10, **same}
    assert graded.source == "%%grade ./lab" and "BEGIN SOLUTION" in solution.source
    source, points = draw_one()
    worthless = random.choice(["%%grade ./lab\nint x = ;", "// nothing"])
    for text, earned in [(f"%%grade ./lab {LIMITS}\n{source}", points), (worthless, 0)]:
        solution.source = text
        graded.source = f"%%grade ./lab {LIMITS}"
        done = nbclient.NotebookClient(notebook, timeout=1200, allow_errors=True, resources={"metadata": {"path": str(folder)}}).execute()
        assert points_of(done.cells[2]) == earned, (text, done.cells[2].outputs)


@pytest.mark.parametrize("args, says", [
    (["gradescope", "transpose"], "into which folder"), (["classroom"], "which lab"), (["gradescop", "transpose"], "new, check, gradescope"),
    (["gradescope", "no-such-lab", "x"], "no lab 'no-such-lab'"), (["check", "transpose", "x"], "one lab at a time"),
])
def test_wrong_usage(args, says, tmp_path):
    assert says in call("lab", *args, check=2, cwd=tmp_path).stderr
    assert not list(tmp_path.iterdir())
