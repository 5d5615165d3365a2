"""A JupyterLab of its own with this build's kernel, and the Chromium that opens it."""

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from ports import free_ports  # noqa: E402

BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
SCREENSHOTS = BUILD / "screenshots"
BIN = Path(sys.executable).parent
LIMIT_S = 600


def find_chromium():
    """Debian's, one on the PATH, or the one that `playwright install chromium` brought."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        # Ubuntu's chromium-browser is a script around a snap, which does not run headless in containers.
        if path and b"snap" not in Path(path).read_bytes()[:4000]:
            return path
    with sync_playwright() as p:
        return p.chromium.executable_path if Path(p.chromium.executable_path).exists() else None


@contextlib.contextmanager
def chromium():
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


def environment_of(home):
    """Settings, data and kernels below `home`, and nobody else's."""
    names = {f"JUPYTER_{key}_DIR": key.lower() for key in ("CONFIG", "DATA", "RUNTIME")}
    names |= {"JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "IPYTHONDIR": "ipython", "XDG_DATA_HOME": "user"}
    return dict(os.environ, JUPYTER_PATH=str(home / "prefix/share/jupyter"), **{key: str(home / name) for key, name in names.items()})


def answers(server, url, log):
    deadline = time.monotonic() + LIMIT_S
    while True:
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(url, timeout=5).read()
        if server.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("JupyterLab does not start:\n" + log.read_text()[-3000:])
        time.sleep(0.2)


@contextlib.contextmanager
def serve(folder, home, **more):
    """An address and a token of a server for the notebooks in `folder`; `more`: of its environment."""
    subprocess.run([BUILD / "bin/warpbook", "install", "--prefix", home / "prefix"], check=True, timeout=600, stdout=subprocess.DEVNULL)
    [port], token = free_ports(1), secrets.token_hex(16)
    command = [BIN / "jupyter-lab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
               f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}", "--LabApp.extension_manager=readonly"]
    address, log = f"http://127.0.0.1:{port}", home / "lab.log"
    with open(log, "wb") as out:
        server = subprocess.Popen(command, env=environment_of(home) | more, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            answers(server, f"{address}/api?token={token}", log)
            yield address, token
        finally:
            server.terminate()
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def choose_theme(home, theme):
    """For pages that are opened from now on. All cells of a notebook are kept in the page, whether in sight or not."""
    for extension, name, value in (("apputils-extension", "themes", {"theme": f"JupyterLab {theme.title()}"}),
                                   ("notebook-extension", "tracker", {"windowingMode": "none"})):
        path = home / "settings/@jupyterlab" / extension / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))


def page_of(browser, address, token, notebook, zoom, high=1500):
    """A notebook in half of the window's pixels at 200 %, as the browser's zoom leaves them, without the side bar."""
    page = browser.new_page(viewport={"width": 1280 * 100 // zoom, "height": high}, device_scale_factor=zoom / 100)
    page.set_default_timeout(LIMIT_S * 1000)
    page.goto(f"{address}/lab/tree/{notebook}?token={token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.keyboard.press("Control+b")
    # A cell that runs before the kernel has started is lost. A narrow toolbar does not show the kernel.
    page.wait_for_function("/Warpbook.*[|] Idle/.test(document.querySelector('#jp-main-statusbar')?.innerText)")
    page.wait_for_timeout(1000)
    return page
