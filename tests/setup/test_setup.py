"""setup.sh, `warpbook doctor`, installing, and the test runner itself."""

import importlib.util
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
SETUP = ROOT / "runtime" / "setup" / "setup.sh"


def run(*command, limit=600, **options):
    return subprocess.run(
        [str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit, **options
    )


@pytest.fixture
def tools(tmp_path):
    """A folder that is the whole PATH: what setup.sh needs, linked; add(name, text) puts a stand-in there."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in "bash env sed tr cut awk cat dirname mkdir date tail head rm touch mktemp cksum sleep printf id".split():
        (folder / name).symlink_to(shutil.which(name))

    def add(name, text):
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_text("#!/bin/sh\n" + text + "\n")
        (folder / name).chmod(0o755)

    add.path = str(folder)
    return add


# ---- setup.sh --------------------------------------------------------------------------------------


def test_a_second_run_is_quick_and_silent():
    assert run(SETUP, "build", "lab", "test").returncode == 0  # the first may have something to do
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    second = run(SETUP, "build", "lab", "test")
    assert second.returncode == 0 and second.stdout == "" and second.stderr == ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2  # 0.05 s of CPU time as a rule


def test_without_root_or_sudo_it_names_the_packages(tools):
    tools("dpkg-query", "true")
    tools("id", "echo 1000")
    answer = run(SETUP, "build", env={"PATH": tools.path})
    assert answer.returncode == 3
    assert "libzmq3-dev" in answer.stderr and "apt-get install --no-install-recommends" in answer.stderr


def test_a_package_that_is_nowhere_is_named(tools):
    tools("dpkg-query", "true")
    tools("id", "echo 0")
    tools("apt-get", "true")
    tools("apt-cache", "true")
    answer = run(SETUP, "build", env={"PATH": tools.path})
    assert answer.returncode == 3
    assert "gcc can't be had" in answer.stderr and "apt-get update" in answer.stderr


def test_only_what_is_missing_is_installed(tools, tmp_path):
    listed = [line.split("#")[0].split() for line in (SETUP.parent / "packages.txt").read_text().splitlines()]
    there = [words[1] for words in listed if words and words[0] == "build" and words[1] != "libzstd-dev"]
    tools("dpkg-query", "\n".join(f"echo 'ii  {name}'" for name in there))
    tools("id", "echo 0")
    tools("apt-cache", "echo '  Candidate: 1.0'")
    tools("apt-get", f'echo "$@" >> {tmp_path}/calls; case $1 in install) exit 100;; esac')
    answer = run(SETUP, "build", env={"PATH": tools.path})
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[-1] == "install -q -y --no-install-recommends libzstd-dev"
    assert answer.returncode == 3 and "could not install libzstd-dev" in answer.stderr


def test_on_another_distribution_it_says_what_is_missing(tools):
    answer = run(SETUP, "build", env={"PATH": tools.path})
    assert answer.returncode == 3
    assert "not Debian or Ubuntu" in answer.stderr and "zmq.h" in answer.stderr


# ---- doctor ----------------------------------------------------------------------------------------


def test_doctor_json():
    answer = run(BUILD / "bin" / "warpbook", "doctor", "--json")
    report = json.loads(answer.stdout)
    assert answer.returncode == (0 if report["ok"] else 3)
    assert {"device", "compiler", "warpbook", "sandbox", "jupyter"} <= {c["group"] for c in report["checks"]}
    for check in report["checks"]:
        assert check["status"] in ("found", "optional", "missing") and check["detail"]
        assert check["status"] != "found" or check["fix"] is None


def test_doctor_names_what_is_missing_and_its_fix(tools):
    answer = run(BUILD / "bin" / "warpbook", "doctor", env={"PATH": tools.path, "HOME": "/nonexistent"})
    assert answer.returncode == 3
    lines = answer.stdout.splitlines()
    for name in ("g++", "bubblewrap"):
        at = next(i for i, line in enumerate(lines) if line.split()[:2] == ["MISSING", name])
        assert lines[at + 1].split()[0] == "fix:"


def test_doctor_refuses_what_it_does_not_know():
    answer = run(BUILD / "bin" / "warpbook", "doctor", "--jsn")
    assert answer.returncode == 2 and "--jsn" in answer.stderr and "usage:" in answer.stderr


# ---- install and uninstall --------------------------------------------------------------------------


def make(*arguments):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    answer = run(
        "make", "--no-print-directory", f"BUILD={os.path.relpath(BUILD, ROOT)}", *arguments, cwd=ROOT, env=environment
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def kernelspec_program(prefix):
    return json.loads((prefix / "share/jupyter/kernels/warpbook/kernel.json").read_text())["argv"][0]


def test_install_move_and_uninstall(tmp_path):
    prefix = tmp_path / "prefix"
    make("install", f"PREFIX={prefix}", "INSTALL_ARCHS=own")
    assert kernelspec_program(prefix) == str(prefix / "bin/warpbook")
    moved = prefix.rename(tmp_path / "moved")
    report = json.loads(run(moved / "bin/warpbook", "doctor", "--json").stdout)
    found = {c["name"]: c for c in report["checks"]}
    assert found["prefix"]["detail"] == str(moved)
    assert found["worker"]["status"] == found["softgpu"]["status"] == found["kernel set"]["status"] == "found"
    moved.rename(prefix)
    (prefix / "lib/other").touch()
    make("uninstall", f"PREFIX={prefix}")
    assert list(prefix.rglob("*")) == [prefix / "lib", prefix / "lib/other"]
    (prefix / "lib/other").unlink()
    make("uninstall", f"PREFIX={prefix}")
    assert not prefix.exists() and tmp_path.exists()


def test_destdir_stays_out_of_what_is_installed(tmp_path):
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/warpbook", "INSTALL_ARCHS=own")
    prefix = tmp_path / "opt/warpbook"
    assert kernelspec_program(prefix) == "/opt/warpbook/bin/warpbook"
    make("uninstall", f"DESTDIR={tmp_path}", "PREFIX=/opt/warpbook")
    assert list(tmp_path.rglob("*")) == []


def test_the_wheels_compiler_needs_no_other_tool(tmp_path):
    """The doctor would call g++ missing, when it is dirname that is."""
    spec = importlib.util.spec_from_file_location("hostcc", ROOT / "runtime/setup/wheel/hostcc.py")
    hostcc = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hostcc)
    folder = tmp_path / "hostcc/bin"
    folder.mkdir(parents=True)
    (folder / "g++").write_text(hostcc.SCRIPT)
    (folder / "g++.bin").write_text('#!/bin/sh\necho "$0" "$@"\n')
    for name in ("g++", "g++.bin"):
        (folder / name).chmod(0o755)
    for program, where in ((folder / "g++", tmp_path), ("./g++", folder), ("hostcc/bin/g++", tmp_path)):
        said = run(program, "-v", cwd=where, env={"PATH": "/nonexistent"}).stdout.split()
        assert said[0] == str(folder / "g++.bin") and said[-1] == "-v"
        assert f"-Wl,-rpath,{tmp_path}/bundled" in said
    (tmp_path / "g++").symlink_to(folder / "g++")
    assert run(tmp_path / "g++").stdout.split()[0] == str(folder / "g++.bin")


# ---- the runner --------------------------------------------------------------------------------------


@pytest.fixture
def little_project(tmp_path):
    """A project whose `unit` programs are shell scripts that print TAP."""
    (tmp_path / "tests" / "unit").mkdir(parents=True)
    (tmp_path / "tests" / "area").mkdir()
    for file in ("run.py", "limits.py", "draw.py"):
        shutil.copy(ROOT / "tests" / file, tmp_path / "tests" / file)
    (tmp_path / "Makefile").write_text(
        "BUILD=build\nunit:\n\tmkdir -p $(BUILD)/tests\n"
        "\tfor t in $$(find tests/unit -name '*.c'); do cp $$t $(BUILD)/tests/$$(basename $$t .c); "
        "chmod +x $(BUILD)/tests/$$(basename $$t .c); done\n"
    )

    def unit(name, text):
        path = tmp_path / "tests" / "unit" / f"{name}_test.c"
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n" + text + "\n")

    unit.root = tmp_path
    return unit


def run_tests(project, *suites, **more):
    environment = {k: v for k, v in os.environ.items() if k not in ("WARPBOOK_BUILD", "K")} | more
    return run(sys.executable, project.root / "tests" / "run.py", *suites, env=environment)


def test_the_runner_counts(little_project):
    little_project("good", "echo 'ok 1 - a'; echo 'ok 2 - b # SKIP'")
    little_project("bad", "echo 'ok 1 - c'; echo 'not ok 2 - d'; exit 1")
    little_project("crash", "echo 'ok 1 - e'; kill -SEGV $$")
    little_project("silent", "exit 0")
    (little_project.root / "tests" / "area" / "test_it.py").write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert False\ndef test_c(): pytest.skip('no')\n"
    )
    answer = run_tests(little_project, "unit", "area")
    assert answer.stdout.splitlines()[-1] == "4 passed, 4 failed, 2 skipped"
    assert answer.returncode == 1
    for words in ("failed: d", "ended by signal 11", "printed no test results", "test_b"):
        assert words in answer.stdout


def test_the_runner_selects(little_project):
    little_project("one", "echo 'ok 1 - a'")
    little_project("two", "echo 'not ok 1 - b'; exit 1")
    little_project("room/three", "echo 'ok 1 - c'; echo 'ok 2 - d'")
    for names, passed in (("unit/one", 1), ("unit/room", 2), ("unit/room/three", 2), ("unit/three", 2), ("unit/one,unit/room", 3)):
        answer = run_tests(little_project, names)
        assert answer.stdout.splitlines()[-1] == f"{passed} passed, 0 failed" and answer.returncode == 0, names
    answer = run_tests(little_project, "unit/roo")
    assert answer.returncode != 0 and "there are: one room/three two" in answer.stderr
    answer = run_tests(little_project, "unti")
    assert answer.returncode != 0 and "no suite 'unti'" in answer.stderr


def test_the_runner_limits_cpu_time_and_not_waiting():
    """A program that is slow because the machine is busy goes on. A loop is ended, also in a child of a child."""
    spec = importlib.util.spec_from_file_location("limits", ROOT / "tests" / "limits.py")
    limits = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(limits)
    for command, over in (("sleep 2.5", None), ("sh -c 'while :; do :; done' & wait", "took more than 0.5 s of CPU time")):
        process = subprocess.Popen(["sh", "-c", command], start_new_session=True)
        assert limits.over_limit(process.pid, 0.5) == over
        if over:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_runner_ends_what_waits_for_what_never_comes(little_project):
    """It costs neither the run nor the count of the others, and the log tells which process waits, and in what."""
    little_project("hangs", "echo 'ok 1 - a'; sh -c 'sleep 1001; true'")
    little_project("works", "i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done; sleep 1; echo 'ok 1 - b'")
    answer = run_tests(little_project, "unit", QUIET_S="3")
    assert answer.stdout.splitlines()[-1] == "2 passed, 1 failed" and answer.returncode == 1
    assert "failed: used no CPU time for 3 s" in answer.stdout
    log = (little_project.root / "build/tests/logs/unit.hangs.log").read_text()
    assert re.search(r"process \d+: sh -c sleep 1001; true\n(?s:.)*process \d+: sleep 1001\n.", log), log
    assert subprocess.run(["pgrep", "-f", "sleep 1001"], capture_output=True).stdout == b""


def test_a_second_make_with_nothing_left_to_do_goes_on():
    """The steps to do are counted before they are done; that there are none is no failure."""
    call = ["make", "--no-print-directory", "test", "SETUP=true", "PYTHON=true", f"BUILD={os.path.relpath(BUILD, ROOT)}"]
    for _ in range(2):
        done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stdout + done.stderr
