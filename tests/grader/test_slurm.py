"""A class on a Slurm: a mock of sbatch and squeue (tests/mock/slurm) whose tasks run, are killed, time out, never start or are
tried again, as drawn at random. Their options and forms were seen with Slurm 22.05. With ALL=1, and where slurm-wlm is installed,
on a real one of two nodes (slurm_here.py), of which one dies."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

import slurm_here
from test_book import LAB, PATIENT, RIGHT, ROOT, WARPBOOK, call, rows


@pytest.fixture
def slurm(tmp_path):
    """The mock's folder, and the environment that leads to it; what it started is ended."""
    state = tmp_path / "slurm"
    (state / "tasks").mkdir(parents=True)
    (state / "fates.json").write_text("{}")
    yield state, {**os.environ, "MOCK_SLURM": str(state), "PATH": f"{ROOT}/tests/mock/slurm:{os.environ['PATH']}"}
    for pid in (state / "pids").read_text().split() if (state / "pids").exists() else []:
        while os.path.exists(f"/proc/{pid}") and "Z" not in open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]:
            time.sleep(0.1)


def hand_in(folder, draw, n):
    """n submissions; right or wrong as drawn, by the student's id."""
    folder.mkdir()
    right = {}
    for i in range(n):
        name = f"s{i}"
        right[name] = draw.random() < 0.5
        (folder / f"{name}.cu").write_text((RIGHT if right[name] else "#error not yet\n") + f"// {draw.random()}\n")
    return right


def points(book):
    return {s["student"]: s["labs"][0]["points"] for s in json.loads(call("book", "show", book, "--json", check=0).stdout)["students"]}


def test_what_was_killed_is_told_and_graded_by_the_same_call(tmp_path, slurm):
    state, env = slurm
    seed = random.randrange(1 << 32)
    draw = random.Random(seed)
    right = hand_in(tmp_path / "in", draw, 5)
    names = list(right)
    fates = ["killed", "timeout", "never", "requeued", None]
    draw.shuffle(fates)
    (state / "fates.json").write_text(json.dumps({str(i): fate for i, fate in enumerate(fates) if fate}))
    command = ["grade", LAB, *sorted((tmp_path / "in").iterdir()), "--book", tmp_path / "class.book", "--slurm", *PATIENT]
    done = call(*command, env=env)
    lost = {name for name, fate in zip(names, fates) if fate in ("killed", "timeout", "never")}
    told = {"killed": "FAILED", "timeout": "(TIMEOUT)", "never": "it never started"}
    assert done.returncode == 3, (seed, done.stderr)
    for name, fate in zip(names, fates):
        lines = [line for line in done.stderr.splitlines() if f"{name}.cu has no result" in line]
        assert len(lines) == (name in lost) and all(told[fate] in line for line in lines), (seed, fate, done.stderr)
    expected = {name: 10 if right[name] else 0 for name in names}
    assert points(tmp_path / "class.book") == {n: None if n in lost else expected[n] for n in names}, (seed, done.stderr)
    again = call(*command, env=env)
    assert again.returncode == (0 if all(right.values()) else 1), (seed, again.stderr)
    assert f"{5 - len(lost)} of 5 have results" in again.stderr and f"{len(lost)} submissions are handed to Slurm" in again.stderr
    assert points(tmp_path / "class.book") == expected, seed
    kept = rows(tmp_path / "class.book", "SELECT submission FROM results")
    assert len(kept) == len(set(kept)) == 5  # nothing twice, the requeued one neither
    assert [p.name for p in (tmp_path / "class.book.slurm").iterdir()] == ["lock"]
    assert (tmp_path / "class.book.slurm").stat().st_mode & 0o77 == 0


def test_a_call_that_is_killed_loses_nothing(tmp_path, slurm):
    """The jobs go on without it; the next call gathers what they found, and hands nothing in twice."""
    state, env = slurm
    draw = random.Random()
    right = hand_in(tmp_path / "in", draw, 2)
    command = ["grade", LAB, *sorted((tmp_path / "in").iterdir()), "--book", tmp_path / "class.book", "--slurm", *PATIENT]
    process = subprocess.Popen([WARPBOOK, *map(str, command)], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (state / "pids").exists():
        time.sleep(0.02)
    other = call(*command, env=env)
    assert other.returncode == 3 and "another call waits for Slurm's results" in other.stderr
    if draw.random() < 0.5:  # with one of them in the book
        while process.poll() is None and not rows(tmp_path / "class.book", "SELECT * FROM results"):
            time.sleep(0.005)
    else:
        time.sleep(draw.uniform(0, 1))
    process.send_signal(draw.choice([signal.SIGKILL, signal.SIGTERM]))
    process.wait()
    gathered = len(rows(tmp_path / "class.book", "SELECT * FROM results")) == 2  # it was over, or all but, before the signal came
    done = call(*command, env=env)
    assert done.returncode == (0 if all(right.values()) else 1), done.stderr
    assert ("2 of 2 have results" if gathered else "2 submissions were handed to Slurm before") in done.stderr
    assert "are handed to Slurm, as" not in done.stderr
    assert points(tmp_path / "class.book") == {name: 10 if right[name] else 0 for name in right}
    assert len(rows(tmp_path / "class.book", "SELECT * FROM results")) == 2
    assert (state / "count").read_text() == "2"


def test_a_slurm_that_is_not_there(tmp_path, slurm):
    state, env = slurm
    (tmp_path / "ada.cu").write_text(RIGHT)
    command = ["grade", LAB, tmp_path / "ada.cu", "--book", tmp_path / "class.book", "--slurm", *PATIENT]
    few = tmp_path / "few"  # what a call needs, and no sbatch
    few.mkdir()
    for name in ("sh", "nvcc", "bwrap"):
        if shutil.which(name):
            (few / name).symlink_to(shutil.which(name))
    none = call(*command, env={**env, "PATH": str(few)})
    assert none.returncode == 3 and "there is no Slurm here: sbatch is not on the PATH" in none.stderr
    (state / "refuses").write_text("Invalid account or account/partition combination specified")
    refused = call(*command, env=env)
    assert refused.returncode == 3 and "Invalid account" in refused.stderr
    assert [p.name for p in (tmp_path / "class.book.slurm").iterdir()] == ["lock"]
    assert rows(tmp_path / "class.book", "SELECT count(*) FROM results") == [(0,)]
    assert call(*command, "--jobs", "2", env=env, check=2).stderr.startswith("warpbook grade: --jobs has no use with --slurm")
    assert "--slurm go with --book" in call("grade", LAB, tmp_path / "ada.cu", "--slurm", check=2).stderr


def test_a_task_grades_every_thousandth_submission(tmp_path, slurm):
    """Whatever the copies are called. A requeued task keeps the results it has. A task of another round grades nothing."""
    state, env = slurm
    (tmp_path / "ada.cu").write_text(RIGHT)
    (state / "refuses").write_text("no")
    call("grade", LAB, tmp_path / "ada.cu", "--book", tmp_path / "class.book", "--slurm", *PATIENT, env=env, check=3)
    job, = state.glob("warpbook-*.sh")
    copies = {0: "a b.cu", 1: "other.cu", 1000: ".hidden.cu", 2000: "'$x'.cu", 3000: "..dots"}
    for i, name in copies.items():
        (tmp_path / f"tasks/{i}").mkdir(parents=True)
        (tmp_path / f"tasks/{i}" / name).write_text("")
    (tmp_path / "2000.json").write_text("kept")
    grader = tmp_path / "grader"
    grader.write_text('#!/bin/sh\nfor a; do [ "$o" = --output ] && echo "$3" > "$a"; o=$a; done; exit $FAILS\n')
    grader.chmod(0o755)
    (tmp_path / "list").write_text('{"name": "warpbook-1.5-7"}')

    def task(fails, name="warpbook-1.5-7"):
        env = {**os.environ, "SLURM_JOB_NAME": name, "SLURM_ARRAY_TASK_ID": "0", "FAILS": str(fails)}
        status = subprocess.run(["sh", job, grader, "lab"], cwd=tmp_path, env=env).returncode
        return status, {int(p.stem): p.read_text().strip() for p in tmp_path.glob("[0-9]*.json")}
    assert task(0, "warpbook-1.5-") == (3, {2000: "kept"})
    for fails in 0, 1, 3:
        results = {0: "tasks/0/a b.cu", 1000: "tasks/1000/.hidden.cu", 2000: "kept", 3000: "tasks/3000/..dots"}
        assert task(fails) == (3 if fails == 3 else 0, results)
        for i in 0, 1000, 3000:
            (tmp_path / f"{i}.json").unlink()


def test_what_cannot_be_read_takes_no_task(tmp_path, slurm):
    state, env = slurm
    (tmp_path / "file").write_text(RIGHT)
    (tmp_path / "ada.cu").symlink_to(tmp_path / "file")
    call("grade", LAB, tmp_path / "ada.cu", "--book", tmp_path / "class.book", "--slurm", *PATIENT, env=env, check=1)
    assert points(tmp_path / "class.book") == {"ada": 0} and not (state / "count").exists()


def test_a_node_with_another_lab_does_not_grade(tmp_path):
    done = call("grade", LAB, LAB / "right.cu", "--json", "--made-by", "other digests", *PATIENT, check=3)
    assert not done.stdout and "another version of the lab increment" in done.stderr


@pytest.fixture
def two_nodes(tmp_path):
    if not os.environ.get("WARPBOOK_TEST_ALL"):
        pytest.skip("a minute: WARPBOOK_TEST_ALL=1 starts a Slurm of two nodes")
    if slurm_here.missing():
        pytest.skip(slurm_here.missing())
    (tmp_path / "slurm").mkdir()
    nodes = slurm_here.Slurm(tmp_path / "slurm")
    yield nodes
    nodes.end()


def test_a_node_that_dies_costs_another_try(tmp_path, two_nodes):
    """Its daemon and its tasks are killed while it grades: the other node grades them again, and nothing comes twice."""
    draw = random.Random()
    right = hand_in(tmp_path / "in", draw, 6)
    command = ["grade", LAB, *sorted((tmp_path / "in").iterdir()), "--book", tmp_path / "class.book", "--slurm", *PATIENT]
    process = subprocess.Popen([WARPBOOK, *map(str, command)], env=two_nodes.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    node = draw.choice(["node1", "node2"])
    while not (tasks := two_nodes.tasks_of(node)):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    two_nodes.kill_node(node)
    out, err = process.communicate(timeout=900)
    said = f"{node} died with {tasks}: {err}"
    assert process.returncode == (0 if all(right.values()) else 1), said
    assert points(tmp_path / "class.book") == {name: 10 if right[name] else 0 for name in right}, said
    kept = rows(tmp_path / "class.book", "SELECT submission FROM results")
    assert len(kept) == len(set(kept)) == len(right), said
    assert "has no result" not in err, said
    until = time.time() + 300  # Slurm notices it after a while, and the tests may be over before
    while "down" not in two_nodes.ask("sinfo", "-h", "-N", "-n", node, "-o", "%T"):
        assert time.time() < until, said
        time.sleep(0.2)
