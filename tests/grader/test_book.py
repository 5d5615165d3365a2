"""A class in a gradebook, driven as a teacher drives it: roster, grading that is killed and goes on, late days,
a lab that changes, feedback on paper."""

import csv
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
WARPBOOK = BUILD / "bin" / "warpbook"
LAB = ROOT / "tests/grader/increment"
RIGHT = (LAB / "right.cu").read_text()
PATIENT = ["--compile-limit", "600", "--plan-limit", "60", "--run-limit", "120", "--device", "soft"]


def call(*args, check=None, **kwargs):
    done = subprocess.run([WARPBOOK, *map(str, args)], capture_output=True, text=True, timeout=1800, **kwargs)
    if check is not None:
        assert done.returncode == check, done.stdout + done.stderr
    return done


def rows(book, sql):
    connection = sqlite3.connect(f"file:{book}?mode=ro", uri=True, timeout=60)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def copy_of_the_lab(folder):
    folder.mkdir()
    (folder / "lab.json").write_text((LAB / "lab.json").read_text())
    (folder / "reference.cpp").write_text((LAB / "reference.cpp").read_text())
    (folder / "starter.cu").write_text(RIGHT.replace("a[i] += 1;", ";"))
    return folder


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class of seven, graded once; tests that change the book take a copy."""
    d = tmp_path_factory.mktemp("course")
    (d / "in").mkdir()
    lab = copy_of_the_lab(d / "increment")
    long = "\n".join(f"__device__ int helper{i}(int a, int b) {{ return a * {i} + (b << {i}) - (a & b){' + a * b' * i}; }}" for i in range(9))
    (d / "in/ada.cu").write_text(RIGHT + long)
    (d / "in/bob_increment.cu").write_text("// my own\n" + RIGHT + long.replace("helper", "mine").replace("a", "q"))
    (d / "in/cyd.cu").write_text('#error <script>alert("x")</script> ``` \x1b[2J\n')
    (d / "in/dan").mkdir()
    (d / "in/dan/a.cu").write_text('#include "sizes.cuh"\n' + RIGHT)
    (d / "in/dan/sizes.cuh").write_text("#pragma once\n")
    (d / "in/eve.ipynb").write_text(json.dumps({"cells": [
        {"cell_type": "code", "source": "%%grade increment\n" + RIGHT.replace("+= 1", "+= 2")}]}))
    os.symlink("/etc/passwd", d / "in/fay.cu")
    (d / "roster.csv").write_text('id,name,email,section\nada,"Lovelace, Ada",ada@x,A\nbob,Bob,,A\ncyd,<b>Cyd</b>,,B\n'
                                  'dan,=1+1,,B\neve,Eve,,B\nfay,Fay,,B\ngil,Gil,,B\n')
    roster = call("book", "roster", d / "class.book", d / "roster.csv", check=0)
    assert "7 students are new" in roster.stdout
    for path in (d / "in").rglob("*"):
        os.utime(path, (1_800_000_000, 1_800_000_000), follow_symlinks=False)
    done = call("grade", lab, *sorted((d / "in").iterdir()), "--book", d / "class.book", *PATIENT, check=1)
    assert len(done.stdout.splitlines()) == 6, done.stdout
    # a log where nobody watches a terminal: a line each, with what is left
    for i in range(1, 7):
        assert re.search(rf"^\[{i} of 6\] .*: [0-9.]+ of 10 \(\w+\), [0-9.]+ s; about [0-9]+ (s|min) left$", done.stderr, re.M)
    return d


def book_of(course, tmp_path):
    book = tmp_path / "copy.book"
    book.write_bytes((course / "class.book").read_bytes())
    return book


def shown(book, *what):
    return json.loads(call("book", "show", book, *what, "--json", check=0).stdout)


def test_points_and_where_they_come_from(course):
    students = {s["student"]: s for s in shown(course / "class.book")["students"]}
    points = {name: s["labs"][0]["points"] for name, s in students.items()}
    assert points == {"ada": 10, "bob": 10, "cyd": 0, "dan": 10, "eve": 0, "fay": 0, "gil": None}
    ada, fay = students["ada"]["labs"][0], students["fay"]["labs"][0]
    assert re.fullmatch("0x[0-9a-f]{16}", ada["seed"]) and ada["device"] == "softgpu" and len(ada["version"]) == 16
    assert ada["result"]["tests"] and ada["path"].endswith("in/ada.cu")
    assert "is a symbolic link" in fay["result"]["message"]
    assert "warpbook-book" not in json.dumps(students)  # graded as a copy, told under its name
    seeds = {s["labs"][0]["seed"] for s in students.values()}
    assert len(seeds - {None}) == 1  # of the call, so that all had the same inputs; "--again" has another
    text = call("book", "show", course / "class.book", check=0).stdout
    assert re.search(r"^gil +Gil +-$", text, re.M) and re.search(r"^ada +Lovelace, Ada +10$", text, re.M)
    assert "handed in" in call("book", "show", course / "class.book", "increment", check=0).stdout
    assert "seed 0x" in call("book", "show", course / "class.book", "ada", check=0).stdout


def test_what_was_graded_is_kept_and_not_graded_again(course, tmp_path):
    book = book_of(course, tmp_path)
    before = rows(book, "SELECT * FROM results ORDER BY id")
    files = sorted((course / "in").iterdir())
    done = call("grade", course / "increment", *files, "--book", book, *PATIENT, check=1)
    assert "6 of 6 have results" in done.stderr and len(done.stdout.splitlines()) == 6
    assert rows(book, "SELECT * FROM results ORDER BY id") == before
    # the files are in the book: they may be gone, and a seed replays what was found
    lost = tmp_path / "elsewhere"
    lost.mkdir()
    call("grade", course / "increment", "--book", book, "--again", "--seed", "5", *PATIENT, check=1, cwd=lost)
    after = rows(book, "SELECT submission, score, seed FROM results ORDER BY id")
    assert len(after) == 12
    assert sorted(r[:2] for r in after[6:]) == sorted(r[:2] for r in after[:6])
    assert {r[2] for r in after[6:]} == {"0x0000000000000005"}


def test_a_changed_lab_touches_what_it_touches(course, tmp_path):
    book, lab = book_of(course, tmp_path), copy_of_the_lab(tmp_path / "increment")
    text = json.loads((lab / "lab.json").read_text())

    def regrade():
        (lab / "lab.json").write_text(json.dumps(text))
        call("grade", lab, "--book", book, *PATIENT)
        return rows(book, "SELECT count(*) FROM results")[0][0]
    text["title"] = "Another title"
    text["performance"]["gpu"]["criteria"][0]["full"] = 0.7
    assert regrade() == 6
    text["tests"][0]["points"] = 7
    for device in text["performance"].values():
        device["criteria"][0]["points"] = 3
    (lab / "lab.json").write_text(json.dumps(text))
    call("book", "show", book, check=0)
    assert regrade() == 12
    assert rows(book, "SELECT title FROM labs") == [("Another title",)]
    eve = next(s for s in shown(book)["students"] if s["student"] == "eve")["labs"][0]
    assert eve["stale"] is False and {t["max_score"] for t in eve["result"]["tests"]} == {7, 3}


def test_nothing_is_lost_whatever_ends_it(tmp_path):
    """kill -9, SIGTERM, ^C: what was told is kept, the same call goes on, nothing is graded twice."""
    book, folder = tmp_path / "class.book", tmp_path / "in"
    folder.mkdir()
    for i in range(8):
        (folder / f"student{i}.cu").write_text(RIGHT + f"// {i}\n")
    command = [WARPBOOK, "grade", LAB, *sorted(folder.iterdir()), "--book", book, "--jobs", "2", *PATIENT]
    kept = []

    def finished():
        try:
            return rows(book, "SELECT * FROM results ORDER BY id")
        except sqlite3.OperationalError:  # not made yet, or just being written
            return []
    for ending, enough in [(signal.SIGKILL, 1), (signal.SIGTERM, 3), (signal.SIGINT, 5)]:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "TMPDIR": str(tmp_path)},
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while len(finished()) < enough and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(ending)
        out, told = process.communicate(timeout=600)
        assert process.returncode == -ending, told
        now = finished()
        assert now[:len(kept)] == kept and len(now) >= enough
        # a line of the log is written when the result is kept, and for nothing else
        assert len(now) - len(kept) - told.count(" left\n") in (0, 1), told
        if ending != signal.SIGKILL:
            assert re.search(rf"interrupted; {len(now) - len(kept)} of {8 - len(kept)} results are in .*, and the same call goes on", told), told
        kept = now
    done = call(*command[1:], check=0)
    assert f"{len(kept)} of 8 have results" in done.stderr
    assert len(done.stdout.splitlines()) == 8 and "failed" not in done.stdout
    now = finished()
    assert now[:len(kept)] == kept
    assert sorted(r[1] for r in now) == list(range(1, 9))


def test_late_days_overrides_and_comments(course, tmp_path):
    book = book_of(course, tmp_path)
    rules = call("book", "rules", book, "increment", "--due", "2027-01-13T08:00Z", "--penalty", "20", "--days", "4",
                 "--free-days", "1", check=0).stdout  # handed in on 2027-01-15 at 8:00 UTC
    assert "20 % of the points a day late, nothing after 4 days; of several submissions the last one counts" in rules
    standing = lambda name: next(s for s in shown(book)["students"] if s["student"] == name)["labs"][0]  # noqa: E731
    ada = standing("ada")
    assert (ada["earned"], ada["days_late"], ada["free_days"], ada["points"]) == (10, 2, 1, 8)
    call("book", "override", book, "ada", "increment", "--extension", "1", check=0)
    assert standing("ada")["points"] == 10
    call("book", "override", book, "bob", "increment", "--points", "6.5", "--comment", "too alike", check=0)
    assert (standing("bob")["points"], standing("bob")["overridden"], standing("bob")["comment"]) == (6.5, True, "too alike")
    many = call("book", "override", book, "gil", "increment", "--points", "30", check=0)  # a digit too many?
    assert "30 points are more than the 10 that increment gives" in many.stderr and standing("gil")["points"] == 30
    assert call("book", "override", book, "gil", "increment", "--points", "3", check=0).stderr == ""
    assert standing("gil")["points"] == 3
    call("book", "override", book, "bob", "increment", "--points", "none", check=0)
    assert (standing("bob")["points"], standing("bob")["comment"]) == (8, "too alike")
    call("book", "override", book, "dan", "increment", "--handed-in", "2027-01-12", check=0)
    assert standing("dan")["days_late"] == 0
    assert len(rows(book, "SELECT * FROM decisions")) == 7  # all that was decided, in order
    table = list(csv.reader(io.StringIO(call("book", "export", book, check=0).stdout)))
    head = table[0]
    assert head[:5] == ["student", "name", "email", "section", "increment"]
    tests = [t["name"] for t in json.loads((LAB / "lab.json").read_text())["tests"]]
    assert [f"increment: {t}" for t in tests] == [h for h in head if h[11:] in tests]  # a column a test
    by_name = {row[0]: dict(zip(head, row)) for row in table[1:]}
    assert len(by_name) == 7 and by_name["dan"]["name"] == "'=1+1"
    assert by_name["ada"]["increment"] == "10" and by_name["ada"]["increment: any size"] == "5"
    assert by_name["eve"]["increment"] == "0" and by_name["eve"]["increment: any size"] == "0"
    assert by_name["fay"]["increment"] == "0" and by_name["fay"]["increment: any size"] == ""  # no test was run


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [v for k, v in attributes if k in ("href", "src", "action", "data", "poster")]
        assert not [k for k, _ in attributes if k.startswith("on")]

    def handle_data(self, data):
        self.words.append(data)


def test_feedback_is_whole_and_harmless(course, tmp_path):
    book = book_of(course, tmp_path)
    call("book", "override", book, "cyd", "increment", "--comment", "<img src=x onerror=y>", check=0)
    done = call("book", "feedback", book, tmp_path / "out", check=0)
    assert "14 files" in done.stdout
    students = tmp_path / "out/students"
    assert sorted(p.name for p in students.iterdir()) == sorted(
        f"{s}.{end}" for s in ("ada", "bob", "cyd", "dan", "eve", "fay") for end in ("html", "md"))
    pages = {p.relative_to(tmp_path / "out"): p.read_text() for p in (tmp_path / "out").rglob("*.html")}
    assert len(pages) == 7
    for name, text in pages.items():
        page = Page(text)
        assert not {"script", "img", "iframe", "link", "object", "embed", "form"} & set(page.tags), name
        assert "Content-Security-Policy" in text and "@import" not in text and "url(" not in text
        for link in page.links:  # of the class to its students and nowhere else
            assert (tmp_path / "out" / link).is_file() and link.startswith("students/"), link
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    cyd = Page(pages[Path("students/cyd.html")])
    words = " ".join(cyd.words)
    assert '<script>alert("x")</script>' in words and "<img src=x onerror=y>" in words and "<b>Cyd</b>" in words
    eve = (students / "eve.md").read_text()
    assert "# Eve" in eve and "a[i] += 2;" in eve and "- **any size**: 0 of 5 points" in eve
    cyd = (students / "cyd.md").read_text()
    assert "\\<img src=x onerror=y\\>" in cyd and "````text\n" in cyd
    teacher = " ".join(Page(pages[Path("increment.html")]).words)
    assert "7 students, 6 of them handed in, 6 have points" in teacher and "the mean is" in teacher
    assert re.search(r"ada\s+\(\d+ % of it\) and \s*bob\s+\(\d+ % of it\)", teacher), teacher
    assert teacher.split("Similar submissions")[1].index("bob") < teacher.split("Similar submissions")[1].index("dan")
    assert "is a symbolic link" in teacher
    assert "increment: any size" in (tmp_path / "out/increment.csv").read_text()


def page_of(book, folder, name):
    call("book", "feedback", book, folder, check=0)
    return " ".join(Page((folder / name).read_text()).words)


def test_a_student_reads_what_a_regrade_changed_and_the_rank(course, tmp_path):
    book, lab = book_of(course, tmp_path), copy_of_the_lab(tmp_path / "increment")
    before = page_of(book, tmp_path / "before", "students/dan.html")
    assert "graded again" not in before and "Rank" not in before
    text = json.loads((lab / "lab.json").read_text())
    text["tests"][0]["points"] += 2
    (lab / "lab.json").write_text(json.dumps(text))
    call("grade", lab, "--book", book, *PATIENT, check=1)
    call("book", "rules", book, "--ranks", "yes", check=0)
    dan = page_of(book, tmp_path / "after", "students/dan.html")
    assert "It was graded again, and earned 10 points before. any size: 5 before, now 7." in dan
    assert "Rank 1 of 6: more points than 50 % of the class." in dan
    call("book", "rules", book, "--ranks", "no", check=0)
    assert "Rank" not in page_of(book, tmp_path / "no", "students/dan.html")


def test_the_teacher_is_pointed_to_what_is_unusual(course, tmp_path):
    book = book_of(course, tmp_path)
    connection = sqlite3.connect(book)

    def change(student, report):
        connection.execute("UPDATE results SET report=? WHERE submission IN (SELECT id FROM submissions WHERE student=?)",
                           (json.dumps(report), student))

    def report(student):
        return json.loads(connection.execute("SELECT report FROM results r JOIN submissions s ON s.id=r.submission "
                                             "WHERE student=?", (student,)).fetchone()[0])
    connection.execute("UPDATE submissions SET at=at+200000 WHERE student='bob'")
    quick, uneven = report("dan"), report("eve")
    quick["tests"][-1]["findings"] = [{"kind": "impossible-time", "text": "no"}]
    uneven["measured"] = {"cases": [{"ratio": 0.2}, {"ratio": 0.5}, {"ratio": 0.8}]}
    change("dan", quick)
    change("eve", uneven)
    connection.commit()
    connection.close()
    words = page_of(book, tmp_path / "out", "increment.html").split("Look at these")[1].split("Similar submissions")[0]
    said = {who: text.strip() for who, text in re.findall(r"(ada|bob|cyd|dan|eve|fay)\s+: (.*)", words)}
    assert set(said) == {"ada", "bob", "dan", "eve"}, words
    assert re.fullmatch(r"(8|9|10)\d+? % of it is also in the submission of bob\.", said["ada"])
    assert "in the submission of ada. It has full marks at the first try" in said["bob"]
    assert said["dan"] == "Its time is below what the GPU's peak allows."
    assert said["eve"] == "Its speed relative to the reference differs by a factor of 4 between sizes."


def test_a_notebook_with_several_cells(tmp_path):
    """The last one counts, which is said; an empty one, as nbgrader's locked cell is, does not count."""
    cells = ["%%grade increment\n" + RIGHT.replace("+= 1", "+= 2"), "%%grade increment\n" + RIGHT, "%%grade increment\n"]
    for n, several in ((2, True), (1, False)):
        path = tmp_path / f"{n}.ipynb"
        path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells[2 - n:]]}))
        result = json.loads(call("grade", LAB, path, "--json", *PATIENT, check=0).stdout)
        assert result["score"] == 10
        found = [f["text"] for t in result["tests"] for f in t["findings"] if f["kind"] == "several-cells"]
        assert found == ["The notebook has 2 cells that begin with %%grade increment. The last one was graded."] * several


def test_who_is_on_no_roster(course, tmp_path):
    book = book_of(course, tmp_path)
    before = book.read_bytes()
    (tmp_path / "nobody.cu").write_text(RIGHT)
    (tmp_path / "mallory\x1b[2J.cu").write_text(RIGHT)
    done = call("grade", LAB, *sorted(tmp_path.glob("*.cu")), course / "in/ada.cu", "--book", book, *PATIENT, check=2)
    assert "nobody.cu names no student on the roster" in done.stderr and "mallory␛[2J.cu names no student" in done.stderr
    assert "nothing was graded" in done.stderr and "\x1b" not in done.stderr
    gone = call("grade", LAB, tmp_path / "ada.cu", "--book", book, *PATIENT, check=2)
    assert "ada.cu: there is no such file" in gone.stderr
    assert book.read_bytes() == before
    (tmp_path / "twice.csv").write_text("id,name\nx,1\ny,2\nx,3\n")
    twice = call("book", "roster", book, tmp_path / "twice.csv", check=3)
    assert "twice.csv:4: the student x is in line 2 already" in twice.stderr
    assert book.read_bytes() == before
    call("book", "roster", tmp_path / "new.book", tmp_path / "twice.csv", check=3)
    assert not (tmp_path / "new.book").exists()


def test_a_name_forges_no_line(course, tmp_path):
    """Whoever may not hand in is told in one line each, whatever the file is called."""
    names = ["new\nwarpbook.cu: graded", "it's \"quoted\".cu", "100%d%s%n.cu", "\x1b[2Jred.cu", "\x9b31mred.cu"]
    for name in names:
        (tmp_path / name).write_text(RIGHT)
    book = book_of(course, tmp_path)
    before = book.read_bytes()
    done = call("grade", LAB, *(tmp_path / name for name in names), "--book", book, *PATIENT, check=2)
    lines = done.stderr.splitlines()
    assert len(lines) == len(names) + 1 and all(line.startswith("warpbook grade: ") for line in lines), lines
    assert "\x1b" not in done.stderr and "\x9b" not in done.stderr
    assert book.read_bytes() == before


def test_books_that_are_none(course, tmp_path):
    text, older, locked = tmp_path / "text.book", book_of(course, tmp_path), tmp_path / "locked.book"
    text.write_text("no gradebook, but some text that is long enough to be one" * 20)
    locked.write_bytes(older.read_bytes())
    connection = sqlite3.connect(older)
    connection.execute("PRAGMA user_version=0")
    connection.close()
    damaged = tmp_path / "damaged.book"
    damaged.write_bytes((course / "class.book").read_bytes()[:9000] + b"\xee" * 40000)
    books = {text: "is no gradebook", older: "an older Warpbook", locked: "is locked by another program",
             damaged: "is damaged", tmp_path / "none.book": "there is no gradebook"}
    before = {path: path.read_bytes() for path in books if path.exists()}
    holder = sqlite3.connect(locked, isolation_level=None)  # from here on: to read it here would end its lock
    holder.execute("BEGIN EXCLUSIVE")
    with ThreadPoolExecutor(8) as pool:
        shows = {path: pool.submit(call, "book", "show", path) for path in books}
        grades = {path: pool.submit(call, "grade", LAB, LAB / "right.cu", "--book", path, *PATIENT)
                  for path in before}
    for path, says in books.items():
        for done in [shows[path].result()] + ([grades[path].result()] if path in grades else []):
            assert done.returncode == 3 and says in done.stderr, (path, done.stderr)
    holder.close()
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("args, says", [
    (["book"], "what is to be done"), (["book", "shw", "x"], "did you mean show"), (["book", "show"], "no gradebook is named"),
    (["book", "roster", "x"], "a gradebook and a CSV"), (["book", "rules", "x", "--due", "2026-01-01"], "name the lab"),
    (["book", "show", "x", "--due", "2026-01-01"], "--due is for rules; show has no use for it"), (["book", "show", "x", "y", "z"], "no use for z"),
    (["book", "override", "x", "ada", "lab"], "what is decided"), (["book", "rules", "x", "--json"], "--json is for show; rules has no use for it"),
    (["book", "rules", "x", "lab", "--days", "-1"], "--days takes a number from 0 to 10000, not '-1'"),
    (["book", "rules", "x", "lab", "--counts", "first"], "--counts takes one of last, best, not 'first'"),
    (["book", "override", "x", "ada", "lab", "--points", "many"], "--points takes none or a number from 0 to 1e6, not 'many'"),
    (["grade", LAB, "x.cu", "--again"], "go with --book"),
    (["grade", LAB, "x.cu", "--book", "b", "--handed-in", "noon"], "--handed-in takes a time, as in 2026-11-30 23:59, not 'noon'"),
])
def test_wrong_usage(args, says, tmp_path):
    done = call(*args, cwd=tmp_path, check=2)
    assert says in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("args, says, rc", [
    (["override", "B", "adda", "increment", "--points", "1"], "no student adda, did you mean ada?", 3),
    (["override", "B", "ada", "incremnt", "--points", "1"], "no lab incremnt, did you mean increment?", 3),
    (["override", "B", "ada", "increment", "--points", "many"], "--points takes none or a number", 2),
    (["override", "B", "gil", "increment", "--handed-in", "2026-01-01"], "gil handed nothing in", 3),
    (["rules", "B", "increment", "--penalty", "200"], "--penalty takes a number from 0 to 100", 2),
    (["rules", "B", "increment", "--due", "31.12."], "--due takes a time, as in 2026", 2),
    (["rules", "B", "increment", "--counts", "all"], "--counts takes one of last, best", 2),
    (["rules", "B", "nolab", "--penalty", "1"], "nolab", 3),
    (["show", "B", "nobody"], "no lab and no student nobody", 3),
])
def test_what_the_book_does_not_have(args, says, rc, course, tmp_path):
    book = book_of(course, tmp_path)
    before = book.read_bytes()
    done = call("book", *[str(book) if a == "B" else a for a in args], check=rc)
    assert says in done.stderr and book.read_bytes() == before
