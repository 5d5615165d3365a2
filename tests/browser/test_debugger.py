"""The debugger in JupyterLab, by clicks: on, a breakpoint, a kernel that stops, its variables, steps, a page that comes back, off."""

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is missing: make setup")

import debugger  # noqa: E402
from jupyterlab import SCREENSHOTS, choose_theme, chromium, find_chromium, page_of, serve  # noqa: E402


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    if not find_chromium():
        pytest.skip("no Chromium here: .venv/bin/playwright install --with-deps chromium brings one")
    home = tmp_path_factory.mktemp("debugger")
    (home / "work").mkdir()
    debugger.write_notebook(home / "work/debug.ipynb", "warpbook")
    choose_theme(home, "light")
    with serve(home / "work", home, WARPBOOK_DEVICE="soft") as (address, token), chromium() as browser:
        page = page_of(browser, address, token, "debug.ipynb", 100, 900)
        page.warpbook_errors = []
        page.on("pageerror", lambda error: page.warpbook_errors.append(str(error)))
        page.on("dialog", lambda dialog: dialog.accept())  # the notebook is not saved
        yield page


def test_a_kernel_is_stepped_through(page):
    debugger.begin(page)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / "debugger.png")
    assert debugger.variables(page, "Thread")["i"] == "37" and debugger.variables(page, "Thread")["mine"] == "58"
    assert debugger.variables(page, "Block and grid")["blockIdx"] == "(1, 0, 0)"
    assert "tile" in debugger.variables(page, "Shared memory")
    page.locator("select[aria-label=Scope]").select_option("Warp")
    page.locator(".jp-DebuggerVariables").get_by_text("mine").first.click()
    page.locator(".jp-DebuggerVariables").get_by_text("[31]").first.wait_for()
    debugger.press(page, "next")
    debugger.stopped_at(page, debugger.STOP + 1)
    assert page.locator(".jp-DebuggerCallstackFrame").first.inner_text().startswith("turn")


def test_the_kernel_goes_on(page):
    page.reload()
    page.locator(".jp-DebuggerCallstackFrame", has_text="turn").wait_for()
    page.locator(".jp-DebuggerVariables").get_by_text("mine").first.wait_for()
    debugger.go_on(page)
    page.wait_for_function("/Warpbook.*[|] Idle/.test(document.querySelector('#jp-main-statusbar')?.innerText)")


def test_it_is_switched_off(page):
    page.click(".jp-DebuggerBugButton[aria-pressed=true]")
    page.wait_for_selector(".jp-DebuggerBugButton[aria-pressed=false]")
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(1)
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    cell.locator(".jp-OutputArea-executeResult", has_text="58").wait_for()
    assert "debugger is off" in cell.inner_text() and page.warpbook_errors == []
