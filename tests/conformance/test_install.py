"""`warpbook install`: the kernelspec, where Jupyter looks for it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from raw_client import BUILD, MOCK, PATIENCE

# The mock's command, with the build tree's files.
ENV = {**os.environ, "WARPBOOK_PREFIX": str(BUILD)}


def install(*words, **env):
    return subprocess.run([MOCK, "install", *words], capture_output=True, text=True, timeout=PATIENCE,
                          env={**ENV, **env})


def check(folder):
    spec = json.loads((folder / "kernels" / "warpbook" / "kernel.json").read_text())
    assert spec["argv"] == [str(BUILD / "bin" / "warpbook"), "kernel", "-f", "{connection_file}"]
    assert spec["metadata"]["supported_encryption"] == "curve"
    assert spec["interrupt_mode"] == "message" and spec["language"] == "c++"
    chinese = json.loads((folder / "kernels" / "warpbook-zh" / "kernel.json").read_text())
    assert spec["env"] == {} and chinese["env"] == {"WARPBOOK_LANGUAGE": "zh"}
    assert chinese == spec | {"display_name": chinese["display_name"], "env": chinese["env"]} and chinese["display_name"] != spec["display_name"]
    for kernel in ("warpbook", "warpbook-zh"):
        for logo in ("logo-32x32.png", "logo-64x64.png", "logo-svg.svg"):
            assert (folder / "kernels" / kernel / logo).stat().st_size > 100
    extension = folder / "labextensions" / "warpbook-cuda"
    build = json.loads((extension / "package.json").read_text())["jupyterlab"]["_build"]
    assert (extension / build["load"]).stat().st_size > 100


def test_the_version_is_that_of_the_file(tmp_path, shared):
    version = (Path(__file__).resolve().parents[2] / "VERSION").read_text().strip()
    assert subprocess.run([MOCK, "--version"], capture_output=True, text=True, timeout=PATIENCE).stdout == f"warpbook {version}\n"
    info = shared.ask("kernel_info_request")[0]
    assert info["implementation_version"] == version and f"Warpbook {version}:" in info["banner"]
    assert install("--prefix", str(tmp_path)).returncode == 0
    package = tmp_path / "share/jupyter/labextensions/warpbook-cuda/package.json"
    assert json.loads(package.read_text())["version"] == version


def test_prefix(tmp_path):
    done = install("--prefix", str(tmp_path))
    assert done.returncode == 0 and str(tmp_path) in done.stdout
    check(tmp_path / "share" / "jupyter")
    assert install("--prefix", str(tmp_path)).returncode == 0  # and again


def test_user(tmp_path):
    assert install("--user", JUPYTER_DATA_DIR=str(tmp_path)).returncode == 0
    check(tmp_path)


def test_sys_prefix(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True, timeout=PATIENCE)
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    done = install("--sys-prefix", "--json", PATH=path)
    assert json.loads(done.stdout)["kernelspec"].startswith(str(tmp_path))
    check(tmp_path / "share" / "jupyter")


@pytest.mark.parametrize("words", [["--users"], ["--prefix"], ["--user", "--sys-prefix"], ["here"]])
def test_misuse(words):
    done = install(*words)
    assert done.returncode == 2 and "usage: warpbook install" in done.stderr


def test_a_place_that_cannot_be_written():
    done = install("--prefix", "/proc")
    assert done.returncode == 3 and "/proc" in done.stderr


@pytest.mark.parametrize("words", [[], ["-f"], ["file"], ["file", "-f"]])
def test_kernel_misuse(words):
    done = subprocess.run([MOCK, "kernel", *words], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and "usage: warpbook kernel -f FILE" in done.stderr


def test_kernel_without_its_file():
    done = subprocess.run([MOCK, "kernel", "-f", "/no/such/file"], capture_output=True, text=True,
                          timeout=PATIENCE)
    assert done.returncode == 3 and "/no/such/file" in done.stderr
