"""The wheel, as a user has it: installed by pip without root, on a system without a compiler, with the toolkit laid out as
its wheels lay it out. The system is a sandbox's: glibc, a shell and the small tools, Python, and nothing else."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
WHEEL = ROOT / "runtime" / "setup" / "wheel" / "wheel.py"
TOOLS = "sh bash sed grep cat rm cp mv mkdir ls env readlink dirname tail head touch true false sleep".split()
ABSENT = "gcc g++ cc c++ cpp as ld clang make nvcc bwrap".split()
STDLIB = Path(os.__file__).parent  # of the Python that .venv was made of
LIMIT_S = 900
LAB = "transpose"

# Runs inside, where the tests run as root: a user without rights, as students are.
BECOME = "import os, sys; os.setgroups([]); os.setgid(1234); os.setuid(1234); os.execvp(sys.argv[1], sys.argv[1:])"

# Runs inside: the notebook of the wheel, by the checks of tests/notebooks, and what did not hold.
INSIDE = """
import importlib.util, json, sys, nbformat
from nbclient import NotebookClient
sys.path.insert(0, sys.argv[1].removesuffix("/notebooks/test_notebooks.py"))  # where draw.py lies
spec = importlib.util.spec_from_file_location("notebooks", sys.argv[1])
checks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checks)
notebook = nbformat.read(sys.argv[2], as_version=4)
NotebookClient(notebook, kernel_name="warpbook", timeout=600, allow_errors=True).execute()
cells = [c for c in notebook.cells if c.cell_type == "code"]
wrong = [f"{c.source}: {w}: {checks.shown(c)[0][-800:]}" for c in cells for w in checks.complaints(c)]
print(json.dumps({"cells": len(cells), "wrong": wrong}))
"""


def run(*command, status=0):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == status, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout if status == 0 else done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not shutil.which("patchelf"):
        pytest.skip("patchelf is not here; `make setup` installs it")
    dist = tmp_path_factory.mktemp("dist")
    run(sys.executable, WHEEL, BUILD, BUILD, dist, "--fast")
    (made,) = dist.iterdir()
    return made


@pytest.fixture(scope="module")
def prefix(wheel, tmp_path_factory):
    """Returns pip's folder for the wheel, beside the toolkit without the names that only its Debian packages have."""
    prefix = tmp_path_factory.mktemp("home") / "environment"
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--prefix", prefix, wheel)
    home = prefix / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages/nvidia/cu13"
    toolkit = toolkit_of((BUILD / "share/warpbook/toolkit").read_text().strip())
    (home / "lib").mkdir(parents=True)
    for folder in ("bin", "include", "nvvm"):
        (home / folder).mkdir()
    library = next(toolkit / name for name in ("lib64", "lib") if (toolkit / name / "libcudart.so.13").exists()).resolve()
    for file in library.iterdir():
        if re.search(r"\.so\.\d+$|\.a$", file.name):
            (home / "lib" / file.name).symlink_to(file)
    return prefix


def toolkit_of(nvcc):
    """The folder of the toolkit that an nvcc belongs to, by its own word: it may be a link, or a script that calls another."""
    said = subprocess.run([nvcc, "--dryrun", "-c", ROOT / "kernels/gemm/1_naive.cu"], capture_output=True, text=True, timeout=LIMIT_S).stderr
    return Path(re.search(r"^#\$ TOP=(.*)$", said, re.M)[1]).resolve()


def interpreter():
    """The links from .venv's Python to the program, and the program, outside .venv."""
    path = Path(sys.executable)
    while path.is_symlink():
        path = path.parent / os.readlink(path)
        yield path


def system_files():
    """Programs, glibc, and the libraries that those and Python's own modules need."""
    programs = [Path(os.path.realpath(shutil.which(name))) for name in TOOLS]
    modules = list((STDLIB / "lib-dynload").glob("*.so"))
    loaded = run("ldd", *programs, os.path.realpath(sys.executable), *modules)
    libraries = {Path(p) for p in re.findall(r"(/\S+) \(0x", loaded)}
    glibc = [Path(p) for p in run("dpkg-query", "-L", "libc6", "libgcc-s1", "libstdc++6").splitlines() if ".so" in p and Path(p).is_file()]
    return programs, sorted({*libraries, *glibc})


@pytest.fixture(scope="module")
def inside(prefix):
    """Runs a command in that system, as a user without rights; returns its stdout."""
    programs, libraries = system_files()
    root = os.geteuid() == 0
    words = "bwrap --unshare-net --unshare-ipc --die-with-parent --clearenv".split()
    words += "--cap-add CAP_SETUID --cap-add CAP_SETGID".split() if root else ["--unshare-user"]
    become = [sys.executable, "-c", BECOME] if root else []
    for name in ("bin", "lib", "lib64"):
        words += ["--symlink", f"usr/{name}", f"/{name}"]
    home = next(prefix.glob("lib/python3*/site-packages/nvidia/cu13"))
    toolkit = toolkit_of((BUILD / "share/warpbook/toolkit").read_text().strip())
    environment = Path(sys.executable).parent.parent.resolve()
    words += ["--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"]
    shown = {f: f for f in (STDLIB, environment, Path(sys.prefix), prefix, ROOT / "tests/notebooks", ROOT / "tests/draw.py")}
    shown |= {link: link.resolve() for link in interpreter() if not link.is_relative_to(sys.prefix)}
    shown |= {Path("/usr/bin", name): real for name, real in zip(TOOLS, programs, strict=True)}
    shown |= {Path("/usr" * str(file).startswith("/lib") + str(file)): file.resolve() for file in libraries}
    shown |= {Path(os.readlink(file)): file.resolve() for file in (home / "lib").iterdir()}
    for folder in sorted({parent for path in shown for parent in path.parents} - {Path("/tmp"), Path("/")}):
        words += ["--perms", "0755", "--dir", folder]  # bubblewrap would make them root's alone
    for path, real in sorted(shown.items()):
        words += ["--ro-bind", real, path]
    for folder in ("bin", "include", "nvvm"):
        words += ["--ro-bind", toolkit / folder, home / folder]
    settings = {"PATH": f"{prefix}/bin:/usr/bin", "HOME": "/tmp", "JUPYTER_PATH": prefix / "share/jupyter", "LANG": "C.UTF-8"}
    for name, value in settings.items():
        words += ["--setenv", name, value]

    def call(*command, proc=("--bind", "/proc", "/proc"), status=0):
        return run(*words, *proc, "--chdir", "/tmp", *become, *command, status=status)

    for name in ABSENT:
        assert call("sh", "-c", f"command -v {name} || true") == "", name
    return call


def test_the_tag_says_which_glibc_it_takes(wheel):
    newest = int(re.fullmatch(r"warpbook-[\d.]+-py3-none-manylinux_2_(\d+)_x86_64\.whl", wheel.name)[1])
    symbols = run("objdump", "-T", BUILD / "bin/warpbook")
    assert newest >= max(int(v) for v in re.findall(r"GLIBC_2\.(\d+)", symbols))


def test_the_welcome_notebook_runs_without_a_compiler(inside, prefix):
    checks = ROOT / "tests/notebooks/test_notebooks.py"
    run_it = f"warpbook labs --notebooks here && {sys.executable} -c '{INSIDE}' {checks} here/0_welcome.ipynb"
    said = inside("sh", "-c", run_it)
    told = json.loads(said.splitlines()[-1])
    assert told["cells"] > 5 and told["wrong"] == []


def test_doctor_finds_everything(inside, prefix):
    assert "MISSING" not in inside("sh", "-c", "warpbook doctor || true")
    report = json.loads(inside("warpbook", "doctor", "--json"))
    found = {c["name"]: c["detail"] for c in report["checks"]}
    assert str(prefix / "lib/warpbook/hostcc/bin/g++") in found["g++"]
    assert "site-packages/nvidia/cu13/bin/nvcc" in found["nvcc"]
    assert str(prefix / "share/jupyter/kernels/warpbook/kernel.json") == found["kernelspec"]


def test_a_solution_is_graded_and_the_set_is_there(inside, prefix):
    solution = max(Path(prefix / "share/warpbook/labs" / LAB / "solutions").glob("*.cu"))
    grade = json.loads(inside("warpbook", "grade", LAB, solution, "--json"))
    grade = grade[0] if isinstance(grade, list) else grade
    assert grade["score"] == 100, json.dumps(grade)[:2000]
    assert "transpose.copy" in inside("warpbook", "compare", "transpose.copy", "cublas.sgeam", "--sizes", "64", "--rounds", "1")


def test_where_no_sandbox_can_be_made_grading_says_what_to_do(inside, prefix):
    """As in a container whose /proc is partly hidden, which is how Docker starts them."""
    solution = next(Path(prefix / "share/warpbook/labs" / LAB / "solutions").glob("*.cu"))
    hidden = ("--unshare-pid", "--proc", "/proc")  # bubblewrap covers parts of it
    said = inside("warpbook", "grade", LAB, solution, proc=hidden, status=4)
    assert "this machine can't make a sandbox" in said and "--security-opt systempaths=unconfined" in said
