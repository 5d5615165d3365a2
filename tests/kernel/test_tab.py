"""Tab and Shift-Tab by clangd: the tables in tab/, the processes that stand in for a bad one, and its end."""

import json
import statistics
import time
from pathlib import Path

import psutil
import pytest
from raw_client import PATIENCE, REAL, Client, Kernel

TABLES = Path(__file__).resolve().parent / "tab"


def table(name):
    return json.loads((TABLES / f"{name}.json").read_text())


def ask(client, kind, code):
    """Asks at the bar in the code. Returns the answer and how long it took."""
    at, began = code.index("|"), time.monotonic()
    content, _ = client.ask(kind, {"code": code.replace("|", "", 1), "cursor_pos": at, "detail_level": 0})
    assert content["status"] == "ok", content
    return content, time.monotonic() - began


def servers(kernel):
    return [p for p in psutil.Process(kernel.process.pid).children()
            if p.status() != psutil.STATUS_ZOMBIE and "clangd" in " ".join(p.cmdline())]


def until(condition, patience=PATIENCE):
    end = time.monotonic() + patience
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"], env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")),
                                                          "WARPBOOK_DEVICE": "soft",
                                                          "WARPBOOK_TEST_CLANGD_WAIT": "60"})
    client = Client(kernel)
    client.ready()
    for code in table("notebook"):
        content, _ = client.execute(code, timeout=600)
        assert content["status"] == "ok", content
    assert until(lambda: ask(client, "complete_request", "outer.inner.|")[0]["matches"]), "clangd never answered"
    yield client
    client.close()
    kernel.close()


def judge(client, kind, rows, is_right, patience=60):
    """While clangd reads a header anew it knows less: a wrong answer is asked for again. Returns the codes that stay wrong."""
    wrong, times = [], []
    for code, *wanted in rows:
        end = time.monotonic() + patience
        while not is_right((last := ask(client, kind, code))[0], *wanted):
            if time.monotonic() > end:
                wrong.append((code, last[0].get("matches", last[0].get("data"))))
                break
        times.append(last[1])
    print(f"{kind}: {len(rows) - len(wrong)} of {len(rows)} right, median {statistics.median(times) * 1e3:.0f} ms, "
          f"longest {max(times) * 1e3:.0f} ms", *wrong)
    return wrong


def test_completions(notebook):
    rows = table("completions")

    def is_right(content, has, has_not):
        found = set(content["matches"])
        return set(has) <= found and not found & set(has_not) and (has or not found)
    wrong = judge(notebook, "complete_request", rows, is_right)
    assert len(rows) >= 50 and len(wrong) <= 2, wrong


def test_inspections(notebook):
    rows = table("inspections")

    def is_right(content, says):
        return all(part in content["data"].get("text/plain", "") for part in says)
    wrong = judge(notebook, "inspect_request", rows, is_right)
    assert len(rows) >= 26 and len(wrong) <= 1, wrong


def test_it_ends_with_the_kernel(notebook):
    server, = servers(notebook.kernel)
    assert server.memory_info().rss <= 350 << 20
    notebook.kernel.process.kill()
    assert until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)


# Programs in place of clangd.
BAD = {
    "hangs": "exec sleep 1000",
    "dies": "exit 1",
    "talks": "exec yes",
    "counts": "printf 'Content-Length: 99999999999999999999\\r\\n\\r\\n{}'; exec sleep 1000",
    "nonsense": "printf 'Content-Length: 2\\r\\n\\r\\n[['; exec sleep 1000",
    "grows": "exec python3 -c 'b = bytearray(400 << 20); import time; time.sleep(1000)' clangd",
}


def stand_in(folder, body, version=21):
    program = folder / "clangd"
    program.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "clangd version {version}.0.1"; exit; fi\n{body}\n')
    program.chmod(0o755)
    return {"WARPBOOK_CLANGD": str(program)}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_one_harms_nobody(bad, tmp_path):
    kernel = Kernel(env={**stand_in(tmp_path, BAD[bad]), "WARPBOOK_TEST_CLANGD_SECONDS": "2"})
    client = Client(kernel)
    client.ready()
    for _ in range(8):  # it is started at most three times
        content, _ = ask(client, "complete_request", "// " + "x" * 20000 + "\ncudaMall|")
        assert "cudaMalloc" in content["matches"]
    assert until(lambda: not psutil.Process(kernel.process.pid).children())
    assert client.execute("print still")[0]["status"] == "ok"
    client.close()
    kernel.close()


def test_an_old_one_is_not_used(tmp_path):
    kernel = Kernel(env=stand_in(tmp_path, f"touch {tmp_path}/started", version=14))
    client = Client(kernel)
    client.ready()
    for _ in range(3):
        assert "cudaMalloc" in ask(client, "complete_request", "cudaMall|")[0]["matches"]
    assert ask(client, "complete_request", "int *p;\np->|")[0]["matches"] == []
    client.close()
    kernel.close()
    assert not (tmp_path / "started").exists()


# Answers every request with one name, some seconds late.
TELLS = """import json, sys, time
while True:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        length = int(line.split(b":")[1])
    if not length:
        sys.exit()
    message = json.loads(sys.stdin.buffer.read(length))
    if "id" in message:
        time.sleep(float(sys.argv[1]) if message["id"] else 0)
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": [
            {"label": " cudaMallet", "insertText": "cudaMallet", "kind": 6}]})
        sys.stdout.write(f"Content-Length: {len(text)}\\r\\n\\r\\n{text}")
        sys.stdout.flush()
"""


def tells(folder, delay):
    (folder / "tells.py").write_text(TELLS.replace("\\\\", "\\"))
    return stand_in(folder, f"exec python3 {folder}/tells.py {delay} clangd")


def test_it_ends_when_idle_and_starts_again(tmp_path):
    kernel = Kernel(env={**tells(tmp_path, 0), "WARPBOOK_TEST_CLANGD_SECONDS": "3"})
    client = Client(kernel)
    client.ready()
    seen = set()
    for _ in range(2):
        assert until(lambda: "cudaMallet" in ask(client, "complete_request", "cudaMall|")[0]["matches"])
        seen.update(p.pid for p in servers(kernel))
        assert until(lambda: not psutil.Process(kernel.process.pid).children())
    assert len(seen) == 2
    client.close()
    kernel.close()


def test_late_answers_are_dropped(tmp_path):
    kernel = Kernel(env=tells(tmp_path, 1.5))
    client = Client(kernel)
    client.ready()
    for _ in range(6):
        found = ask(client, "complete_request", "cudaMall|")[0]["matches"]
        assert "cudaMalloc" in found and "cudaMallet" not in found
    client.close()
    kernel.close()
