"""nvcc is the judge: whatever happens to g++ on the cells' fast route (runtime/compile/direct), the cell has nvcc's result."""

import os
import sys
import time

import draw

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "conformance"))
from raw_client import REAL, Client, Kernel  # noqa: E402
from test_survival import run  # noqa: E402

# A program in g++'s place does this with a cell's text. It passes nvcc's calls and the preludes on to g++.
FATES = {
    "killed": "kill -9 $$",
    "crashes": "echo 'internal compiler error: Segmentation fault' >&2; exit 4",
    "silent": "exit 1",
    "warns": '/usr/bin/g++ "$@"; echo "warning: something" >&2',
    "nothing made": "exit 0",
    "no object": 'for last; do :; done; echo garbage >"$last"',
    "out of memory": "ulimit -v 20000; exec /usr/bin/g++ \"$@\"",
    "hangs": "kill -STOP $$",
}


def test_a_cell_has_its_result_whatever_happens_to_the_compiler(tmp_path):
    programs, fate, met = tmp_path / "bin", tmp_path / "fate", tmp_path / "met"
    programs.mkdir()
    (programs / "g++").write_text(f'#!/bin/sh\ncase "$*" in\n*/host.cpp*) echo met >>{met}; . {fate};;\n*) exec /usr/bin/g++ "$@";;\nesac\n')
    (programs / "g++").chmod(0o755)
    fate.write_text('exec /usr/bin/g++ "$@"')
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"], env={"WARPBOOK_DEVICE": "soft", "XDG_CACHE_HOME": str(tmp_path / "cache"),
                                                           "PATH": f"{programs}:{os.environ['PATH']}"})
    client = Client(kernel)
    try:
        client.ready()
        assert run(client, "int kept = 5;")[0]["status"] == "ok"
        until = time.time() + 900
        while not list(tmp_path.glob("cache/warpbook/prelude/*/d.h.gch")) or list(tmp_path.glob("cache/warpbook/prelude/new-*")):
            assert time.time() < until, "no prelude is ready"
            time.sleep(0.2)
        for i, name in enumerate(draw.few(FATES, 3)):
            met.unlink(missing_ok=True)
            fate.write_text(FATES[name])
            content, _, shown = run(client, f"int x{i} = {i}; x{i} + kept")
            assert (content["status"], shown) == ("ok", [str(i + 5)]), (name, content)
            assert met.exists(), f"{name}: the cell went another way"
        # A cell with headers that g++ lacks goes to nvcc, whose linker does not report the other's libraries.
        fate.write_text('exec /usr/bin/g++ "$@"')
        assert run(client, "int straight = 4;")[0]["status"] == "ok"
        content, outputs = client.execute("#include <cmath>\nstd::beta(1.0, 2.0) + straight", timeout=300)
        said = [(m["type"], m["content"]) for m in outputs if m["type"] != "status"]
        assert [(kind, c["data"]["text/plain"]) for kind, c in said if kind != "execute_input"] == [("execute_result", "4.5")], said
    finally:
        client.close()
        kernel.close()
