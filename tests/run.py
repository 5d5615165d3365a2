#!/usr/bin/env python3
"""Runs the tests and counts them. The last line says `N passed, N failed` (and `, N skipped`).

    tests/run.py [SUITE...]      all suites, or those named: unit, san, fuzz, or a folder of tests/;
                                 one program, room or file of a suite as unit/base, unit/softgpu,
                                 grader/test_grade.py

Suites: unit (the cmocka programs), san (the same under the address and undefined-behaviour
sanitizers), fuzz (each libFuzzer target for a few seconds), and every folder of tests/ that holds
test_*.py files, by pytest. Each program and each folder has a limit of CPU time; what they print goes
to build/tests/logs/, and the end of it is shown where something failed. ALL=1 in the environment: with what
is long and tells little more (tests/README.md).
"""

import argparse
import itertools
import os
import random
import re
import resource
import shutil
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import draw
from limits import QUIET_S, run_limited

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
SAN_BUILD = BUILD / "san"
LOGS = BUILD / "tests" / "logs"
EVERYTHING = bool(os.environ.get("ALL"))  # make test ALL=1
SEED = os.environ.get("SEED") or str(random.randrange(1 << 30))  # of what tests draw
FUZZ_SECONDS = int(os.environ.get("FUZZ_SECONDS", "10" if EVERYTHING else "2"))
# Seconds of CPU time for a program or folder with all it starts, at least three times what it takes on slow cores (the
# session's cells, which are nvcc's time, took 480 there): it says the same on a busy machine as on a quiet one. What takes
# none, because it waits for what never comes, is ended by limits.py.
LIMIT_S = {"unit": 1800, "san": 1800, "fuzz": 180 + FUZZ_SECONDS, "pytest": 1800, "make": 3600}
# Folders that run only when they are named: they have a make target of their own.
APART = {"bench", "gpu"}
# Programs whose time is the compiler's, which is not sanitized: a plain run of both suites has those
# under the sanitizers alone, where they check all they check otherwise, and more.
COMPILERS = {"worker/worker", "compile/compile"}
# The cases of tests/cells are the compiler's too: of both suites a plain run has CELLS_A_JOB cells each, the
# same each time; under the sanitizers from these twelve. Of the lines and branches of session,
# cells and compile that all 39 reach, the twelve reach 94 % (as gcov counts), in a third of the time.
SESSION = "worker/session"
SANITIZED_CASES = {"device", "endings", "errors", "full_disk", "hints", "kernels", "lambdas", "lost", "macros", "own_headers",
                   "statics", "vexing"}
CELLS_A_JOB = 20
# Folders whose files are jobs of their own, so that none is long at the end.
BY_FILE = {"grader", "kernels", "softgpu", "kernel", "conformance", "model"}
# Seven more than the two cores that are counted on: a test that waits (for a client, a limit, a lock, the disk) leaves its
# core to another. With five more a third of the cores' time stayed unused.
AT_ONCE = min(2, os.cpu_count() or 1) + 7
# The longest jobs start first, so that no core is idle at the end.
LONGEST = ["grader/test_grade", "unit/worker/session", "san/worker/session", "softgpu/test_cases", "notebooks", "kernel/test_real",
           "setup", "browser", "kernel/test_routes", "kernel/test_survival", "kernels/test_kernels", "grader/test_author", "softgpu/test_runtime", "lint",
           "kernel/test_predict", "oracle", "grader", "conformance/test_sanitized", "conformance/test_channels", "san/worker/worker",
           "kernels", "model", "softgpu", "kernel"]
# Compiled cells are kept from suite to suite, not from one whole run to the next.
CACHE = BUILD / "tests" / "cache"
SHOWN_LINES = 40

say_lock = threading.Lock()


def say(*words):
    with say_lock:
        print(*words, flush=True)


class Outcome:
    """Result of one program or folder: counts, the names that failed, and where its output is."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped = name, 0, 0, 0
        self.bad, self.reasons, self.seconds, self.cpu = [], [], 0.0, 0.0
        self.log = LOGS / (name.replace("/", ".") + ".log")

    def fail(self, what):
        self.failed += 1
        self.bad.append(what)

    def report(self):
        word = "FAIL" if self.failed else "ok" if self.passed or not self.skipped else "skip"
        counts = [f"{self.passed} passed"]
        counts += [f"{self.failed} failed"] if self.failed else []
        counts += [f"{self.skipped} skipped"] if self.skipped else []
        say(f"  {word:<6} {self.name:<32} {', '.join(counts)}, {self.seconds:.1f} s, CPU {self.cpu:.1f} s")
        for reason in sorted(set(self.reasons)):
            say(f"         skipped: {reason}")
        if self.failed:
            for what in self.bad:
                say(f"         failed: {what}")
            show_tail(self.log)


def show_tail(log):
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    say(f"         --- the last lines of {os.path.relpath(log, ROOT)}")
    for line in lines[-SHOWN_LINES:]:
        say("         | " + line[:300])


def clean_environment(**more):
    """The environment of the tests: no make variables, no shell's Python settings, fixed locale."""
    drop = ("MAKE", "MFLAGS", "PYTHON", "WARPBOOK_")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(drop)}
    environment.update(LC_ALL="C.UTF-8", WARPBOOK_BUILD=str(BUILD), PYTHONDONTWRITEBYTECODE="1", XDG_CACHE_HOME=str(CACHE))
    for name, folder in (("PLAYWRIGHT_BROWSERS_PATH", "ms-playwright"), ("PIP_CACHE_DIR", "pip")):
        environment.setdefault(name, str(cache / folder))
    environment["SEED"] = SEED
    if EVERYTHING:
        environment["WARPBOOK_TEST_ALL"] = "1"
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    note = BUILD / "share" / "warpbook" / "toolkit"  # the compiler that this build was made with
    if "NVCC" not in environment and note.exists():
        environment["NVCC"] = note.read_text().strip()
    environment.update(more)
    return environment


# ---- suites ------------------------------------------------------------------------------------------


def run_cmocka(name, program, *arguments):
    """A cmocka program, read by its TAP output; ending badly counts as one failed test."""
    outcome = Outcome(name)
    environment = clean_environment(
        CMOCKA_MESSAGE_OUTPUT="TAP",
        # GCC before 14 aligns the frames it keeps for uses after return to 32 bytes, AVX-512 variables to 64.
        ASAN_OPTIONS="detect_leaks=1:abort_on_error=0:allocator_may_return_null=1"
                     ":detect_stack_use_after_return=0"
                     # each strstr would look for the end of its text, megabytes away: half of the suite's time
                     ":intercept_strstr=0",
        UBSAN_OPTIONS="print_stacktrace=1",
    )
    if name.startswith("san/"):
        # The sanitized program starts the ordinary worker and device libraries: a sanitizer's runtime can't be
        # loaded into a process later, by dlopen, and would claim the signals that the worker reports.
        environment["WARPBOOK_PREFIX"] = str(BUILD)
    status = run_limited(outcome, [str(program), *arguments], LIMIT_S[name.split("/")[0]], ROOT, environment)
    lines = outcome.log.read_text(errors="replace").splitlines()
    for i, line in enumerate(lines):
        match = re.match(r"(not ok|ok) \d+ - ([^#]*)(# SKIP)?", line)
        if match and match[3]:
            outcome.skipped += 1
        elif match and match[1] == "ok":
            outcome.passed += 1
        elif match:
            why = itertools.takewhile(lambda said: said.startswith("# "), lines[i + 1:])
            outcome.fail(": ".join([match[2].strip(), *(said[2:] for said in why)]))
    if status and not outcome.failed:
        outcome.fail(f"ended by signal {-status}" if status < 0 else f"exit status {status}")
    elif not outcome.passed + outcome.failed + outcome.skipped:
        outcome.fail("printed no test results")
    return outcome


def run_fuzzer(name, program):
    """A libFuzzer target on its seeds (tests/fuzz/corpus/NAME) and for FUZZ_SECONDS on what it makes
    of them. New inputs stay in build/fuzz/corpus/NAME; a crash is kept under build/fuzz/crashes/."""
    outcome = Outcome(name)
    target = program.name.removesuffix("_fuzz")
    grown = BUILD / "fuzz" / "corpus" / target
    crashes = BUILD / "fuzz" / "crashes"
    grown.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(parents=True, exist_ok=True)
    seeds = ROOT / "tests" / "fuzz" / "corpus" / target
    command = [str(program), f"-max_total_time={FUZZ_SECONDS}", "-timeout=10", "-rss_limit_mb=2048"]
    command += [f"-artifact_prefix={crashes}/{target}-", "-print_final_stats=1", "-verbosity=1"]
    dictionary = ROOT / "tests" / "fuzz" / f"{target}.dict"
    command += [f"-dict={dictionary}"] if dictionary.exists() else []
    command += [str(grown)] + ([str(seeds)] if seeds.is_dir() else [])
    with tempfile.TemporaryDirectory() as folder:
        environment = clean_environment(TMPDIR=folder, ASAN_OPTIONS="detect_leaks=1")
        status = run_limited(outcome, command, LIMIT_S["fuzz"], ROOT, environment)
    if status == 0:
        outcome.passed = 1
    elif status:
        outcome.fail("found an input that breaks it")
    return outcome


def run_pytest(name, paths):
    """A folder of tests by pytest, counted from its JUnit report."""
    outcome = Outcome(name)
    report = LOGS / (name.replace("/", ".") + ".xml")
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-ra", "--tb=short", "-p", "no:cacheprovider"]
    command += [f"--junitxml={report}", "--color=no", "--durations=5", *map(str, paths)]
    command += ["-o", f"faulthandler_timeout={QUIET_S * 0.8}"]  # the log tells which test it is that hangs
    if os.environ.get("K"):
        command += ["-k", os.environ["K"]]
    status = run_limited(outcome, command, LIMIT_S["pytest"], ROOT, clean_environment())
    if report.exists():
        for case in ElementTree.parse(report).iter("testcase"):
            label = f"{case.get('classname', '')}::{case.get('name')}".removeprefix("tests.")
            if case.find("failure") is not None or case.find("error") is not None:
                outcome.fail(label)
            elif case.find("skipped") is not None:
                outcome.skipped += 1
                outcome.reasons.append(case.find("skipped").get("message", ""))
            else:
                outcome.passed += 1
    if status and not outcome.failed and not (status == 5 and os.environ.get("K")):  # 5: nothing to run
        outcome.fail(f"pytest ended with status {status}")
    return outcome


def make(name, *arguments):
    """Builds what a suite needs. Returns an outcome only when that failed."""
    outcome = Outcome(name)
    outcome.log.unlink(missing_ok=True)
    jobs = f"-j{os.cpu_count() or 1}"
    say(f"  make   {' '.join(arguments)}")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    start = time.monotonic()
    command = ["make", "--no-print-directory", "-k", jobs, *arguments]
    status = run_limited(outcome, command, LIMIT_S["make"], ROOT, environment)
    outcome.seconds = time.monotonic() - start
    say(f"  built  {name:<32} {outcome.seconds:.1f} s, CPU {outcome.cpu:.1f} s")
    if status:
        outcome.fail("does not build")
    return [outcome] if outcome.failed else []


def make_unit():
    """The cmocka programs, and the kernel with a mock of the session that tests/conformance drives."""
    return make("build-unit", f"BUILD={os.path.relpath(BUILD, ROOT)}", "unit")


# ---- what to run -------------------------------------------------------------------------------------


def sources_of(folder, ending):
    """{name: the program's name} of the C files below a folder: tests/unit/ROOM/NAME_test.c is ROOM/NAME."""
    found = sorted(p.relative_to(folder).as_posix().removesuffix(ending + ".c") for p in folder.rglob(f"*{ending}.c"))
    return {name: name.rsplit("/", 1)[-1] + ending for name in found}


def named(name, words):
    """Whether one of the words names a program: in full, by its room, or without the room."""
    return any(name == w or name.startswith(w + "/") or name.rsplit("/", 1)[-1] == w for w in words)


def some(cells):
    """Cases for a job: as many as make CELLS_A_JOB cells."""
    chosen, n = [], 0
    for case in sorted(cells, key=draw.mixed):
        if n < CELLS_A_JOB:
            chosen.append(case)
            n += cells[case]
    return chosen


def session_jobs(suite, program, once):
    """[(name, function)]: the cases of tests/cells in jobs of some cells each; once: some of those that the other suite has
    not."""
    cells = {p.parent: len(list(p.parent.glob("*.cu"))) for p in (ROOT / "tests" / "cells").glob("*/1.cu")}
    cells |= {p.parent: p.read_text().count("\n--- ") + 1 for p in (ROOT / "tests" / "cells").glob("*/cells.txt")}
    cases = list(cells)
    if once:
        cases = some({p: n for p, n in cells.items() if (p.name in SANITIZED_CASES) == (suite == "san")})
    parts = [[] for _ in range(max(1, round(sum(cells[p] for p in cases) / CELLS_A_JOB)))]
    for case in sorted(cases, key=lambda p: (-cells[p], p)):  # each to the part with the fewest cells
        min(parts, key=lambda part: sum(cells[p] for p in part)).append(case)
    jobs = []
    for i, part in enumerate(parts, 1):
        name = f"{suite}/{SESSION}" + (f"-{i}" if len(parts) > 1 else "")
        jobs.append((name, lambda n=name, c=sorted(p.name for p in part): run_cmocka(n, program, *c)))
    return jobs


def plan_programs(suite, names, once):
    """[(name, function)] for the programs of unit, san or fuzz, built first; once: without what the other suite has."""
    wanted = {n.split("/", 1)[1] for n in names if "/" in n} if suite not in names else None
    sources = ROOT / "tests" / ("fuzz" if suite == "fuzz" else "unit")
    ending = "_fuzz" if suite == "fuzz" else "_test"
    known = sources_of(sources, ending)
    for word in sorted(wanted or ()):
        if not any(named(name, [word]) for name in known):
            sys.exit(f"tests/run.py: no test {suite}/{word}; there are: {' '.join(known)}")
    if not known:
        return [], []
    if wanted is not None:
        known = {n: p for n, p in known.items() if named(n, wanted)}
    elif suite == "fuzz" and once:  # each takes clang 6 s
        known = dict(draw.share(sorted(known.items()), 3))
    if suite == "unit":
        failures, folder = make_unit(), BUILD / "tests"
    elif suite == "san":
        san = os.path.relpath(SAN_BUILD, ROOT)
        failures, folder = make("build-san", "SAN=1", f"BUILD={san}", "unit"), SAN_BUILD / "tests"
    elif shutil.which("clang"):
        folder, build = BUILD / "fuzz", os.path.relpath(BUILD, ROOT)
        failures = make("build-fuzz", f"BUILD={build}", *(f"{build}/fuzz/{p}" for p in known.values()))
    else:
        skipped = Outcome("fuzz")
        skipped.skipped, skipped.reasons = len(known), ["clang is missing: make setup"]
        return [skipped], []
    runner = run_fuzzer if suite == "fuzz" else run_cmocka
    # Only what has a source today: an old build folder may hold programs that are gone.
    found = {n: folder / p for n, p in known.items() if (folder / p).exists()}
    jobs = session_jobs(suite, found.pop(SESSION), once) if SESSION in found else []
    return failures, jobs + [(f"{suite}/{n}", lambda n=n, p=p: runner(f"{suite}/{n}", p)) for n, p in found.items()]


def left_out():
    """The jobs that a plain run of both suites does without: what is the compiler's time runs under the sanitizers alone."""
    return {f"unit/{name}" for name in COMPILERS}


def python_folders():
    folders = {p.parent.name for p in (ROOT / "tests").glob("*/test_*.py")}
    return sorted(folders)


def plan_pytest(folder, names):
    """[(name, function)] for a folder, or for what is named of it."""
    if folder in names:
        if folder in BY_FILE and not os.environ.get("K"):
            files = sorted((ROOT / "tests" / folder).glob("test_*.py"))
            return [(f"{folder}/{p.stem}", lambda p=p: run_pytest(f"{folder}/{p.stem}", [p])) for p in files]
        paths = [ROOT / "tests" / folder]
    else:
        paths = [ROOT / "tests" / n for n in names]
        for path in paths:
            if not Path(str(path).split("::")[0]).exists():
                sys.exit(f"tests/run.py: there is no {os.path.relpath(path, ROOT)}")
    return [(folder, lambda: run_pytest(folder, paths))]


def place_of(name):
    """Returns a job's place in LONGEST, by its name, its folder's name, or the beginning of either."""
    return next((i for i, first in enumerate(LONGEST) if name.startswith(first)), len(LONGEST))


def run_all(jobs, workers):
    """Runs jobs, `workers` at a time, reporting each as it ends and, every 30 s, what still runs."""
    running, lock, results = {}, threading.Lock(), []

    def run_one(job):
        name, function = job
        start = time.monotonic()
        with lock:
            running[name] = start
        (LOGS / (name.replace("/", ".") + ".log")).unlink(missing_ok=True)
        try:
            outcome = function()
        except Exception as problem:  # a broken report must not end the whole run
            outcome = Outcome(name)
            outcome.fail(f"{type(problem).__name__}: {problem}")
        outcome.seconds = time.monotonic() - start
        with lock:
            del running[name]
            results.append(outcome)
        outcome.report()

    over = threading.Event()

    def heartbeat():
        while not over.wait(30):
            with lock:
                names = [f"{n} ({time.monotonic() - t:.0f} s)" for n, t in running.items()]
            say(f"  ...    {', '.join(names)}")

    threading.Thread(target=heartbeat, daemon=True).start()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(run_one, jobs))
    over.set()
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("suite", nargs="*")
    parser.add_argument("--list", action="store_true", help="the suites there are")
    arguments = parser.parse_args()
    suites = ["unit", "san", "fuzz"] + python_folders()
    if arguments.list:
        print("\n".join(suites))
        return 0
    names = [n.strip("/").removeprefix("tests/") for w in arguments.suite for n in w.split(",") if n]
    chosen = {}
    for name in names or [s for s in suites if s not in APART]:
        suite = name.split("/")[0]
        if suite not in suites:
            sys.exit(f"tests/run.py: there is no suite '{suite}'; there are: {' '.join(suites)}")
        chosen.setdefault(suite, []).append(name)
    LOGS.mkdir(parents=True, exist_ok=True)
    if not names:
        shutil.rmtree(CACHE, ignore_errors=True)
    start = time.monotonic()
    results, jobs = [], []
    once = not EVERYTHING and "unit" in chosen.get("unit", ()) and "san" in chosen.get("san", ())
    for suite in [s for s in suites if s in chosen]:
        if suite in ("unit", "san", "fuzz"):
            failures, found = plan_programs(suite, chosen[suite], once)
            for outcome in failures:
                outcome.report()
            results += failures
            jobs += found
        else:
            if suite == "conformance" and "unit" not in chosen:
                results += make_unit()
            jobs += plan_pytest(suite, chosen[suite])
    if once:
        out = left_out()
        jobs = [job for job in jobs if job[0] not in out]
    jobs.sort(key=lambda job: place_of(job[0]))
    results += run_all(jobs, AT_ONCE)
    passed, failed, skipped = (sum(getattr(r, f) for r in results) for f in ("passed", "failed", "skipped"))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    say(f"\n  {time.monotonic() - start:.0f} s, {cpu:.0f} s of CPU; SEED={SEED} draws the same inputs; the logs are in {os.path.relpath(LOGS, ROOT)}/")
    if failed:
        say("  failed: " + ", ".join(r.name for r in results if r.failed))
    if not passed + failed:
        sys.exit("tests/run.py: no tests ran")
    say(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
