"""No program reads a sentence: with nonsense in place of every text the grader finds the same, and gives the same points."""

import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
SEED = int(os.environ.get("SEED") or random.randrange(1 << 30))
ATTACKS = ROOT / "tests/grader/attacks"
DIRECTIVE = re.compile(rb"%(?:\d+\$)?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:hh|h|ll|l|z|j|t|L)?[a-zA-Z%]")
needs_msgfmt = pytest.mark.skipif(not shutil.which("msgfmt"), reason="gettext is not here")


def nonsense(text, chance):
    """As many bytes, drawn, with the same directives at the same places."""
    made, at = b"", 0
    for directive in [*DIRECTIVE.finditer(text), None]:
        end = directive.start() if directive else len(text)
        made += bytes(chance.choice(b"bdfgjkmqvwyz") for _ in text[at:end])
        if directive:
            made += directive.group()
            at = directive.end()
    return made


def without_sense(catalogue):
    """A .mo file whose translations are nonsense; the texts by which they are found stay."""
    magic, _, n, _, translations = struct.unpack_from("<5I", catalogue)
    assert magic == 0x950412DE and n > 1800
    made, chance = bytearray(catalogue), random.Random(SEED)
    for i in range(1, n):  # 0 is the head
        length, offset = struct.unpack_from("<2I", catalogue, translations + 8 * i)
        made[offset:offset + length] = nonsense(catalogue[offset:offset + length], chance)
    return bytes(made)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Our programs as they are, but for the catalogue in each."""
    print(f"SEED={SEED}")
    place = tmp_path_factory.mktemp("nonsense")
    place.chmod(0o755)
    catalogue = (BUILD / "language/zh_CN.mo").read_bytes()
    made, changed = without_sense(catalogue), 0
    for folder in ("bin", "lib", "share"):
        shutil.copytree(BUILD / folder, place / folder, symlinks=True)
    for path in place.rglob("*"):
        if path.is_file() and not path.is_symlink() and catalogue in (held := path.read_bytes()):
            path.write_bytes(held.replace(catalogue, made))
            changed += 1
    assert changed >= 5, "which programs hold the catalogue?"
    return place


def graded(program, lab, files, language, *more):
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "WARPBOOK_LANGUAGE"))}
    done = subprocess.run([program, "grade", lab, *files, "--device", "soft", "--seed", "7", "--json", *more],
                          env=ours | {"WARPBOOK_LANGUAGE": language}, capture_output=True, text=True, timeout=1800)
    assert done.stdout, done.stderr
    reports = json.loads(done.stdout)
    return reports if isinstance(reports, list) else [reports]


def facts(report):
    """A report without what is for people, and without times, which differ by a digit with where arrays lie."""
    def of(value):
        if isinstance(value, dict):
            words = {"text", "output", "message", "printed", "reference", "why", "seconds", "low", "high", "ratio"}
            return {k: of(v) for k, v in value.items() if k not in words}
        return [of(v) for v in value] if isinstance(value, list) else value
    return of(report)


def submissions(folder):
    """Files of the smallest lab, each of which ends in another way."""
    right = (ROOT / "tests/grader/labs/doubled/right.cu").read_text()
    kernel, solve = right[:right.index("void solve")], right[right.index("void solve"):]
    body = solve.index("{") + 1
    made = {
        "right": right, "wrong": right.replace("in[i] + in[i]", "in[i]"), "syntax": right + "\nint x = ;\n",
        "undefined": right.replace("in[i] + in[i]", "in[i] + nothing"), "no_solve": kernel,
        "past": right.replace("in[i] + in[i]", "in[i + 1000000] + in[i]"),
        "crash": kernel + solve[:body] + " *(volatile int *)0 = 1; " + solve[body:],
        "race": right.replace("__global__", "__device__ int all;\n__global__", 1).replace("in[i] + in[i]", "(all += 1, in[i] + in[i])"),
        "thrown": kernel + solve[:body] + " throw 1; " + solve[body:]}
    assert len(set(made.values())) == len(made)
    for name, text in made.items():
        (folder / f"{name}.cu").write_text(text)
    return [folder / f"{name}.cu" for name in made]


@needs_msgfmt
def test_the_grader_finds_the_same(installed, tmp_path):
    lab, files = ROOT / "tests/grader/labs/doubled", submissions(tmp_path)
    english = graded(BUILD / "bin/warpbook", lab, files, "en")
    other = graded(installed / "bin/warpbook", lab, files, "zh")
    kinds = set()
    for a, b in zip(english, other, strict=True):
        assert facts(a) == facts(b)
        findings = a["findings"] + [f for t in a["tests"] for f in t["findings"]]
        said = b["findings"] + [f for t in b["tests"] for f in t["findings"]]
        kinds |= {f["kind"] for f in findings}
        assert not [f for f, g in zip(findings, said, strict=True) if f["text"] == g["text"]], (a, b)
    assert {"wrong", "not-compiled", "undefined-name", "no-solve", "fault", "host-crashed", "host-ended", "right-first"} <= kinds, kinds


@needs_msgfmt
def test_a_race_is_the_cause_in_any_words(installed):
    """And a mistake of speed is the same one: the reasons of a naive transpose."""
    files = [ATTACKS / "race/submission.cu", ROOT / "labs/transpose/solutions/1_naive.cu"]
    english = graded(BUILD / "bin/warpbook", "transpose", files, "en")
    other = graded(installed / "bin/warpbook", "transpose", files, "zh")
    assert [facts(a) for a in english] == [facts(b) for b in other]
    race, naive = ([f["kind"] for t in r["tests"] for f in t["findings"]] for r in english)
    assert "cause-elsewhere" in race and {"race", "uninitialised-read"} & set(race)
    assert {"time", "longest-launch", "speed", "count"} <= set(naive)
