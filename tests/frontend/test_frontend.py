"""The front end: what it takes and what it leaves to nvcc (cells/, a file a cell, its first line what has to be said), types
in gcc's words, notebooks on its route as on nvcc's, and a process that dies, hangs or talks nonsense."""

import os
import pathlib
import re
import shutil
import socket
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
PROGRAM = BUILD / "lib/warpbook/warpbook-frontend"
CELLS = sorted((ROOT / "tests/frontend/cells").glob("*.cu"))
# Notebooks of tests/cells that the front end has most of; ALL=1: all. full_disk waits for a disk that nvcc fills.
NOTEBOOKS = ["bytes", "closures", "show"]
NOT_THERE = {"full_disk"}

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="clang 19's development files are not here")


def preamble():
    names = re.findall(r"#include <[a-z]+\.h>", (ROOT / "runtime/compile/headers.h").read_text())
    return '#line 1 "warpbook"\n' + "\n".join(names) + '\n#include "warpbook_cell.h"\n'


def toolkit():
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or str(ROOT / ".venv/cuda/bin/nvcc")
    return pathlib.Path(nvcc).resolve().parents[1] / "include"


class FrontEnd:
    """One process, asked as frontend.c asks it."""

    def __init__(self):
        self.here, there = socket.socketpair()
        share = BUILD / "share/warpbook"
        self.process = subprocess.Popen([PROGRAM, toolkit(), share / "include", share / "frontend"], stdin=there)
        there.close()
        assert self.read() == "ready"

    def read(self):
        text = b""
        while not text.endswith(b"\0"):
            part = self.here.recv(65536)
            assert part, "the process is gone"
            text += part
        return text[:-1].decode()

    def ask(self, folder, code):
        """What it says of a cell, and where the object is."""
        source, made = folder / "cell_0123.cu", folder / "front.o"
        source.write_text(f'{preamble()}#line 1 "cell [0123]"\n{code}')
        self.here.sendall(f"{source}\0{made}\0".encode())
        return self.read(), made

    def close(self):
        self.here.close()
        self.process.wait(60)


@pytest.fixture(scope="module")
def front_end():
    one = FrontEnd()
    yield one
    one.close()


@pytest.mark.parametrize("cell", CELLS, ids=lambda path: path.stem)
def test_what_it_takes_and_what_it_leaves(front_end, tmp_path, cell):
    wanted, code = cell.read_text().split("\n", 1)
    answer, made = front_end.ask(tmp_path, code)
    assert answer.replace("left-stem", "left").startswith(wanted.removeprefix("// ")), answer
    assert made.exists() == answer.startswith("made")


TYPES = """int|unsigned|long|unsigned long long|short|unsigned short|char|unsigned char|bool|float|double|long double|size_t
float *|const float *|float *const|const char *const *|int &|void *|int (*)(float, char)|void (*)()|int (*)[3]|int [3]|float [2][3]
const int|const double [4]|Plain|Plain *|space::Inner|space::Inner::Deep|Kind|space::Scoped|const Plain &|Many<int>|Many<int, 4>
Many<Plain, 7>|Many<Many<int>>|std::string|std::vector<int>|std::vector<std::string>|std::vector<std::vector<float>>
std::map<std::string, int>|std::pair<int, double>|std::array<float, 3>|std::function<int(int, float)>|std::shared_ptr<Plain>
std::vector<const char *>|Pack<int, float, Plain>|Pack<>|std::vector<unsigned long>|float4|dim3|std::tuple<int, char>"""

DECLARED = """
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>
struct Plain { int a; };
enum Kind { ONE };
namespace space { struct Inner { struct Deep {}; }; enum class Scoped : char { A }; }
template <class T, int N = 3> struct Many { T all[N]; };
template <class... T> struct Pack {};
"""


def spelled(path):
    """{number: type} of what __wb_type left in a file."""
    found = re.findall(rb"__wb_type\(\) \[with int WbN = (\d+); WbT = ([^\0]*)\]\0", path.read_bytes())
    return {int(number): name.decode() for number, name in found}


def test_types_are_told_in_gccs_words(front_end, tmp_path):
    types = [name for line in TYPES.split("\n") for name in line.split("|")]
    code = DECLARED + "".join(
        f"using type_{i} = __wb_id<{name}>::type;\nextern const char *const told_{i};\n"
        f"const char *const told_{i} = __wb_type<{i}, type_{i}>();\n"
        for i, name in enumerate(types)
    )
    answer, made = front_end.ask(tmp_path, code)
    assert answer.startswith("made"), answer
    theirs, ours = tmp_path / "gcc.o", spelled(made)
    (tmp_path / "plain.cpp").write_text("#include <cuda_runtime.h>\n" + (tmp_path / "cell_0123.cu").read_text())
    subprocess.run(["g++", "-std=c++17", "-w", f"-I{toolkit()}", f"-I{BUILD}/share/warpbook/include", "-c",
                    tmp_path / "plain.cpp", "-o", theirs], check=True)
    assert len(ours) == len(types)
    assert ours == spelled(theirs)


def notebooks(tmp_path, names, **settings):
    """Runs notebooks of tests/cells through the session, with a cache of its own."""
    subprocess.run(["make", "-s", f"BUILD={BUILD}", str(BUILD / "tests/session_test")], cwd=ROOT, check=True)
    where = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "WARPBOOK_FRONTEND": "1"} | settings
    ran = subprocess.run([BUILD / "tests/session_test", *names], cwd=ROOT, env=where, capture_output=True, text=True)
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-4000:]


def test_notebooks_go_as_with_nvcc(tmp_path):
    every = sorted(path.name for path in (ROOT / "tests/cells").iterdir() if path.name not in NOT_THERE)
    notebooks(tmp_path, every if os.environ.get("ALL") else NOTEBOOKS)


def test_a_header_of_the_users_hides_the_systems(tmp_path):
    case = tmp_path / "cells/hides"
    case.mkdir(parents=True)
    (case / "climits").write_text("#undef INT_MAX\n#define INT_MAX 7\n")
    # Inside something: where it can be, a header of the user's stands in the unit as text, and none is read.
    (case / "1.cu").write_text("struct S {\n#include <climits>\n    int most = INT_MAX;\n} s;\ns.most\n")
    (case / "1.want").write_text("value 7\n")
    notebooks(tmp_path / "cache", ["hides"], WARPBOOK_CELLS=str(tmp_path / "cells"))


def test_a_function_defined_anew_is_called_by_its_own_cell(tmp_path):
    """clang may not put a function's body where one of the same cell calls it: the next cell may have another body."""
    case = tmp_path / "cells/anew"
    case.mkdir(parents=True)
    cells = [("int f(int x) { return x + 1; }\nint g() { return f(1); }", "ok"), ("int f(int x) { return x + 100; }", "ok"),
             ("g()", "value 101")]
    for number, (code, want) in enumerate(cells, 1):
        (case / f"{number}.cu").write_text(code + "\n")
        (case / f"{number}.want").write_text(want + "\n")
    notebooks(tmp_path / "cache", ["anew"], WARPBOOK_CELLS=str(tmp_path / "cells"))


BAD = {
    "dies at once": "exit 1",
    "dies over a cell": r"printf 'ready\0' >&0; head -c 10 >/dev/null; exit 1",
    "talks nonsense": r"while printf 'what\0' >&0; do sleep 0.1; done",
    "hangs": "exec sleep 1000",
    "hangs over a cell": r"printf 'ready\0' >&0; exec sleep 1000",
}


@pytest.mark.parametrize("script", BAD.values(), ids=BAD.keys())
def test_a_notebook_knows_nothing_of_a_bad_one(tmp_path, script):
    prefix = tmp_path / "prefix"
    (prefix / "lib/warpbook").mkdir(parents=True)
    for name in ("bin", "share"):
        (prefix / name).symlink_to(BUILD / name)
    for path in (BUILD / "lib/warpbook").iterdir():
        if path.name != PROGRAM.name:
            (prefix / "lib/warpbook" / path.name).symlink_to(path)
    bad = prefix / "lib/warpbook" / PROGRAM.name
    bad.write_text(f"#!/bin/sh\n{script}\n")
    bad.chmod(0o755)
    notebooks(tmp_path / "cache", ["bytes"], WARPBOOK_PREFIX=str(prefix))
