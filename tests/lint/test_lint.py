"""The C of the project as a second compiler and the formatter see it: clang takes every file without a warning, and
clang-format 14 would change nothing. Python has no name that is not defined, and no import that is not used. Files of one
topic stay short enough to read in one sitting, and what rooms (folders) include of each other leads one way."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["runtime", "jupyter_kernel", "grader", "tests", "kernels"]
MAX_LINES, MAX_TEST_LINES, MAX_FUNCTION, MAX_FILES = 600, 800, 60, 24


def files(*suffixes):
    return sorted(
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in suffixes and path.is_file()
    )


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)


def refuse_all(results):
    failed = [result.stderr or result.stdout for result in results if result.returncode != 0]
    assert not failed, "\n".join(failed)[:8000]


def in_parallel(command, paths, at_once=25):
    """Runs the command on some files at a time (it takes as long to begin as for one), two at a time."""
    some = [list(map(str, paths[i:i + at_once])) for i in range(0, len(paths), at_once)]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda names: run(*command, *names), some))


@pytest.mark.skipif(not shutil.which("clang"), reason="clang is not here")
def test_clang_takes_every_file_without_a_warning():
    flags = ["-std=c17", "-D_GNU_SOURCE", "-I.", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", '-DWB_VERSION="0"']
    grammar = ROOT / "build/third_party/tree-sitter/core/include"
    includes = [f"-I{grammar}"] if grammar.is_dir() else []
    includes.append("-I" + os.environ.get("WARPBOOK_BUILD", str(ROOT / "build")) + "/obj") # lists that the build makes of the toolkit
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or ""
    toolkit = pathlib.Path(nvcc).resolve().parents[1] if nvcc else ROOT
    includes += ["-isystem", str(toolkit / "include")]
    paths = [path for path in files(".c") if "cases" not in path.parts and "attacks" not in path.parts]
    assert len(paths) > 100
    refuse_all(in_parallel(["clang", *flags, *includes], paths))


def formatter():
    """clang-format 14's name here, or None: other versions format some lines otherwise."""
    for name in ("clang-format-14", "clang-format"):
        if shutil.which(name) and "version 14." in run(name, "--version").stdout:
            return name
    return None


@pytest.mark.skipif(formatter() is None, reason="clang-format 14 is not here")
def test_the_format_is_kept():
    name = formatter()
    paths = [path for path in files(".c", ".h") if "cases" not in path.parts and "attacks" not in path.parts]
    refuse_all(in_parallel([name, "--dry-run", "--Werror"], paths))


def test_pythons_names_are_defined_and_its_imports_used():
    """An import is easily lost where two changes to one file meet, and then is only missed where that line is run."""
    refuse_all([run(sys.executable, "-m", "pyflakes", *map(str, files(".py")))])


def test_no_file_is_too_long_to_read():
    long = {}
    for path in files(".c", ".h", ".inc", ".cpp", ".cu", ".cuh", ".py"):
        lines = path.read_text(errors="replace").count("\n")
        if lines > (MAX_TEST_LINES if "tests" in path.parts else MAX_LINES):
            long[str(path.relative_to(ROOT))] = lines
    assert not long, f"too many lines: {long}"


def functions(text):
    """[(first line, lines)] of a formatted file's functions: from a head at the left margin to the brace that ends it."""
    found, head, opened = [], None, False
    for i, line in enumerate(text.split("\n"), 1):
        if head is None and re.match(r"[A-Za-z_].*\(", line):
            head, opened = i, False
        opened |= line.endswith("{")
        if head and line == "}":
            found.append((head, i - head + 1))
        if line.startswith("}") or not opened and (line == "" or line.endswith(";")):
            head = None
    return found


def long_functions(text):
    return [(line, n) for line, n in functions(text) if n > MAX_FUNCTION]


def test_no_function_is_too_long_to_read():
    long, seen = [], 0
    for path in files(".c", ".h", ".inc", ".cpp"):
        if "tests" not in path.parts:
            text = path.read_text(errors="replace")
            seen += len(functions(text))
            long += [f"{path.relative_to(ROOT)}:{line}: {n} lines" for line, n in long_functions(text)]
    assert seen > 4000, seen
    assert not long, long


@pytest.mark.parametrize("lines, is_long", [(57, False), (58, True)])
def test_a_long_function_is_found(lines, is_long):
    text = "static int f(int a,\n             int b) {\n" + "    a++;\n" * lines + "}\n"
    assert bool(long_functions(text)) == is_long


def test_no_folder_has_too_many_files():
    counts = {}
    for path in files(".c", ".h", ".inc", ".cpp", ".cu", ".cuh", ".py"):
        if "tests" not in path.parts:
            counts[path.parent] = counts.get(path.parent, 0) + 1
    full = {str(folder.relative_to(ROOT)): n for folder, n in counts.items() if n > MAX_FILES}
    assert not full, full


def test_a_rooms_readme_ends_with_what_may_change():
    rooms = [path for folder in ("runtime", "jupyter_kernel", "grader", "kernels") for path in (ROOT / folder).rglob("README.md")
             if "template" not in path.parts]
    assert len(rooms) > 50, len(rooms)
    for path in rooms:
        end = "\n\n".join(path.read_text().strip().split("\n\n")[-2:])
        assert "**Free to touch:**" in end and "**Keep:**" in end, path


OPENERS = re.compile(r'(?:(?:^|[^*/:"\w\\])(?:/\*|//)|^ *#|""") *((?:Of|What|Who|Where|Those|How far|As much as)\b.*)', re.M)


def test_comments_open_with_a_verb_or_a_name():
    """STYLE.md, rule 1. Labs' steps and notebooks are texts of their own."""
    paths = [*files(".c", ".h", ".inc", ".cpp", ".cu", ".cuh", ".py", ".sh", ".mk"), ROOT / "Makefile"]
    bad = [f"{path.relative_to(ROOT)}: {found}" for path in paths for found in OPENERS.findall(path.read_text(errors="replace"))]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("before", ["/* ", "    // ", "# ", '    """'])
def test_a_bad_opener_is_found(before):
    assert OPENERS.findall(before + "Those of this room") and not OPENERS.findall(before + "Offsets of this room")


def arrows():
    """{room: {a room it includes: by which file}}."""
    found = {}
    for path in files(".c", ".h", ".inc", ".cu", ".cuh"):
        name = str(path.relative_to(ROOT))
        room = os.path.dirname(name)
        for included in re.findall(r'^#include "([^"]+)"', path.read_text(errors="replace"), re.M):
            other = os.path.dirname(included)
            if name.split("/")[0] != "tests" and (ROOT / included).is_file() and other != room:
                found.setdefault(room, {})[other] = name
    return found


def circle_through(room, graph):
    """The shortest way from a room back to it, as files; []: there is none."""
    ways, seen = [(room, [])], set()
    for at, way in ways:  # grows while it is walked
        for other, by in graph.get(at, {}).items():
            if other == room:
                return [*way, by]
            if other not in seen:
                seen.add(other)
                ways.append((other, [*way, by]))
    return []


def test_arrows_between_rooms_lead_one_way():
    graph = arrows()
    assert len(graph) > 30
    circles = {room: way for room in graph if (way := circle_through(room, graph))}
    assert not circles, f"includes that lead back to where they began: {circles}"
    below = {"runtime": {"runtime", "kernels"}, "grader": {"grader", "runtime", "kernels"}}
    for room, others in graph.items():
        for other, by in others.items():
            mine = room.split("/")[0]
            assert other.split("/")[0] in below.get(mine, {other.split("/")[0]}), f"{by} includes {other}"


# Functions that speak to people, and the place of their first text among the arguments.
SPEAKERS = {
    "wb_fail": 2, "wb_cli_usage": 1, "wb_finding_add": 2, "report_add": 5, "execution_fail": 2, "execution_explain": 1, "execution_printf": 1,
    "magics_misuse": 1, "gr_work_fail": 2, "gr_task_fail": 2, "gr_reader_fail": 2, "plan_stop": 2, "wb_table_cell": 1, "draw_textf": 5, "draw_card": 5,
    "ptx_fail": 1, "lower_refuse": 1, "rt_fail": 2, "RT_FAIL": 1, "rt_refuse_as": 2, "blas_fail": 2, "BLAS_INVALID": 0, "sg_fault_raise": 4,
    "fprintf": 1, "wb_table_column": 1, "draw_key": 4}
PIECE = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|/\*.*?\*/|//[^\n]*|\w+|\S', re.S)
DIRECTIVE = re.compile(r"%[-+ #0-9.*$]*(?:hh|h|ll|l|z|j|t|L)?[a-zA-Z%]")


def unmarked(source, begin):
    """(place, text) of each literal among the arguments of the call whose "(" is at `begin`; not of those in a call within."""
    calls, place, before, found = [], 0, "", []
    for piece in PIECE.finditer(source, begin):
        piece = piece.group()
        if piece.startswith(("/*", "//")):
            continue
        if piece in "([{":
            calls.append(before)
        elif piece in ")]}":
            calls.pop()
            if not calls:
                break
        elif piece == "," and len(calls) == 1:
            place += 1
        elif piece[0] == '"' and not any(re.match(r"[A-Za-z_]", call) for call in calls[1:]):
            found.append((place, piece[1:-1]))
        before = piece
    return found


def forgotten(source):
    """(line, text) of what people read and no _() or N_() marks: words in the text itself, or a sentence among its arguments."""
    for call in re.finditer(rf"\b({'|'.join(SPEAKERS)})\(", source):
        for place, text in unmarked(source, call.end() - 1):
            at, words = SPEAKERS[call[1]], re.sub(r"^warpbook[ %\w]*: ", "", DIRECTIVE.sub("%", text))
            if call[1] == "fprintf" and (text.startswith("warpbook-") or "stderr" not in source[call.end():call.end() + 6]):
                continue  # nobody starts the programs warpbook-... by hand
            label = call[1] in ("wb_table_column", "draw_key") and place == at
            said = r"[A-Za-z]{2}" if label else r"[a-z]{2,} [a-z]{2,}|% [a-z]{2,}|[a-z]{2,} %" if place == at else r"(?:[a-z]{2,} ){3}[a-z]{2,}"
            if place >= at and re.search(said, words):
                yield source.count("\n", 0, call.start()) + 1, text


def test_what_people_read_is_marked():
    """A text without _() is English for every reader, and xgettext does not collect it."""
    assert list(forgotten('wb_fail(err, 1, n ? _("a b") : "%s is bad", f("no text here"), "is not there at all");')) == [(1, "%s is bad"), (1, "is not there at all")]
    assert list(forgotten('wb_fail(err, 1, "%s: %s", strerror(e)); rt_fail(1, 2, _("one text"));')) == []
    found = [f"{path.relative_to(ROOT)}:{line}: {text}" for path in files(".c", ".h", ".inc") if path.relative_to(ROOT).parts[0] not in ("tests", "kernels")
             for line, text in forgotten(path.read_text())]
    assert not found, "\n".join(found)


def test_the_variables_of_the_environment_are_documented():
    """Each one that the code reads is in runtime/README.md, and the README names no other."""
    read = re.compile(r'\b(?:getenv|wb_setting(?:_on|_number|_seconds)?)\(\s*"(WARPBOOK_\w+)"')
    known = {name for folder in ("runtime", "grader", "jupyter_kernel", "labs") for suffix in ("*.c", "*.cpp", "*.cu")
             for path in (ROOT / folder).rglob(suffix) for name in read.findall(path.read_text())}
    table = [line for line in (ROOT / "runtime/README.md").read_text().splitlines() if line.startswith("| WARPBOOK_")]
    documented = re.findall(r"\bWARPBOOK_\w+", "\n".join(line.split("|")[1] for line in table))
    assert len(known) > 20 and sorted(known) == sorted(documented)


def test_plain_make_builds_everything():
    """A rule above `all` would become the default goal."""
    assert ".DEFAULT_GOAL := all\n" in run("make", "-npq", "--no-print-directory", "clean").stdout
