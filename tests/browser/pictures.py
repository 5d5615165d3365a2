#!/usr/bin/env python3
"""Screenshots of each kind of picture, to be looked at: pictures.py [FOLDER [NAME...]] (build/screenshots/pictures, all).

A notebook of PICTURES is run once in English and once in Chinese, then opened in JupyterLab in its light and its dark theme, at
100 and at 200 % (half of the window's pixels, as the browser's zoom leaves them). One file for each: NAME.LANGUAGE.THEME.ZOOM.png.
No test runs it.
"""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_lab import BUILD, SCREENSHOTS, find_chromium, free_port  # noqa: E402

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
        subprocess.run([Path(sys.executable).parent / "jupyter", "trust", folder / f"pictures.{language}.ipynb"], check=True)


def start_lab(folder, log):
    port, token = free_port(), secrets.token_hex(16)
    command = [Path(sys.executable).parent / "jupyter-lab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
               f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}", "--LabApp.extension_manager=readonly"]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    while server.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token={token}", timeout=5).read()
            break
        except OSError:
            time.sleep(0.3)
    return server, f"http://127.0.0.1:{port}", token


def choose_theme(settings, theme):
    for extension, name, value in (("apputils-extension", "themes", {"theme": f"JupyterLab {theme.title()}"}),
                                   ("notebook-extension", "tracker", {"windowingMode": "none"})):
        path = settings / "@jupyterlab" / extension / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))


def shoot(browser, address, token, language, theme, zoom, out):
    page = browser.new_page(viewport={"width": 1280 * 100 // zoom, "height": 1500}, device_scale_factor=zoom / 100)
    page.set_default_timeout(300_000)
    page.goto(f"{address}/lab/tree/pictures.{language}.ipynb?token={token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell .jp-OutputArea-output")
    page.keyboard.press("Control+b")  # the side bar's room is the notebook's
    page.wait_for_timeout(3000)
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    for i, name in enumerate(PICTURES, start=2):
        area = cells.nth(i).locator(".jp-Cell-outputWrapper").first
        area.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        area.screenshot(path=out / f"{name}.{language}.{theme}.{zoom}.png")
    page.close()


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else SCREENSHOTS / "pictures"
    out.mkdir(parents=True, exist_ok=True)
    for name in set(PICTURES) - set(sys.argv[2:] or PICTURES):
        del PICTURES[name]
    with tempfile.TemporaryDirectory(prefix="warpbook-pictures-") as name:
        home = Path(name)
        folder, prefix = home / "work", home / "prefix"
        folder.mkdir()
        subprocess.run([BUILD / "bin/warpbook", "install", "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        run_all(folder, {"JUPYTER_PATH": str(prefix / "share/jupyter"), "XDG_DATA_HOME": str(home / "data"), "WARPBOOK_DEVICE": "soft", **{
            f"JUPYTER_{key}_DIR": str(home / key.lower()) for key in ("CONFIG", "DATA", "RUNTIME")},
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces")})
        for theme in ("light", "dark"):
            choose_theme(home / "settings", theme)
            with open(home / "lab.log", "wb") as log, sync_playwright() as p:
                server, address, token = start_lab(folder, log)
                browser = p.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
                for language in ("en", "zh"):
                    for zoom in (100, 200):
                        shoot(browser, address, token, language, theme, zoom, out)
                browser.close()
                server.terminate()
                server.wait(30)
    print(out)


if __name__ == "__main__":
    main()
