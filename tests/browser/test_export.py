"""warpbook export: slides, a page and a PDF of a notebook with real outputs, opened without any network."""

import json
import os
import shutil
import subprocess

import nbformat
import pytest
from nbclient import NotebookClient

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is missing: make setup")

from jupyterlab import BUILD, SCREENSHOTS, environment_of, find_chromium  # noqa: E402

WARPBOOK = BUILD / "bin" / "warpbook"
CELLS = (
    "__global__ void twice(int *x) { x[threadIdx.x] *= 2; }\nint *x; cudaMallocManaged(&x, 256 * sizeof(int));",
    "%%draw grid\ntwice<<<2, 128>>>(x); cudaDeviceSynchronize();",
    "%%counters\ntwice<<<1, 256>>>(x); cudaDeviceSynchronize();",
    "#include <warpbook.h>\nwb::html(\"<p id='figure'>still</p><script>document.getElementById('figure').textContent = 'moves'</script>\");",
)


def export(*words, **environment):
    return subprocess.run([str(WARPBOOK), "export", *map(str, words)], capture_output=True, text=True, env=dict(os.environ, **environment))


@pytest.fixture(scope="module")
def chromium():
    path = find_chromium()
    if not path:
        pytest.skip("no Chromium here")
    return path


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A notebook that the kernel has run, with a picture beside it."""
    home = tmp_path_factory.mktemp("export")
    subprocess.run([WARPBOOK, "install", "--prefix", home / "prefix"], check=True, capture_output=True)
    for key, value in environment_of(home).items():
        os.environ[key] = value
    cells = [nbformat.v4.new_markdown_cell("# Twice\n![a dot](dot.svg)"), *map(nbformat.v4.new_code_cell, CELLS)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "warpbook", "display_name": "CUDA"}})
    (home / "dot.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4" cx="4" cy="4"/></svg>')
    NotebookClient(notebook, timeout=300, kernel_name="warpbook").execute()
    nbformat.write(notebook, home / "twice.ipynb")
    return home / "twice.ipynb"


def look(chromium, path, size=(1280, 860), scheme="light"):
    """Opens the file where nothing but files can be had. Returns what it shows, and all it asked for."""
    with sync_api.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        context = browser.new_context(offline=True, viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        page, asked, errors = context.new_page(), [], []
        page.on("request", lambda request: asked.append(request.url.split(":")[0]))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"file://{path}")
        page.wait_for_load_state("load")
        shown = page.evaluate("""() => ({
            images: [...document.images].map(i => i.naturalWidth), tables: document.querySelectorAll('table').length,
            figure: document.getElementById('figure')?.textContent, slides: document.querySelectorAll('section section, section:not(:has(section))').length,
            ready: typeof Reveal !== 'undefined' && Reveal.isReady()})""")
        if shown["ready"]:
            page.evaluate("() => Reveal.next()")
            shown["moved"] = page.evaluate("() => JSON.stringify(Reveal.getIndices())")
            page.wait_for_timeout(1000)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"export-{path.name}-{scheme}-{size[0]}.png")
        browser.close()
        return shown, set(asked), errors


@pytest.mark.parametrize("form", ("slides", "html"))
@pytest.mark.parametrize("scheme, width", (("light", 1280), ("dark", 640)))
def test_it_opens_without_a_network(chromium, book, tmp_path, form, scheme, width):
    out = tmp_path / f"{form}.html"
    answer = export(form, book, "-o", out)
    assert answer.returncode == 0, answer.stderr
    shown, asked, errors = look(chromium, out, (width, width * 2 // 3), scheme)
    assert asked <= {"file", "data"} and not errors
    assert len(shown["images"]) >= 2 and all(shown["images"])  # the one beside the notebook, the one that was drawn
    assert shown["tables"] >= 1 and shown["figure"] == "moves"
    assert shown["ready"] == (form == "slides")
    if form == "slides":
        assert shown["slides"] == 5 and json.loads(shown["moved"])["v"] == 1  # below the heading's, one for each cell


def test_a_pdf_has_the_text(chromium, book, tmp_path):
    out = tmp_path / "twice.pdf"
    answer = export("pdf", book, "-o", out)
    assert answer.returncode == 0, answer.stderr
    data = out.read_bytes()
    assert data.startswith(b"%PDF-") and data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") >= 1 and b"/Font" in data


def test_without_a_name_it_lies_beside_the_notebook(book):
    assert export("html", book).returncode == 0
    assert book.with_suffix(".html").exists()


REFUSED = (  # words, exit status, what the message says
    ((), 2, "slides, html or pdf?"),
    (("docx", "BOOK"), 2, "slides, html or pdf?"),
    (("html",), 2, "which notebook?"),
    (("html", "BOOK", "BOOK"), 2, "one notebook at a time"),
    (("html", "/nonexistent/x.ipynb"), 2, "/nonexistent/x.ipynb"),
    (("html", __file__), 2, "is not a notebook"),
    (("html", "BOOK", "-o", "/dev/null/x.html"), 2, "/dev/null/x.html"),
)


@pytest.mark.parametrize("words, status, says", REFUSED)
def test_what_cannot_be_done_is_refused(book, words, status, says):
    answer = export(*(book if word == "BOOK" else word for word in words))
    assert answer.returncode == status and says in answer.stderr


@pytest.fixture
def bare(tmp_path):
    """An installation beside no .venv, and a PATH without Python and Chromium."""
    shutil.copytree(BUILD / "share" / "warpbook", tmp_path / "prefix/share/warpbook", symlinks=True)
    (tmp_path / "prefix/bin").mkdir()
    shutil.copy(WARPBOOK, tmp_path / "prefix/bin")
    return tmp_path


@pytest.mark.parametrize("form, says", (("html", "pip install nbconvert"), ("pdf", "apt-get install chromium")))
def test_a_missing_program_is_named(book, bare, form, says):
    answer = subprocess.run(
        [bare / "prefix/bin/warpbook", "export", form, book], capture_output=True, text=True, env={"PATH": "/nonexistent", "HOME": str(bare)}
    )
    assert answer.returncode == 3 and says in answer.stderr
