#!/usr/bin/env python3
"""The labs' steps in JupyterLab, as a student takes them: take_steps.py [--labs a,b] [--languages en,zh] [--themes light,dark] [--zooms 100,200] [--out FOLDER]

Each lab's notebook is opened in Chromium. In each step's cell a wrong answer is typed, Shift+Enter pressed, and what comes out is read: it is
refused, with the sentence that belongs to it. Then hints, then the right answer, and the bar. FOLDER (build/screenshots/steps) gets a picture of
each of these moments, to be looked at. By itself it takes every lab in both languages, each in a theme and at a zoom of its own, and then the
first in all of them, without hints and grades. What is wrong is told, a line each, and ends it with 1.

test_take_steps.py takes one lab's path of it.
"""

import argparse
import itertools
import json
import random
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import nbformat

sys.path.insert(0, str(Path(__file__).resolve().parent))
from jupyterlab import ROOT, SCREENSHOTS, chromium, choose_theme, page_of, serve  # noqa: E402

LABS = sorted(p.parent.name for p in (ROOT / "labs").glob("*/steps.json"))
CHINESE = re.compile("[一-鿿]")
LIMIT_S = 300  # for a cell, on a slow machine that does other things, too
BAR = re.compile(r"([█░]+)([^█░]*)")


def spoken(here, there):
    """steps.json with the texts of its translation in their places."""
    if isinstance(here, dict):
        return here | {key: spoken(here.get(key, value), value) for key, value in there.items()}
    return [spoken(*pair) for pair in zip(here, there)] if isinstance(here, list) and isinstance(there, list) else there


def steps_of(lab, language):
    document = json.loads((ROOT / "labs" / lab / "steps.json").read_text())
    if language != "en":
        document = spoken(document, json.loads((ROOT / "labs" / lab / f"steps.{language}.json").read_text()))
    return document["steps"]


def text_of(value):
    return value if isinstance(value, str) else "\n".join(value)


def letters(text):
    """Reduces Markdown, and the page that shows it, to letters and digits, so that both can be compared."""
    return re.sub(r"[\W_]", "", text_of(text).replace("```cuda", ""))


def english_in(words):
    """Sentences in English within what is said in Chinese; programs and names are none."""
    told = "\n".join(line for line in words.splitlines() if not re.search(r"[;{}]|^\s*(//|__global__)", line))
    return re.findall(r"(?:\b[A-Za-z][a-z']+ ){4,}[a-z]+", told)


def notebook_of(lab, language):
    """Its path below notebooks/; None: a path that no notebook shows."""
    folder = ROOT / "notebooks" / ("zh" if language == "zh" else "")
    for path in sorted(folder.glob("*.ipynb")):
        if any("".join(c["source"]) == f"%step {lab}" for c in json.loads(path.read_text())["cells"]):
            return path
    return None


class Student:
    """Sits before a lab's notebook. `problems` holds what was not as it should be."""

    def __init__(self, page, lab, language, out):
        self.page, self.lab, self.language, self.out = page, lab, language, out
        self.problems, self.pictures, self.slowest = [], 0, 0.0
        self.cells = page.locator(".jp-Notebook .jp-Cell")

    def complain(self, about, words=""):
        self.problems.append(f"{self.lab} {self.language}: {about}" + (f"\n    {words[:600]!r}" if words else ""))

    def look(self, i, name):
        """A picture of the page with this cell's output in sight."""
        if self.out:
            self.pictures += 1
            self.cells.nth(i).evaluate("c => (c.querySelector('.jp-OutputArea-output') || c).scrollIntoView({block: 'center'})")
            self.page.wait_for_timeout(150)
            self.page.screenshot(path=self.out / f"{self.pictures:02}-{name}.png")

    def write(self, i, text, by_key):
        """Into a cell, in place of what stands there: by keys, where the editor indents, or pasted."""
        self.cells.nth(i).locator(".cm-content").first.click()
        self.page.keyboard.press("Control+a")
        if not by_key:
            self.page.keyboard.insert_text(text.rstrip("\n"))
            return
        self.page.keyboard.press("Delete")
        for n, line in enumerate(text.rstrip("\n").split("\n")):
            if n:
                self.page.keyboard.press("Enter")
            self.page.keyboard.type(line.strip())

    def press(self, i, keys="Shift+Enter"):
        """Runs a cell that was written to; the words that it shows when it has ended."""
        cell = self.cells.nth(i)
        prompt = cell.locator(".jp-InputPrompt").first
        before, began = prompt.text_content(), time.monotonic()
        self.page.keyboard.press(keys)
        words, same, state = "", 0, self.page.locator("#jp-main-statusbar")
        while same < 4:  # what is shown may lag behind what has ended
            if time.monotonic() - began > LIMIT_S:
                raise TimeoutError(f"a cell runs for {LIMIT_S} s: {cell.inner_text()[:300]}")
            self.page.wait_for_timeout(60)
            number, was = prompt.text_content(), words
            words = "\n".join(cell.locator(".jp-OutputArea-output").all_inner_texts())
            ended = re.search(r"\d", number) and number != before and "| Idle" in state.inner_text()
            same = same + 1 if ended and words and words == was else 0
        self.slowest = max(self.slowest, time.monotonic() - began)
        for wide, room, scrolls in cell.locator(".jp-OutputArea-output").evaluate_all(
                "all => all.map(o => [o.scrollWidth, o.clientWidth, getComputedStyle(o).overflowX])"):
            if wide > room + 1 and scrolls not in ("auto", "scroll"):
                self.complain(f"an output is {wide} pixels wide in {room}", words)
        if self.language == "zh" and english_in(words):
            self.complain(f"English: {english_in(words)}", words)
        return words

    def press_at(self, i):
        """Runs a cell as it stands there."""
        self.cells.nth(i).locator(".cm-content").first.click()
        return self.press(i)

    def enter(self, i, text, by_key=True):
        self.write(i, text, by_key)
        return self.press(i)

    def invited(self, i, name):
        """The first wrong answer puts a cell below that invites to a hint. It goes again, since the cells after it are known by number."""
        self.page.wait_for_timeout(200)
        if f"%hint {name}" not in self.cells.nth(i + 1).inner_text():
            self.complain(f"no cell below {name} invites to %hint")
            return
        self.cells.nth(i + 1).locator(".jp-InputPrompt").first.click()
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("d")
        self.page.keyboard.press("d")

    def ask(self, i, magic):
        """In a cell of its own below this one, which goes when it has been read: the keys b and, later, d d."""
        self.cells.nth(i).locator(".jp-InputPrompt").first.click()
        self.page.keyboard.press("b")
        self.write(i + 1, magic, by_key=True)
        words = self.press(i + 1, "Control+Enter")
        self.look(i + 1, re.sub(r"\W+", "-", magic).strip("-"))
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("d")
        self.page.keyboard.press("d")
        return words

    def hold(self, what, words, mark, *said):
        """The words have a mark, and all that was to be said."""
        missing = [s for s in said if letters(s) not in letters(words)]
        if mark not in words or missing:
            self.complain(f"{what}: {mark or 'it'} is to say {missing or 'so'}", words)

    def hold_bar(self, what, words, done, of):
        """12 pieces, and the two numbers, as the steps that are passed have it."""
        found = BAR.search(words)
        piece = max(done * 12 / of, 1) if done < of else 12
        if not found or len(found[1]) != 12 or abs(found[1].count("█") - piece) > 1 or not {str(done), str(of)} <= set(re.findall(r"\d+", found[2])):
            self.complain(f"{what}: the bar is to show {done} of {of}", words)


def predicted(student, i, step, first):
    """Wrong numbers, then what helps, then the right one."""
    name, right = step["name"], step["answer"]
    if "choices" in step:
        wrong = [(choice, say) for choice, say in step["choices"].items() if choice != right]
    else:
        wrong = [(f"{e['is'] if 'is' in e else (e['from'] + e['to']) / 2:.12g}", e["say"]) for e in step["wrong"]]
        wrong.append((str(10 ** 9 + random.randrange(1000)), step["otherwise"]))
    student.hold(f"{name} = ?", student.press_at(i), "", step["title"], step["text"])
    if first:
        student.hold("%solution before a try", student.ask(i, "%solution"), "", step["title"])
    for n, (value, say) in enumerate(random.sample(wrong, min(2 if first else 1, len(wrong)))):
        student.hold(f"{name} = {value}", student.enter(i, f"%predict {name} = {value}"), "✘", say)
        if n == 0:
            student.invited(i, name)
        student.look(i, f"{name}-refused")
    if first:
        for hint in step["hints"]:
            student.hold(f"a hint of {name}", student.ask(i, "%hint"), "", hint)
        student.hold(f"%solution of {name}", student.ask(i, "%solution"), "", step["choices"][right] if "choices" in step else step["right"])
    value = right if "choices" in step else f"{right:.12g} {step.get('unit', '')}".strip()
    words = student.enter(i, f"%predict {name} = {value}")
    student.hold(f"{name} = {value}", words, "✔", step["choices"][right] if "choices" in step else step["right"])
    student.look(i, f"{name}-passed")
    return words


def tried(student, i, step, by_key):
    """As it was given, a wrong answer, a hint, the right one."""
    name, folder = step["name"], ROOT / "labs" / student.lab
    words = student.press_at(i)
    if "✔" in words or not words:
        student.complain(f"{name} as it was given", words)
    path = random.choice(sorted((ROOT / "tests" / "steps" / student.lab).glob(f"{name}.wrong*.cu")))
    says, code = path.read_text().split("\n", 1)
    words = student.enter(i, f"%%try {name}\n{code}", by_key=False)
    if "✔" in words or (student.language == "en" and letters(says.removeprefix("// says: ")) not in letters(words)) or (student.language == "zh" and not CHINESE.search(words)):
        student.complain(f"{path.name} is to be told: {says}", words)
    if f"%hint {name}" in student.cells.nth(i + 1).inner_text():  # none if the program failed
        student.invited(i, name)
    student.look(i, f"{name}-refused")
    student.hold(f"a hint of {name}", student.ask(i, "%hint"), "", step["hints"][0])
    words = student.enter(i, f"%%try {name}\n" + (folder / step["solution"]).read_text(), by_key)
    student.hold(f"{name}, solved", words, "✔", step["right"])
    student.look(i, f"{name}-passed")
    return words


def graded(student, i, step):
    words = student.press_at(i)
    if "✔" in words or not re.search(r"\d", words):
        student.complain("the exercise as it was given", words)
    student.look(i, "grade-refused")
    best = max((ROOT / "labs" / student.lab / "solutions").glob("*.cu"))
    words = student.enter(i, f"%%grade {student.lab}\n{best.read_text()}", by_key=False)
    student.hold(f"{best.name}, graded", words, "✔", step["right"])
    student.look(i, "grade-passed")
    return words


def places(path):
    """{step or magic: the number of its cell}"""
    found = {}
    for i, cell in enumerate(json.loads(path.read_text())["cells"]):
        asks = re.match(r"%+(?:predict|try|step|device|grade) (\w+)", "".join(cell["source"]))
        if cell["cell_type"] == "code" and asks:
            found.setdefault("".join(cell["source"]).split()[0] if asks[0].startswith(("%step", "%device", "%%grade")) else asks[1], i)
    return found


def take(student, path, steps, short=False):
    """The whole path; `short`: without the exercise that is graded, all programs but one, and what helps."""
    at = places(path)
    student.press_at(at["%device"])
    student.hold("%step", student.press_at(at["%step"]), "", steps[0]["title"], steps[0]["text"])
    student.look(at["%step"], "step")
    done, typed = 0, False
    for step in steps:
        if step["kind"] == "grade" and (short or "%%grade" not in at) or short and typed and step["kind"] == "try":
            continue
        if step["kind"] == "predict":
            words = predicted(student, at[step["name"]], step, first=not short and done == 0)
        elif step["kind"] == "try":
            words, typed = tried(student, at[step["name"]], step, not typed), True
        else:
            words = graded(student, at["%%grade"], step)
        done += 1
        student.hold_bar(step["name"], words, done, len(steps))
    words = student.ask(at["%step"], f"%progress {student.lab}")
    student.hold("%progress", words, "", *(s["title"] for s in steps))
    student.hold_bar("%progress", words, done, len(steps))


def lay_out(folder):
    """Copies of the notebooks; where no notebook shows a path, one of its steps alone. {(lab, language): path}"""
    found = {}
    shutil.copytree(ROOT / "notebooks", folder)
    for lab, language in itertools.product(LABS, ("en", "zh")):
        shown = notebook_of(lab, language)
        if shown:
            found[lab, language] = folder / shown.relative_to(ROOT / "notebooks")
            continue
        kernel = {"name": "warpbook-zh" if language == "zh" else "warpbook", "language": "c++", "display_name": "CUDA C++ (Warpbook)"}
        texts = ["%device soft", f"%step {lab}"]
        texts += [f"%%try {s['name']}\n{text_of(s['start'])}" if s["kind"] == "try" else f"%predict {s['name']} = ?"
                  for s in steps_of(lab, language) if s["kind"] != "grade"]
        texts.append(f"%%grade {lab}\n{(ROOT / 'labs' / lab / 'starter.cu').read_text()}")
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(t) for t in texts], metadata={"kernelspec": kernel})
        found[lab, language] = folder / f"{lab}.{language}.ipynb"
        nbformat.write(notebook, found[lab, language])
    return found


def take_all(plan, home, out=None):
    """Returns the errors on the ways of `plan`: [(lab, language, theme, zoom, short)]."""
    notebooks, problems = lay_out(home / "notebooks"), []
    with serve(home / "notebooks", home, WARPBOOK_DEVICE="soft", XDG_CACHE_HOME=str(home / "cache")) as (address, token), chromium() as browser:
        for lab, language, theme, zoom, short in plan:
            (home / "user/warpbook/progress.json").unlink(missing_ok=True)
            choose_theme(home, theme)
            folder = out / f"{lab}.{language}.{theme}.{zoom}" if out else None
            if folder:
                folder.mkdir(parents=True, exist_ok=True)
            path = notebooks[lab, language]
            page = page_of(browser, address, token, path.relative_to(home / "notebooks"), zoom, 1000 * 100 // zoom)
            student, began = Student(page, lab, language, folder), time.monotonic()
            try:
                take(student, path, steps_of(lab, language), short)
            except Exception as e:  # what stops one path leaves the others
                student.complain(f"stopped: {e!r}"[:600])
                student.look(0, "stopped")
            print(f"{lab} {language} {theme} {zoom}: {len(student.problems)} problems, {time.monotonic() - began:.0f} s, "
                  f"the slowest cell {student.slowest:.1f} s", *student.problems, sep="\n  ", flush=True)
            problems += student.problems
            page.close()
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("labs", "languages", "themes", "zooms"):
        parser.add_argument(f"--{name}", type=lambda s: s.split(","))
    parser.add_argument("--out", type=Path, default=SCREENSHOTS / "steps")
    chosen = parser.parse_args()
    ways = list(itertools.product(chosen.themes or ("light", "dark"), map(int, chosen.zooms or (100, 200))))
    labs, languages = chosen.labs or LABS, chosen.languages or ("en", "zh")
    plan = [(lab, language, *ways[(n + k) % len(ways)], False) for n, lab in enumerate(labs) for k, language in enumerate(languages)]
    plan += [(labs[0], language, *way, True) for language in languages for way in ways if (labs[0], language, *way, False) not in plan]
    with tempfile.TemporaryDirectory(prefix="warpbook-steps-") as home:
        problems = take_all(plan, Path(home), chosen.out)
    print(f"{len(problems)} problems; pictures in {chosen.out}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
