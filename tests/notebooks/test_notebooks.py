"""Executes every notebook from its first cell to its last and checks what came out.

A code cell says in its metadata what it must show:

    "warpbook": {"expect": {"text":  ["4.00", ...],   each occurs in the cell's outputs
                            "soft":  ["5.27", ...],   each of these on softgpu, which counts
                            "lines": 8,                so many lines on stdout
                            "mime":  ["text/html"],    each is among the outputs' MIME types
                            "error": "CudaError",      ends with this error ("": any)
                            "value": [0, 30]}}         text/plain of the result is a number in here

A cell without it must end without an error and write nothing to stderr.
"""

import json
import os
import random
import re
import shutil
import subprocess
import time
from pathlib import Path

import draw
import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CELL_LIMIT_S = 600
CHINESE = sorted((ROOT / "notebooks/zh").glob("*.ipynb"))
# A plain run has one of them: the wheel's tests run the first, JupyterLab the one of the transpose.
RUN = draw.few(NOTEBOOKS + CHINESE, 1)
SOFT = not Path("/dev/nvidiactl").exists()


@pytest.fixture(scope="session")
def kernelspec(tmp_path_factory):
    """The kernel of this build, installed where only these tests see it."""
    prefix = tmp_path_factory.mktemp("prefix")
    subprocess.run([BUILD / "bin" / "warpbook", "install", "--prefix", prefix], check=True, timeout=600)
    os.environ["XDG_DATA_HOME"] = str(prefix / "data")  # whose steps are passed is the user's
    os.environ["JUPYTER_PATH"] = str(prefix / "share" / "jupyter")
    return "warpbook"


def without_colours(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def shown(cell):
    """Returns what a reader sees of a cell's outputs: all its text, and the MIME types."""
    text, mime = [], set()
    for output in cell.outputs:
        if output.output_type == "stream":
            text.append(output.text)
        elif output.output_type == "error":
            text += [output.ename, output.evalue, *output.traceback]
        else:
            mime |= set(output.data)
            text += [str(output.data.get("text/plain", "")), str(output.data.get("text/html", ""))]
    return without_colours("\n".join(text)), mime


def complaints(cell):
    """Returns the errors in a cell's outputs, a sentence each."""
    expect = cell.metadata.get("warpbook", {}).get("expect", {})
    text, mime = shown(cell)
    stdout = "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout")
    errors = [o for o in cell.outputs if o.output_type == "error"]
    if errors and "error" not in expect:
        yield f"ended with {errors[0].ename}: {errors[0].evalue}"
    if "error" in expect:
        if not errors:
            yield "ended without the error it shows students"
        elif expect["error"] not in ("", errors[0].ename):
            yield f"ended with {errors[0].ename}, not {expect['error']}"
    elif any(o.output_type == "stream" and o.name == "stderr" for o in cell.outputs):
        yield "wrote to stderr"
    for wanted in expect.get("text", []) + (expect.get("soft", []) if SOFT else []):
        if wanted not in text:
            yield f"does not show {wanted!r}"
    for wanted in expect.get("mime", []):
        if wanted not in mime:
            yield f"shows no {wanted}, only {sorted(mime)}"
    if "lines" in expect and len(stdout.splitlines()) != expect["lines"]:
        yield f"printed {len(stdout.splitlines())} lines, not {expect['lines']}"
    if "value" in expect:
        values = [o.data["text/plain"] for o in cell.outputs if o.output_type == "execute_result"]
        low, high = expect["value"]
        if len(values) != 1 or not low <= float(values[0]) <= high:
            yield f"resulted in {values}, not a number from {low} to {high}"


@pytest.mark.parametrize("path", RUN, ids=lambda p: f"{'zh-' if p in CHINESE else ''}{p.stem}")
def test_notebook(path, kernelspec, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    language = dict(notebook.metadata.language_info)
    start = time.monotonic()
    client = NotebookClient(
        notebook, kernel_name=kernelspec, timeout=CELL_LIMIT_S, iopub_timeout=CELL_LIMIT_S, startup_timeout=CELL_LIMIT_S,
        allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    # The notebook stores the kernel's language_info. Otherwise JupyterLab marks it as unsaved when it opens.
    assert language == notebook.metadata.language_info
    (BUILD / "notebooks").mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, BUILD / "notebooks" / f"{'zh-' if path in CHINESE else ''}{path.name}")
    print(f"{path.name}: {time.monotonic() - start:.1f} s")
    wrong = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            wrong += [f"cell {cell.id}: {c}\n{shown(cell)[0][-1500:]}" for c in complaints(cell)]
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.skipif(not shutil.which("msgfmt"), reason="gettext is not here: the build speaks English")
def test_a_chinese_notebook_has_chinese_steps(kernelspec):
    """By the kernel that it names, on a server that speaks English."""
    path = random.choice([p for p in CHINESE if any(c["id"] == "step" for c in json.loads(p.read_text())["cells"])])
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [c for c in notebook.cells if c.id == "step"]
    lab = notebook.cells[0].source.split()[-1]
    NotebookClient(notebook, timeout=CELL_LIMIT_S, startup_timeout=CELL_LIMIT_S).execute()
    first = json.loads((ROOT / "labs" / lab / "steps.zh.json").read_text())["steps"][0]
    text, _ = shown(notebook.cells[0])
    assert first["title"] in text and "Answer with" not in text, text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_ships_clean(path):
    """Notebooks are kept without outputs, for the right kernel, and their links and pictures exist."""
    notebook = json.loads(path.read_text())
    assert {"name": "warpbook", "language": "c++"}.items() <= notebook["metadata"]["kernelspec"].items()  # as kernel.json says
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, cell["id"]
        else:
            for target in re.findall(r"\]\(([^)#]+)\)", "".join(cell["source"])):
                assert "://" in target or (path.parent / target).exists(), target


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_makes_slides(path):
    """A heading begins a slide and a cell; text, and code behind code, begin one below it."""
    before = None
    for cell in json.loads(path.read_text())["cells"]:
        text, markdown = "".join(cell["source"]), cell["cell_type"] == "markdown"
        assert not (markdown and "\n## " in text), cell["id"]
        kind = "slide" if markdown and text.startswith("#") else "subslide" if markdown or before == "code" else "-"
        assert cell["metadata"].get("slideshow", {"slide_type": "-"})["slide_type"] == kind, cell["id"]  # "-" is left out
        before = cell["cell_type"]


def measured():
    """{(kernel, size): rate} of the newest figures of an H200, which the notebooks speak of, as `make bench-gpu` left them."""
    newest = max((ROOT / "tests" / "gpu" / "results").glob("NVIDIA-H200_*.json"), key=lambda p: p.stem.split("_")[-1])
    parts = json.loads(newest.read_text())["parts"]
    return {
        (row["name"], size["size"]): row["rate"]
        for part in reversed(parts)
        if part["type"] in ("float", "byte")
        for size in part["sizes"]
        for row in size["rows"]
        if row.get("rate")
    }


FIGURES = json.loads((Path(__file__).parent / "figures.json").read_text())


def figure_said(figure):
    """The number that its words end with."""
    return re.search(r"([\d.,]*\d)$", figure["says"])[1]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f"{f['notebook']}-{f['kernel']}-{f['size']}")
def test_a_figure_of_a_gpu_is_the_measured_one(figure):
    """The texts' figures for an H200 were measured there. figures.json names each figure."""
    cells = json.loads((ROOT / "notebooks" / f"{figure['notebook']}.ipynb").read_text())["cells"]
    text = " ".join(" ".join("".join(c["source"]) for c in cells).split())
    assert figure["says"] in text
    rate = measured()[figure["kernel"], figure["size"]]
    assert abs(float(figure_said(figure).replace(",", "")) - rate) <= 0.03 * rate, f"measured: {rate}"


OWN = json.loads((Path(__file__).parent / "measured.json").read_text())


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_notebook_s_own_kernels_took_what_its_table_says(name):
    """Rows "| kernel[: what it is] | 1.23 ms | ...", or in us, are those of measured.json, to the last digit that they show, below the GPU's name."""
    took = OWN[name]["milliseconds"]
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())["cells"]
    text = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    rows = re.findall(r"^\| ([\w<>, ]+?)(?:: [^|]*)? \| (\d+(?:\.(\d+))?) (ms|us) \|", text, flags=re.M)
    assert {row[0] for row in rows} == set(took) and OWN[name]["gpu"].split()[1] in text
    for kernel, said, digits, unit in rows:
        assert abs(float(said) - took[kernel] * (1 if unit == "ms" else 1000)) <= 0.51 * 10 ** -len(digits), kernel


def test_every_figure_of_a_gpu_is_held():
    """A rate of four digits in a paragraph about a GPU is in figures.json."""
    for path in NOTEBOOKS:
        held = {figure_said(f) for f in FIGURES if f["notebook"] == path.stem}
        for cell in json.loads(path.read_text())["cells"]:
            for paragraph in "".join(cell["source"]).split("\n\n"):
                if cell["cell_type"] == "markdown" and "GB/s" in paragraph:
                    assert set(re.findall(r"\d,\d{3}", paragraph)) <= held, paragraph


def test_there_is_one_for_each_lab():
    """A lab that is a path of steps is taught in a notebook, which grades there, and so are some of the others; those that are not,
    examples of how labs are written, have the student's text in their folder, and so has the final, which asks for what the others teach."""
    labs = {p.parent.name for p in (ROOT / "labs").glob("*/lab.json")}
    paths = {p.parent.name for p in (ROOT / "labs").glob("*/steps.json")}
    graded = set()
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text())["cells"]:
            graded |= set(re.findall(r"^%%grade (\w+)", "".join(cell["source"]), flags=re.M))
    assert paths and paths - {"final"} <= graded <= labs
    assert all((ROOT / "labs" / name / "README.md").stat().st_size > 200 for name in labs)


def test_steps_stand_in_the_order_of_their_cells():
    """The next step by a lab's bar and its answers is the next one on the page."""
    held = 0
    for path in NOTEBOOKS:
        code = "\n".join("".join(c["source"]) for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code")
        for lab in re.findall(r"^%step (\w+)$", code, flags=re.M):
            names = [s["name"] for s in json.loads((ROOT / f"labs/{lab}/steps.json").read_text())["steps"]]
            cells = [name for name in re.findall(r"^%(?:predict|%try) (\w+)", code, flags=re.M) if name in names]
            assert cells == [name for name in names if name in cells], f"{path.stem}: {cells}"
            held += bool(cells)
    assert held >= 10


def solutions():
    """(notebook, lab, the solution folded into its text)"""
    for path in NOTEBOOKS:
        text = ["".join(c["source"]) for c in json.loads(path.read_text())["cells"]]
        for lab in re.findall(r"^%%grade (\w+)", "\n".join(text), flags=re.M):
            for folded in re.findall(r"<details>.*?```cuda\n(.*?)```", "\n".join(text), flags=re.S):
                yield pytest.param(lab, folded, id=path.stem)


SOLUTIONS = list(solutions())
GRADED = draw.few(SOLUTIONS, 2)


@pytest.mark.parametrize("lab, solution", GRADED)
def test_the_folded_solution_earns_what_it_promises(lab, solution, tmp_path):
    submission = tmp_path / "solution.cu"
    submission.write_text(solution)
    command = [BUILD / "bin" / "warpbook", "grade", lab, submission, "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=CELL_LIMIT_S)
    grade = json.loads(answer.stdout)
    grade = grade[0] if isinstance(grade, list) else grade
    assert grade["score"] >= 80, json.dumps(grade["tests"], indent=1)
