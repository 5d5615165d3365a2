"""Labs as paths of steps: every step is taken, wrong answers first, then right ones, over one kernel, in both languages; and
what steps.json says of numbers is what softgpu counts."""

import gettext
import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import draw
import pytest
from raw_client import REAL, Client, Kernel, streams

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))

LIMIT = 600  # seconds for a cell, on a slow machine that does other things, too
ALL = sorted(p.parent.name for p in (ROOT / "labs").glob("*/steps.json"))
LABS = draw.few(ALL, 1)
SEEDS = 8  # of further inputs that a right answer is tried with: no student may have bad luck with theirs


def folder(lab):
    return ROOT / "labs" / lab


def inputs(lab):
    """The inputs of its steps' tests: wrong answers (STEP.wrong*.cu), and the program from which numbers come (counted.cu)."""
    return ROOT / "tests" / "steps" / lab


def spoken(here, there):
    """steps.json with the texts of its translation in their places."""
    if isinstance(here, dict):
        return here | {key: spoken(here.get(key, value), value) for key, value in there.items()}
    return [spoken(*pair) for pair in zip(here, there)] if isinstance(here, list) and isinstance(there, list) else there


def steps_of(lab, language="en"):
    document = json.loads((folder(lab) / "steps.json").read_text())
    if language != "en":
        document = spoken(document, json.loads((folder(lab) / f"steps.{language}.json").read_text()))
    return document["steps"]


def words_of(language):
    """Returns the translation of a sentence's beginning, up to its first format."""
    known = {}
    if language == "zh":
        with (BUILD / "language/zh_CN.mo").open("rb") as file:
            known = gettext.GNUTranslations(file)._catalog

    def word(english):
        text = next((other for text, other in known.items() if text.strip().startswith(english)), english)
        return re.split(r"%[\w.$]+", text.strip())[0]

    return word


def text_of(value):
    return value if isinstance(value, str) else "\n".join(value)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    k = Kernel(argv=[str(REAL), "kernel", "-f"], env={
        "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "XDG_DATA_HOME": str(data), "WARPBOOK_DEVICE": "soft"})
    k.data = data
    yield k
    k.close()


@pytest.fixture(scope="module")
def cells(kernel):
    c = Client(kernel)
    c.ready()
    yield c
    c.close()


def run(cells, code):
    """How the cell ended, and all the words it showed."""
    content, outputs = cells.execute(code, timeout=LIMIT)
    data = [m["content"]["data"] for m in outputs if m["type"].endswith("display_data")]
    assert not any("**" in re.sub(r"```.*?```", "", d.get("text/plain", ""), flags=re.S) for d in data), data  # a terminal's text
    shown = [d.get("text/markdown", d.get("text/plain", "")) for d in data]
    return content, "\n".join([*shown, streams(outputs), *content.get("traceback", [])])


def answer(cells, code, mark, said):
    content, words = run(cells, code)
    assert mark in words and said in words, f"{code}\n{content}\n{words}"


def wrong_numbers(step):
    for entry in step["wrong"]:
        value = entry["is"] if "is" in entry else (entry["from"] + entry["to"]) / 2
        yield value, text_of(entry["say"])
    far = 1e9 + random.randrange(1000)
    yield far, text_of(step["otherwise"])


def take_prediction(cells, lab, step, word):
    name, right = f"{lab}.{step['name']}", step["answer"]
    answer(cells, f"%predict {name} = ?", word("**Step "), text_of(step["text"]))
    if "choices" in step:
        for choice, say in step["choices"].items():
            if choice != right:
                answer(cells, f"%predict {name} = {choice}", "✘", text_of(say))
        for words in {right, *step.get("words", {}).get(right, "").split()}:  # of either language
            answer(cells, f"%predict {name} = {words}", "✔", text_of(step["choices"][right]))
        return
    for value, say in wrong_numbers(step):
        answer(cells, f"%predict {name} = {value:.12g}", "✘", say)
    answer(cells, f"%predict {name} = {right:.12g} {step.get('unit', '')}", "✔", text_of(step["right"]))


def take_code(cells, lab, step, word, language):
    first = f"%%try {lab}.{step['name']}\n"
    answer(cells, first + text_of(step["start"]), "", word("Still to fill in"))
    content, words = run(cells, first + "__global__ void somebody_elses(float *a) { a[0] = 1; }")
    assert word("This step's check calls") in words, words
    solution = (folder(lab) / step["solution"]).read_text()
    wrong = sorted(inputs(lab).glob(f"{step['name']}.wrong*.cu"))
    assert wrong, f"{lab}.{step['name']} has no wrong answer to try"
    for path in wrong:
        says = re.match(r"// says: (.*)", path.read_text())[1]
        content, words = run(cells, first + path.read_text())
        told = says in words if language == "en" else says not in words and re.search("[一-鿿]", words)
        # whether the program ends with a wrong result, a race or a fault
        assert told and "✘" in words and "--seed" in words, f"{path}\n{content}\n{words}"
    answer(cells, first + solution, "✔", text_of(step["right"]))
    for _ in range(SEEDS):
        answer(cells, f"%%try {lab}.{step['name']} --seed {random.randrange(10**6)}\n{solution}", "✔", "")


@pytest.fixture(params=["en", "zh"])
def language(request, cells, kernel):
    if request.param == "zh" and not shutil.which("msgfmt"):
        pytest.skip("gettext is not here: the build speaks English")
    (kernel.data / "warpbook" / "progress.json").unlink(missing_ok=True)
    run(cells, f"%language {request.param}")
    yield request.param
    run(cells, "%language en")


@pytest.mark.parametrize("lab", LABS)
def test_every_step_is_taken(cells, kernel, lab, language):
    word = words_of(language)
    steps = steps_of(lab, language)
    answer(cells, f"%step {lab}", word("**Step "), text_of(steps[0]["text"]))
    graded = json.loads((folder(lab) / "steps.json").read_text()).get("solutions") is False
    answer(cells, "%solution", "", {"en": "is graded and shows no solutions", "zh": "用于考核"}[language] if graded else word("Try first"))
    answer(cells, "%step 2", word("**Step "), text_of(steps[1]["text"]))
    answer(cells, "%step 1", word("**Step "), text_of(steps[0]["text"]))
    code = [s for s in steps if s["kind"] == "try"]
    if language != "en":  # the same programs as in English: one of them
        code = draw.few(code, 1)
    for step in steps:
        for hint in step["hints"]:
            answer(cells, f"%hint {lab}.{step['name']}", word("**Hint "), hint)
        if step["kind"] == "predict":
            take_prediction(cells, lab, step, word)
        elif step in code:
            take_code(cells, lab, step, word, language)
    kept = json.loads((kernel.data / "warpbook" / "progress.json").read_text())["labs"][lab]
    todo = {s["name"] for s in steps if s["kind"] == "predict" or s in code}
    assert {name for name, r in kept.items() if r.get("passed")} == todo
    content, words = run(cells, f"%progress {lab}")
    assert all(s["title"] in words for s in steps), words
    assert re.search(rf"{lab}\W+{len(todo)}\D+{len(steps)}" if language == "en" else rf"{lab}.*{len(todo)}", words), words


def test_a_wrong_answer_invites_a_hint(cells, language):
    """The first one asks the client for a cell below; later ones, and right ones, do not."""
    name = random.choice([s["name"] for s in steps_of("reduce") if s["kind"] == "predict" and "choices" not in s])
    right = next(s["answer"] for s in steps_of("reduce") if s["name"] == name)
    asked = [run(cells, f"%predict reduce.{name} = {value}")[0]["payload"] for value in ("many", 1234567, 7654321, right)]
    assert asked == [[], [{"source": "set_next_input", "text": f"%hint {name}", "replace": False}], [], []], asked


MISSED = [  # a wrong answer, and what the pictures say of what was asked for and of the answer; None: nothing that one warp shows
    ("transpose", "turn_16.wrong_16", "in 32 of 32 banks: 1 pass", "in 4 of 32 banks: 8 passes"),
    ("reduce", "warp_dot.wrong_runs", "32 lanes asked for 128 bytes, 4 sectors", "32 lanes asked for 128 bytes, 32 sectors"),
    ("final", "seal.wrong_written", "32 lanes wrote 128 bytes, 4 sectors", "32 lanes wrote 128 bytes, 32 sectors"),
    ("histogram", "tally.wrong_each", "1 lane changed 4 bytes", "32 lanes changed 128 bytes (16 different)"),
    ("final", "seal.wrong_unrolled", "", "line 8   #...............#..............."),
    ("final", "spot.wrong_warp", None, None),
    ("final", "seal.wrong_first", None, None),
]


@pytest.mark.parametrize("lab, name, asked, yours", MISSED)
def test_a_missed_bound_is_drawn(cells, lab, name, asked, yours):
    """Unasked, from a second run that prints nothing; a wrong result has no picture."""
    code = 'static int said = printf("said\\n");\n' + (inputs(lab) / f"{name}.cu").read_text()
    content, outputs = cells.execute(f"%%try {lab}.{name.split('.')[0]}\n{code}", timeout=LIMIT)
    drawn = [m["content"]["data"]["text/plain"] for m in outputs if "image/svg+xml" in m["content"].get("data", {})]
    assert content["status"] == "ok" and streams(outputs) == "said\n", outputs
    if yours is None:
        assert not drawn
        return
    above, _, below = drawn[0].rpartition("yours: ")
    assert len(drawn) == 1 and asked in above and yours in below, drawn
    assert above.startswith("asked for: ") == bool(asked) and ": cell [" in below or not asked, drawn


def test_done_is_said_when_every_step_is(cells, kernel, language):
    """Also if the last step is passed before others."""
    lab, word = random.choice([lab for lab in ALL if lab != "final"]), words_of(language)
    steps = steps_of(lab)
    *others, last = [s for s in steps if s["kind"] == "predict" and "choices" not in s]
    path = kernel.data / "warpbook" / "progress.json"
    for left, said in ((others[0], word(". Next: step")), (last, word(": all of them."))):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"labs": {lab: {s["name"]: {"passed": True} for s in steps if s not in (left, last)}}}))
        answer(cells, f"%predict {lab}.{last['name']} = {last['answer']}", "✔", said)


def test_progress_has_the_order_of_the_course(cells, language):
    content, words = run(cells, "%progress")
    shown = [line.split()[0] for line in words.splitlines() if line.split() and line.split()[0] in ALL]
    assert shown == sorted(ALL, key=lambda lab: json.loads((folder(lab) / "steps.json").read_text())["place"]), words
    assert shown[:3] == ["coalescing", "transpose", "reduce"] and shown[-1] == "final", words


def test_choices_tell_nothing_by_their_order(cells, kernel, language):
    """Each student has an order of their own, and keeps it."""
    places = set()
    for _ in range(12):
        (kernel.data / "warpbook" / "progress.json").unlink(missing_ok=True)
        shown = [re.findall(r"`(\w+)`", run(cells, "%predict final.find_spot = ?")[1].splitlines()[-3]) for _ in range(2)]
        assert shown[0] == shown[1] and sorted(shown[0][-5:]) == ["banks", "bytes", "few", "idle", "queue"], shown
        places.add(shown[0].index("queue"))
        none = run(cells, "%predict final.find_spot = what?")[1]
        assert none.count("、" if language == "zh" else ", ") == 4 and "queue" in none, none
    assert len(places) > 1


TEXTS = {"title", "text", "right", "otherwise", "say"}


def untranslated(here, there, path):
    """Texts of steps.json that its translation lacks."""
    if isinstance(here, dict):
        for key, value in here.items():
            wanted = key in TEXTS or key in ("hints", "wrong", "counts", "because", "choices", "steps") or path.endswith(".choices")
            if wanted and key not in there:
                yield f"{path}.{key}"
            elif wanted:
                yield from untranslated(value, there[key], f"{path}.{key}")
    elif isinstance(here, list) and here and isinstance(there, list) and path.split(".")[-1] not in TEXTS:
        for i, pair in enumerate(zip(here, there)):
            yield from untranslated(*pair, f"{path}[{i}]")
    else:
        english, other = text_of(here), text_of(there)
        code = re.findall(r"```.*?```", english, re.S)
        numbers = set(re.findall(r"\d[\d,]*\.?\d{2,}", english))
        if not re.search("[一-鿿]", other) and re.search(r"[a-z]{4} [a-z]", english):
            yield f"{path} is in English"
        if re.findall(r"```.*?```", other, re.S) != code or not numbers <= set(re.findall(r"\d[\d,]*\.?\d{2,}", other)):
            yield f"{path} has other code or other figures than in English"


@pytest.mark.parametrize("lab", ALL)
def test_every_text_is_in_chinese(lab):
    """steps.zh.json beside steps.json: each text that students read, with the code and the figures of the English one."""
    here, there = (json.loads((folder(lab) / name).read_text()) for name in ("steps.json", "steps.zh.json"))
    assert not list(untranslated(here, there, lab))


@pytest.mark.skipif(not draw.ALL, reason="grades: ALL=1")
@pytest.mark.parametrize("lab", [lab for lab in ALL if any(s["kind"] == "grade" for s in steps_of(lab))])
def test_the_last_step_is_a_grade(cells, lab):
    step = next(s for s in steps_of(lab) if s["kind"] == "grade")
    content, words = run(cells, f"%%grade {lab}\n" + (folder(lab) / "starter.cu").read_text())
    assert "✔" not in words
    best = max((folder(lab) / "solutions").glob("*.cu"))
    answer(cells, f"%%grade {lab}\n" + best.read_text(), "✔", text_of(step["right"]))


def stripped(kernel):
    return re.sub(r"\(.*", "", kernel.removeprefix("void "))


SUMS = {  # as jupyter_kernel/steps/figure.c adds up
    "sectors_per_load": (["global_load_sectors"], ["global_load_requests"], 1),
    "sectors_per_store": (["global_store_sectors"], ["global_store_requests"], 1),
    "bytes_per_load": (["global_load_sectors"], ["global_load_requests"], 32),
    "used_by_loads": (["global_load_used"], ["global_load_sectors"], 100 / 32),
    "loads": (["global_load_requests"], [], 1),
    "load_sectors": (["global_load_sectors"], [], 1),
    "passes_per_shared_load": (["shared_load_wavefronts"], ["shared_load_requests"], 1),
    "passes_per_shared_store": (["shared_store_wavefronts"], ["shared_store_requests"], 1),
    "passes_per_shared_atomic": (["shared_atomic_wavefronts"], ["shared_atomic_requests"], 1),
    "passes_per_atomic": (["global_atomic_passes"], ["global_atomic_requests"], 1),
    "shared_loads": (["shared_load_requests"], [], 1),
    "atomics": (["global_atomic_operations"], [], 1),
    "barriers": (["barriers"], [], 1),
    "divergent": (["divergent_branches"], [], 1),
    "lanes": (["lane_instructions"], ["warp_instructions"], 1),
}


@pytest.mark.parametrize("lab", [lab for lab in LABS if (inputs(lab) / "counted.cu").exists()])
def test_answers_are_what_softgpu_counts(lab, tmp_path):
    """One program a lab, run once; a number that nothing can count is said by the program itself, `NAME VALUE` a line."""
    command = [REAL, "run", "--counters", "--json", "--device", "soft", inputs(lab) / "counted.cu"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=dict(os.environ, XDG_CACHE_HOME=str(tmp_path)))
    document = json.loads(ran.stdout)
    assert ran.returncode == 0, ran.stdout[-2000:]
    launches = document["report"]["launches"] if "report" in document else document["launches"]
    printed = dict(re.findall(r"^(\w+) ([\d.]+)$", document.get("stdout", "") + ran.stderr, re.M))
    for step in steps_of(lab):
        counted = step.get("counted")
        if not counted:
            assert "choices" in step or step["kind"] != "predict", f"{step['name']} is counted by nobody"
            continue
        if "printed" in counted:
            assert float(printed[counted["printed"]]) == step["answer"], step["name"]
            continue
        over_under = SUMS[counted["of"]]
        mine = [launch["counters"] for launch in launches if stripped(launch["kernel"]) == counted["kernel"]]
        assert mine, counted
        top = sum(c[name] for c in mine for name in over_under[0])
        bottom = sum(c[name] for c in mine for name in over_under[1]) if over_under[1] else 1
        assert abs(over_under[2] * top / bottom - step["answer"]) <= 1e-6 * step["answer"], (step["name"], over_under[2] * top / bottom)


def test_steps_are_a_path():
    """6 to 10 steps, the last one a grade where the lab grades; no name twice; nobody passes by a cell of the notebook."""
    names = [s["name"] for lab in ALL for s in steps_of(lab)]
    assert len({n for n in names if n != "graded"}) == len([n for n in names if n != "graded"]), sorted(names)
    notebooks = [json.loads(p.read_text()) for p in (ROOT / "notebooks").glob("*.ipynb")]
    shown = [("".join(c["source"])) for n in notebooks for c in n["cells"] if c["cell_type"] == "code"]
    for lab in ALL:
        steps = steps_of(lab)
        assert 6 <= len(steps) <= 10, lab
        assert (steps[-1]["kind"] == "grade") == (folder(lab) / "lab.json").exists(), lab
        for step in steps:
            if step["kind"] == "try":
                function = re.search(r"(\w+)\s*\(", step["signature"])[1]
                assert "____" in text_of(step["start"])
                for cell in shown:
                    assert not re.search(rf"\b{function}\b", cell) or "____" in cell, (lab, step["name"])
