"""Mistakes that students make, each a file of mistakes/: what has to be said of it, which names the line, what is at fault and
the remedy; then the cell (or cells) with it. All in one notebook, in an order drawn anew; a plain run draws six."""

import os
import random
import re
import sys
from pathlib import Path

import pytest
from raw_client import REAL, Client, Kernel
from test_real import run

HERE = Path(__file__).resolve().parent / "mistakes"
ALL = sorted(HERE.glob("*.cu"))
NONE_DRAWN = os.environ.get("WARPBOOK_TEST_ALL") or os.environ.get("K") or any(w == "-k" or "::" in w for w in sys.argv)
DRAWN = random.sample(ALL, len(ALL) if NONE_DRAWN else 6)


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


@pytest.mark.parametrize("path", DRAWN, ids=lambda p: p.stem)
def test_a_mistake_is_told(cells, path):
    head, text = path.read_text().split("// ----\n", 1)
    for code in text.split("// ---- next cell\n"):
        content, _ = run(cells, code.rstrip("\n"))
    assert content["status"] == "error", "it went unnoticed"
    told = content["evalue"] + "\n" + "\n".join(content["traceback"])
    for said in re.findall(r"// says: (.*)", head):
        assert said in told, f"{said}\n{told}"
