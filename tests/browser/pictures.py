#!/usr/bin/env python3
"""Screenshots of each kind of picture, to be looked at: pictures.py [FOLDER [NAME...]] (build/screenshots/pictures, all).

A notebook of PICTURES is run once in English and once in Chinese, then opened in JupyterLab in its light and its dark theme, at
100 and at 200 % (half of the window's pixels, as the browser's zoom leaves them). One file for each: NAME.LANGUAGE.THEME.ZOOM.png.
No test runs it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

sys.path.insert(0, str(Path(__file__).resolve().parent))
import debugger  # noqa: E402
from jupyterlab import BIN, BUILD, SCREENSHOTS, chromium, choose_theme, environment_of, page_of, serve  # noqa: E402

SETUP = """%device soft
__global__ void turn(const float *in, float *out, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    if (threadIdx.x < 20) out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void far(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x * 5]; }
float *a, *b; const int N = 128;
cudaMalloc(&a, N * N * 4); cudaMalloc(&b, N * N * 4);
"""
TURN = "turn<<<dim3(N / 32, N / 32), dim3(32, 32)>>>(a, b, N);"
PICTURES = {
    "access-global": "%%draw access 8\nfar<<<1, 32>>>(a, b);",
    "access-shared": f"%%draw access 6\n{TURN}",
    "access-before": f"%%draw access 6 --before\n{TURN}",
    "map": f"%%draw map a 128 128 --by warp --of reads\n{TURN}",
    "map-time": f"%%draw map b 128 128 --by time --of writes\n{TURN}",
    "lanes": f"%%draw lanes\n{TURN}",
    "block": f"%%draw block\n{TURN}",
    "grid": f"%%draw grid\n{TURN}",
    "values": """%%draw values mine half
__global__ void sum(const float *in, float *out) {
    float mine = in[threadIdx.x];
    for (int half = 16; half > 0; half /= 2)
        if (threadIdx.x < half)
            mine += half;
    out[threadIdx.x] = mine;
}
sum<<<1, 32>>>(a, b);""",
    "values-wide": """%%draw values mine half --block-wide
sum<<<1, 128>>>(a, b);""",
    "trace": "%%trace 5-6 --vars mine,half\nsum<<<1, 32>>>(a, b);",
    "source": f"%%counters --source\n{TURN}",
    "chart": "%%compare transpose.read_coalesced transpose.shared transpose.padded --sizes 1024",
    "stage": "%%compare --stage transpose.shared transpose.padded --sizes 1024",
    "step": "%step convolution",
    "step-wrong": "%predict pixels_of_tile = 256",
    "step-right": "%predict pixels_of_tile = 484",
    "progress": "%progress convolution",
    "grade": "%%grade transpose\n" + (Path(__file__).resolve().parents[2] / "labs/transpose/starter.cu").read_text(),
}


def run_all(folder, environment):
    """The notebooks, run and trusted: NAME.en.ipynb and NAME.zh.ipynb."""
    os.environ.update(environment)
    for language, kernel in (("en", "warpbook"), ("zh", "warpbook-zh")):
        device, setup = SETUP.split("\n", 1)
        cells = [nbformat.v4.new_code_cell(text) for text in (device, setup, *PICTURES.values())]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": kernel, "display_name": kernel, "language": "c++"}})
        NotebookClient(notebook, timeout=900, startup_timeout=300, allow_errors=True).execute()
        for cell in notebook.cells:
            for output in cell.outputs:
                if output.output_type == "error":
                    print(f"{language}: {cell.source[:60]!r}: {output.evalue}", file=sys.stderr)
        nbformat.write(notebook, folder / f"pictures.{language}.ipynb")
        subprocess.run([BIN / "jupyter", "trust", folder / f"pictures.{language}.ipynb"], check=True)


def shoot(browser, address, token, language, theme, zoom, out):
    page = page_of(browser, address, token, f"pictures.{language}.ipynb", zoom)
    page.wait_for_selector(".jp-Notebook .jp-CodeCell .jp-OutputArea-output")
    page.wait_for_timeout(2000)
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    for i, name in enumerate(PICTURES, start=2):
        area = cells.nth(i).locator(".jp-Cell-outputWrapper").first
        area.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        area.screenshot(path=out / f"{name}.{language}.{theme}.{zoom}.png")
    page.close()


def shoot_debugger(folder, browser, address, token, language, theme, zoom, out):
    """A page whose kernel has stopped. Each has a kernel of its own, which ends with the server."""
    name = f"debugger.{language}.{theme}.{zoom}"
    debugger.write_notebook(folder / f"{name}.ipynb", "warpbook-zh" if language == "zh" else "warpbook")
    page = page_of(browser, address, token, f"{name}.ipynb", zoom, 900 * 100 // zoom)
    debugger.begin(page)
    page.wait_for_timeout(1000)
    page.screenshot(path=out / f"{name}.png")
    page.close()


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else SCREENSHOTS / "pictures"
    out.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2:] or [*PICTURES, "debugger"]
    for name in set(PICTURES) - set(wanted):
        del PICTURES[name]
    with tempfile.TemporaryDirectory(prefix="warpbook-pictures-") as name:
        home = Path(name)
        folder = home / "work"
        folder.mkdir()
        subprocess.run([BUILD / "bin/warpbook", "install", "--prefix", home / "prefix"], check=True, stdout=subprocess.DEVNULL)
        if PICTURES:
            run_all(folder, environment_of(home) | {"WARPBOOK_DEVICE": "soft"})
        with serve(folder, home) as (address, token), chromium() as browser:
            for theme in ("light", "dark"):
                choose_theme(home, theme)
                for language in ("en", "zh"):
                    for zoom in (100, 200):
                        if PICTURES:
                            shoot(browser, address, token, language, theme, zoom, out)
                        if "debugger" in wanted:
                            shoot_debugger(folder, browser, address, token, language, theme, zoom, out)
    print(out)


if __name__ == "__main__":
    main()
