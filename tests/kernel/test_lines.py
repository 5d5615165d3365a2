"""Runs single lines that beginners type (lines/lines.txt) in one notebook, after one set-up cell. A plain run draws some lines
from a printed seed, which SEED=N repeats. ALL=1 takes all. Before each line, the cell fresh() resets the set-up's variables."""

from pathlib import Path

import draw
import pytest
from raw_client import REAL, Client, Kernel, streams
from test_real import run

HERE = Path(__file__).resolve().parent / "lines"
PLAIN = 8  # lines of a plain run


def lines():
    for line in (HERE / "lines.txt").read_text().splitlines():
        if line and not line.startswith("# "):
            code, _, want = line.rpartition("=>")
            yield code.strip().replace("⏎", "\n"), want.strip().split(" ; and ")


LINES = list(lines())
CHOSEN = draw.few(LINES, PLAIN)


@pytest.fixture(scope="module")
def cells():
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"], env={"WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    client.ready()
    yield client
    client.close()
    kernel.close()


def shown(content, outputs):
    """Returns a cell's outputs by kind."""
    if content["status"] == "error":
        return {"error": "\n".join([content["ename"], content["evalue"], *content["traceback"]])}
    values = [m["content"]["data"]["text/plain"] for m in outputs if m["type"] == "execute_result"]
    kinds = {"value": "\n".join(values), "out": streams(outputs).strip()}
    return {kind: text for kind, text in kinds.items() if text} or {"ok": ""}


def is_shown(want, got):
    kind, _, text = want.partition(" ")
    text = text.strip().replace("\\n", "\n").replace("\\t", "\t")
    if kind != "error":
        return got.get(kind) == text
    name, _, word = text.partition(" ")
    return got.get(kind, "").startswith(name + "\n") and word in got[kind]


def begin(client):
    """Resets the set-up's variables. Runs the set-up first if there is none, or if a line cost it."""
    if run(client, "fresh();", cell="fresh")[0]["status"] != "ok":
        for name, code in (("setup", (HERE / "setup.cu").read_text()), ("fresh", "fresh();")):
            content, _ = run(client, code, cell=name)
            assert content["status"] == "ok", content


def test_there_are_three_hundred():
    assert len(LINES) >= 300


def test_lines_show_what_they_must(cells):
    bad = []
    for i, (code, wants) in enumerate(CHOSEN):
        begin(cells)
        got = shown(*run(cells, code, cell=f"line {i}"))
        if len(got) != len(wants) or not all(is_shown(want, got) for want in wants):
            bad.append(f"{code!r}: {got}, not {wants}")
    assert not bad, "\n".join(bad)
