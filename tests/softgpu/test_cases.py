"""Programs as nvcc makes them, run on softgpu: a directory a case.

cases/NAME/main.cu     the program
cases/NAME/expected.txt  what it prints on stdout, exactly
cases/NAME/case.json   optional, all fields optional:
    builds  [{arch, flags}]: each is built and run; arch is the XX of compute_XX (default "90"), flags are
            more arguments for nvcc
    runs    [{args, env, exit, expected, stderr, report}]: one program run several ways.
            expected: another file's name; stderr: texts that must be in it, [] for nothing at all;
            report: {"fault.kind": "..."}: fields of softgpu's report; a list: texts it must have.
            gpu: false keeps a run off a real device
    one_of  of the cases with the same words here a plain run has one: their headers alone take nvcc ten seconds
A plain run has an eighth of the cases, for their time is nvcc's; with WARPBOOK_TEST_ALL, or where tests are chosen
by name, all are run.
A program is built once (two at a time, while other cases run) and kept in build/tests/softgpu until its source or its flags change.
WARPBOOK_UPDATE=1 writes the expected files anew: read the difference.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

import draw

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = (ROOT / os.environ.get("WARPBOOK_BUILD", "build")).resolve()
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
SOFTGPU = BUILD / "lib/warpbook/softgpu"


def description(case):
    path = case / "case.json"
    return json.loads(path.read_text()) if path.exists() else {}


COMPILERS = ThreadPoolExecutor(2)  # the suite is nearly all nvcc, which keeps one core busy
begun = {}


def begin(entry):
    """Has the program of a run compiled in the background, once."""
    case, how, _ = entry
    key = (case, how.get("arch", "90"), *how.get("flags", []))
    if key not in begun:
        begun[key] = COMPILERS.submit(compiled, case / "main.cu", how.get("arch", "90"), how.get("flags", []))
    return begun[key]


def compiled(source, arch, flags):
    """The program's path; compiles when this source with these flags has no program yet."""
    command = [NVCC, "-cudart", "shared", "-gencode",
               f"arch=compute_{arch},code=compute_{arch}", "-lineinfo", "-I", str(HERE), *flags]
    key = hashlib.sha256("\0".join(command).encode() + source.read_bytes() +
                         (HERE / "check.h").read_bytes()).hexdigest()[:16]
    folder = BUILD / "tests/softgpu"
    program = folder / f"{source.parent.name}-{key}"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f"{program.name}.{os.getpid()}"
        done = subprocess.run([*command, "-o", str(partial), source.name], cwd=source.parent,
                              capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        partial.rename(program)
    return program


def field(report, path):
    for part in path.split("."):
        report = report[int(part)] if isinstance(report, list) else report[part]
    return report


def run(program, spec, report_path):
    env = dict(os.environ, LD_LIBRARY_PATH=str(SOFTGPU), WARPBOOK_SOFTGPU_REPORT=str(report_path))
    env.update(spec.get("env", {}))
    return subprocess.run([str(program), *spec.get("args", [])], env=env, capture_output=True,
                          timeout=600)


def check_report(report, wanted):
    for path, want in wanted.items():
        got = field(report, path)
        if isinstance(want, list) and not isinstance(got, list):
            for text in want:
                assert text in got, f"{path}: {text!r} is not in {got!r}"
        else:
            assert got == want, f"{path}: {got!r}, not {want!r}; {report.get('fault')}"


def chosen(cases):
    if draw.WHOLE:
        return cases
    groups = {}
    for case in cases:
        groups.setdefault(description(case).get("one_of", case), []).append(case)
    return draw.share(sorted(draw.few(group, 1)[0] for group in groups.values()), 8)


CASES = chosen(sorted(path.parent for path in HERE.glob("cases/*/main.cu")))
RUNS = [(case, build, spec)
        for case in CASES
        for build in description(case).get("builds", [{}])
        for spec in description(case).get("runs", [{}])]


def name_of(entry):
    case, build, spec = entry
    return " ".join([case.name, build.get("arch", "90"), *build.get("flags", []), *spec.get("args", [])])


@pytest.mark.parametrize("entry", RUNS, ids=name_of)
def test_case(entry, tmp_path):
    case, _, spec = entry
    program = begin(entry).result()
    report_path = tmp_path / "report.json"
    done = run(program, spec, report_path)
    out = done.stdout.decode("utf-8", "replace")
    err = done.stderr.decode("utf-8", "replace")
    expected = case / spec.get("expected", "expected.txt")
    if os.environ.get("WARPBOOK_UPDATE"):
        expected.write_text(out)
    assert out == expected.read_text(), err
    assert done.returncode == spec.get("exit", 0), err
    assert spec.get("stderr") != [] or not err, err
    for text in spec.get("stderr", []):
        assert text in err, err
    if "report" in spec:
        check_report(json.loads(report_path.read_text()), spec["report"])
