"""Jupyter's own clients, started by their commands, with the kernelspec that `warpbook install` writes."""

import json
import os
import subprocess
import sys

import pytest
from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpecManager
from raw_client import BUILD, MOCK, PATIENCE


@pytest.fixture(scope="module")
def share(tmp_path_factory):
    """A folder of $JUPYTER_PATH with our kernelspec; it starts the mock."""
    prefix = tmp_path_factory.mktemp("prefix")
    subprocess.run([MOCK, "install", "--prefix", prefix], check=True, env={**os.environ, "WARPBOOK_PREFIX": str(BUILD)})
    spec = prefix / "share/jupyter/kernels/warpbook/kernel.json"
    text = json.loads(spec.read_text())
    text["argv"][0] = str(MOCK)
    text["env"] = {"WARPBOOK_HISTORY": ":memory:"}
    spec.write_text(json.dumps(text))
    return prefix / "share" / "jupyter"


def run(share, *words, code=""):
    return subprocess.run([sys.executable, "-m", "jupyter_client.runapp", "--kernel=warpbook", *words], input=code,
                          capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, "JUPYTER_PATH": str(share)})


def test_jupyter_run_a_file(share, tmp_path):
    """It hands the kernel its own arguments too."""
    files = [tmp_path / "one.cu", tmp_path / "two words.cu"]
    files[0].write_text("print from a file\nvalue 42")
    files[1].write_text("eprint another")
    done = run(share, *map(str, files))
    assert done.returncode == 0, done.stderr
    assert "from a file" in done.stdout and "42" in done.stdout and "another" in done.stderr


def test_jupyter_run_what_fails(share, tmp_path):
    (tmp_path / "wrong.cu").write_text("error it is wrong")
    done = run(share, str(tmp_path / "wrong.cu"))
    assert done.returncode == 1 and "it is wrong" in done.stderr
    assert "from stdin" in run(share, code="print from stdin").stdout


def test_encryption_asked_for_by_a_client(share):
    """jupyter_client makes the keys for a kernel whose spec says that it takes them, and only then starts it."""
    specs = KernelSpecManager(kernel_dirs=[str(share / "kernels")])
    if "transport_encryption" not in KernelManager.class_trait_names():
        pytest.skip("this jupyter_client knows of no encryption")
    manager = KernelManager(kernel_name="warpbook", kernel_spec_manager=specs, transport_encryption="required")
    manager.start_kernel()
    client = manager.client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=PATIENCE)
        assert manager.get_connection_info()["curve_publickey"]
        shown = []
        reply = client.execute_interactive("print in secret\nask a?", timeout=PATIENCE, allow_stdin=True,
                                           stdin_hook=lambda m: client.input("told"),
                                           output_hook=lambda m: shown.append(m["content"].get("text", "")))
        assert reply["content"]["status"] == "ok" and "".join(shown) == "in secret\ngot told\n"
        assert client.is_alive() and client.hb_channel.is_beating()
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
