"""Mistakes that students make, each a file of mistakes/: what has to be said of it, which names the line, what is at fault and
the remedy; then the cell (or cells) with it. All in one notebook, in an order drawn anew; a plain run draws six. With "// note"
in its head a cell does not end with an error: what is said of it stands beside its output. legal/ holds what looks like a mistake
and is none: nothing may be said of that."""

import re
from pathlib import Path

import draw
import pytest
from raw_client import REAL, Client, Kernel, streams
from test_real import run

HERE = Path(__file__).resolve().parent / "mistakes"
ALL = sorted(HERE.glob("*.cu"))
LEGAL = sorted((HERE / "legal").glob("*.cu"))
CHOSEN = draw.few(ALL, 6)


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"],
                    env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    client.ready()
    yield client
    client.close()
    kernel.close()


def test_there_are_thirty():
    assert len(ALL) >= 30


@pytest.mark.parametrize("path", CHOSEN, ids=lambda p: p.stem)
def test_a_mistake_is_told(cells, path):
    head, text = path.read_text().split("// ----\n", 1)
    for code in text.split("// ---- next cell\n"):
        content, outputs = run(cells, code.rstrip("\n"))
    if "// note" in head:
        assert content["status"] == "ok", content
        told = streams(outputs, "stderr")
    else:
        assert content["status"] == "error", "it went unnoticed"
        told = content["evalue"] + "\n" + "\n".join(content["traceback"])
    for said in re.findall(r"// says: (.*)", head):
        assert said in told, f"{said}\n{told}"


@pytest.mark.parametrize("path", LEGAL, ids=lambda p: p.stem)
def test_what_is_legal_is_not_told(cells, path):
    for code in path.read_text().split("// ---- next cell\n"):
        content, outputs = run(cells, code.rstrip("\n"))
        assert content["status"] == "ok", content
        assert not streams(outputs, "stderr"), streams(outputs, "stderr")
