"""A student's session with the debugger in JupyterLab, by clicks: the bug, a breakpoint, a cell that stops, its variables."""

import contextlib

import nbformat
from playwright.sync_api import TimeoutError

CELL = """%%debug --block 1 --thread 5
__global__ void turn(const float *in, float *out) {
    __shared__ float tile[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    float mine = tile[31 - threadIdx.x];
    out[i] = mine;
}
float *a, *b;
cudaMallocManaged(&a, 256); cudaMallocManaged(&b, 256);
for (int i = 0; i < 64; i++) a[i] = i;
turn<<<2, 32>>>(a, b);
cudaDeviceSynchronize();
b[37]"""
STOP = 8  # the line of the breakpoint


def write_notebook(path, kernel):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("%device soft"), nbformat.v4.new_code_cell(CELL)],
                                        metadata={"kernelspec": {"name": kernel, "display_name": kernel, "language": "c++"}})
    nbformat.write(notebook, path)


def begin(page):
    """The debugger on, a breakpoint in the second cell, and the cell stopped there."""
    page.click(".jp-DebuggerBugButton:not([disabled])")
    page.wait_for_selector(".jp-NotebookPanel[data-jp-debugger=true] .cm-breakpoint-gutter")
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(1)
    cell.locator(".cm-gutterElement", has_text=str(STOP)).first.wait_for()
    line = cell.locator(".cm-line").nth(STOP - 1).bounding_box()
    gutter = cell.locator(".cm-gutter.cm-breakpoint-gutter").bounding_box()
    page.mouse.click(gutter["x"] + gutter["width"] / 2, line["y"] + line["height"] / 2)
    cell.locator(".cm-breakpoint-icon").nth(1).wait_for()  # the first keeps the gutter as wide as it is
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    stopped_at(page, STOP)
    page.locator(".jp-DebuggerVariables").get_by_text("mine").first.wait_for()


def stopped_at(page, line):
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(1)
    text = CELL.split("\n")[line - 1].strip()
    cell.locator(".jp-DebuggerEditor-highlight", has_text=text).wait_for()


def variables(page, scope):
    """A scope as the tree shows it, once it is there: {name: value, or type of what can be opened}."""
    page.locator("select[aria-label=Scope]").select_option(scope)
    page.locator(".jp-DebuggerVariables-name").first.wait_for()
    return dict(page.eval_on_selector_all(".jp-DebuggerVariables jp-tree-item.jp-TreeItem", """lines => lines.map(line =>
        [".jp-DebuggerVariables-name", ".jp-DebuggerVariables-detail"].map(part => line.querySelector(part)?.textContent))"""))


def go_on(page):
    """Continue. A page that comes back restores its state twice, and sends no request for a click in between: so press again."""
    while page.locator(".jp-DebuggerPausedOverlay").count():
        with contextlib.suppress(TimeoutError):
            page.click('[data-command="debugger:continue"]', timeout=5000)
            page.locator(".jp-DebuggerPausedOverlay").wait_for(state="detached", timeout=5000)


def press(page, command):
    page.click(f'[data-command="debugger:{command}"]')
