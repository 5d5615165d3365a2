"""A student's way through the transpose notebook, in JupyterLab in headless Chromium: open it, run all
cells, see the chart, get the grade. What it looks like is kept in build/screenshots/."""

import json
import re
import shutil
import subprocess
import time

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is missing: make setup")

from jupyterlab import BIN, LIMIT_S, ROOT, SCREENSHOTS, find_chromium, serve  # noqa: E402

NOTEBOOK = "2_transpose.ipynb"
RUN_LIMIT_S = 1200


@pytest.fixture(scope="module")
def chromium():
    path = find_chromium()
    if not path:
        pytest.skip("no Chromium here: .venv/bin/playwright install --with-deps chromium brings one")
    return path


def solve_it(path):
    """Puts the solution folded into the text where the student would write it."""
    notebook = json.loads(path.read_text())
    text = "".join("".join(c["source"]) for c in notebook["cells"])
    solution = re.search(r"<details>.*?```cuda\n(.*?)\n```", text, flags=re.S)[1]
    for cell in notebook["cells"]:
        if "".join(cell["source"]).startswith("%%grade"):
            cell["source"] = "%%grade transpose\n" + solution
    path.write_text(json.dumps(notebook))


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab of its own, with this build's kernel and copies of the notebooks."""
    home = tmp_path_factory.mktemp("lab")
    work = home / "notebooks"
    shutil.copytree(ROOT / "notebooks", work)
    solve_it(work / NOTEBOOK)
    with serve(work, home) as (address, token):
        yield address, token, work


@pytest.fixture(scope="module")
def page(chromium, lab):
    """The notebook, open in JupyterLab with its kernel idle."""
    address, token, _ = lab
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with sync_api.sync_playwright() as p:
        browser = p.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 860}, device_scale_factor=1.5)
        page.set_default_timeout(LIMIT_S * 1000)
        page.goto(f"{address}/lab/tree/{NOTEBOOK}?token={token}&reset")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        page.wait_for_function(
            "document.querySelector('.jp-NotebookPanel .jp-KernelName')?.innerText.includes('Warpbook')"
        )
        page.wait_for_selector('.jp-NotebookPanel [data-status="idle"]', state="attached")
        page.wait_for_timeout(1000)
        page.warpbook_was_dirty = page.locator(".jp-mod-dirty").count() > 0
        yield page
        browser.close()


def run_all(page):
    page.click('.lm-MenuBar-item:has-text("Run")')
    page.click('.lm-Menu-item:has-text("Run All Cells")')


def counts(page):
    """The cells' numbers in the margin, as shown: '[3]:', '[*]:', '[ ]:'."""
    return page.eval_on_selector_all(
        ".jp-CodeCell .jp-InputPrompt", "prompts => prompts.map(p => p.textContent.trim())"
    )


def code_cells(path):
    """The code cells of a notebook file; none while JupyterLab is writing it."""
    try:
        return [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    except ValueError:
        return []


def scroll_to(page, locator):
    locator.evaluate("e => e.scrollIntoView({block: 'start'})")
    page.wait_for_timeout(700)


@pytest.fixture(scope="module")
def finished(page, lab):
    """The page after all cells have run; JupyterLab draws only the cells in sight, so the end is awaited
    where it is saved: in the notebook file."""
    path = lab[2] / NOTEBOOK
    total = len(code_cells(path))
    run_all(page)
    deadline = time.monotonic() + RUN_LIMIT_S
    while True:
        page.keyboard.press("Control+s")
        page.wait_for_timeout(1500)
        cells = code_cells(path)
        if sum(c["execution_count"] is not None for c in cells) == total:
            return page, cells
        if time.monotonic() > deadline:
            page.screenshot(path=SCREENSHOTS / "stuck.png")
            pytest.fail(f"not all cells ran within {RUN_LIMIT_S} s; shown: {counts(page)}")


def test_the_kernel_has_its_name(page):
    assert "Warpbook" in page.inner_text(".jp-NotebookPanel .jp-KernelName")


def test_a_notebook_opens_as_saved(page):
    """Nothing of it is rewritten on opening, so that leaving it at once asks no question."""
    assert not page.warpbook_was_dirty


def test_cudas_words_have_a_colour(page):
    """In the live editor, by the extension that `warpbook install` brings; not in comments."""
    plain = page.locator(".jp-CodeCell .cm-line").first.evaluate("e => getComputedStyle(e).color")
    for kind, word in (("specifier", "__global__"), ("type", "float"), ("builtin", "threadIdx")):
        marked = page.locator(f".jp-CodeCell .cm-cuda-{kind}", has_text=word).first
        marked.wait_for(state="attached")
        assert marked.evaluate("e => getComputedStyle(e.firstElementChild || e).color") != plain, word
    assert "warp" not in page.locator(".jp-CodeCell .cm-cuda-type").all_inner_texts()


def test_pictures_follow_the_theme(page):
    """Their ink goes by color-scheme, which the extension sets by JupyterLab's theme."""
    picture = page.locator(".jp-RenderedHTMLCommon img").first
    picture.wait_for(state="attached")
    scheme = "e => getComputedStyle(e).colorScheme"
    assert picture.evaluate(scheme) == "light"
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert picture.evaluate(scheme) == "dark"
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")


CHART = '.jp-OutputArea-output img[alt^="transpose, float"]'


def width_and_room(image):
    """How wide a picture is, and its cell; neither its title nor its notes are wider."""
    return image.evaluate(
        "i => [i.getBoundingClientRect().width, i.closest('.jp-RenderedMarkdown').clientWidth, i.closest('.jp-RenderedMarkdown').scrollWidth]"
    )


def test_charts_fit_a_notebook_at_200_percent(finished):
    """Half the window's pixels, as the browser's zoom leaves them: every chart is as wide as its cell, and none lacks words."""
    page, _ = finished
    page.set_viewport_size({"width": 640, "height": 430})
    page.locator(CHART).first.wait_for(state="attached")
    page.wait_for_timeout(1500)
    for chart in page.locator(CHART).all():
        wide, room, needed = width_and_room(chart)
        assert 200 < wide <= room and wide > 0.9 * room and needed <= room
        assert "GB/s" in chart.get_attribute("alt") or "×" in chart.get_attribute("alt")
    for _ in range(2):  # the cells above it are drawn when they come into sight, and move it
        scroll_to(page, page.locator(CHART).first)
    page.screenshot(path=SCREENSHOTS / "chart-narrow.png")
    page.set_viewport_size({"width": 1280, "height": 860})


def test_an_exported_chart_has_its_words(finished, lab):
    """nbconvert puts no alternative text to a picture of its own accord."""
    command = [BIN / "jupyter", "nbconvert", "--to", "html", "--stdout", lab[2] / NOTEBOOK]
    html = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT_S).stdout
    assert re.search(r'<img alt="transpose, float, [^"]*transpose.padded [\d.,]+ GB/s', html)
    assert "No description has been provided" not in html


def test_a_chart_is_as_wide_as_its_cell(finished):
    page, _ = finished
    chart = page.locator(CHART).first
    chart.wait_for(state="attached")
    page.wait_for_timeout(1500)
    wide, room, needed = width_and_room(chart)
    assert wide > 0.9 * room and needed <= room and chart.bounding_box()["height"] > 100
    title = chart.evaluate("i => i.parentElement.querySelector('b').getClientRects().length")
    assert title == 1  # on one line
    scroll_to(page, chart)
    page.screenshot(path=SCREENSHOTS / "chart.png")


def test_no_table_is_cut(finished):
    """A table that is wider than the page must scroll, or its last columns can't be read."""
    page, _ = finished
    tables = page.locator(".jp-OutputArea-output table").all()
    assert tables
    for table in tables:
        wide, room, scrolls = table.evaluate(
            "t => [t.scrollWidth, t.parentElement.clientWidth, getComputedStyle(t.parentElement).overflowX]"
        )
        assert wide <= room + 1 or scrolls == "auto", table.inner_text()[:200]


def test_the_grade_is_shown(finished):
    page, cells = finished
    grade = next(c for c in cells if "".join(c["source"]).startswith("%%grade transpose"))
    result = [o for o in grade["outputs"] if o["output_type"] == "execute_result"]
    assert len(result) == 1 and float("".join(result[0]["data"]["text/plain"])) >= 80
    table = page.locator(".jp-OutputArea-output:has-text('points')").last
    table.wait_for(state="attached")
    scroll_to(page, table)
    assert re.search(r"transpose on .*: [\d.]+ of \d+ points", table.inner_text())
    page.screenshot(path=SCREENSHOTS / "grade.png")
