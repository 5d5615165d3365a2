"""The debugger of kernels, driven over its socket as a front end drives it."""
import json
import os
import subprocess

import pytest

from dap import Dap
from test_cases import HERE, NVCC, SOFTGPU, compiled

SOURCE = HERE / "debug" / "main.cu"
TEXT = SOURCE.read_text().splitlines()


def at(mark):
    """The line with that mark."""
    return next(n for n, line in enumerate(TEXT, 1) if line.endswith(f"// @{mark}"))


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    path = tmp_path_factory.mktemp("debug") / "twin.ptx"
    subprocess.run([NVCC, "-G", "-ptx", "-arch=compute_90", "-o", str(path), SOURCE], check=True, timeout=600)
    return path


class Debuggee:
    def __init__(self, twin, folder, *args):
        self.dap = Dap(folder / "s")
        wish = {"path": str(folder / "s"), "texts": [str(twin)], "sources": {str(SOURCE): "/cells/1.cu"}}
        self.child = subprocess.Popen([compiled(SOURCE, "90", []), *args], stdout=subprocess.PIPE, text=True,
                                      env=dict(os.environ, LD_LIBRARY_PATH=str(SOFTGPU), DEBUG_WISH=json.dumps(wish)))

    def begin(self, *breakpoints, **focus):
        return self.dap.begin("/cells/1.cu", breakpoints, **focus)

    def end(self, code=0):
        output = self.child.communicate(timeout=60)[0]
        assert self.child.returncode == code, output
        return output


@pytest.fixture
def debuggee(twin, tmp_path):
    begun = []

    def begin(*args):
        begun.append(Debuggee(twin, tmp_path, *args))
        return begun[-1]
    yield begin
    for one in begun:
        one.child.kill()
        one.child.wait()
        one.dap.close()


def test_a_breakpoint_stops_and_shows_what_printf_prints(debuggee):
    d = debuggee("values")
    assert [b["line"] for b in d.begin(at("print"), block=[1, 0, 0], thread=[5, 0, 0])] == [at("print")]
    stop = d.dap.event("stopped")
    assert stop["reason"] == "breakpoint" and stop["threadId"] == 1
    assert d.dap.get("threads")["threads"] == [{"id": 1, "name": "block (1, 0, 0), thread (5, 0, 0)"}]
    frames = d.dap.frames()
    assert (frames[0]["name"], frames[0]["line"], frames[0]["source"]["path"]) == ("values", at("print"), "/cells/1.cu")
    assert frames[-1]["name"] == "launch <<<(2, 1, 1), (32, 1, 1)>>>" and frames[-1]["presentationHint"] == "label"
    thread, warp, shared = (d.dap.scope(name) for name in ("Thread", "Warp", "Shared memory"))
    lanes = {name: d.dap.below(warp[name]) for name in ("i", "x", "mine")}
    members = d.dap.below(warp["p"])
    lanes["p.n"] = d.dap.below(members["n"])
    acc = d.dap.below(thread["acc"])
    row = d.dap.below(d.dap.below(shared["tile"])["[0]"])
    assert d.dap.scope("Block and grid")["threadIdx"]["value"] == "(5, 0, 0)"
    seen = [thread[name]["value"] for name in ("x", "i", "mine")] + [acc["[2]"]["value"], d.dap.below(thread["p"])["x"]["value"]]
    assert d.dap.value("p.n * 2 + acc[2] > 0") == "1"
    assert d.dap.value("tile[threadIdx.x / 8][threadIdx.x % 8]") == d.dap.value("in[blockIdx.x * 32 + 5]") == thread["x"]["value"]
    assert d.dap.go() is None
    printed = {int(t): words for b, t, *words in (line.split() for line in d.end().splitlines()[:-1]) if b == "1"}
    assert len(printed) == 32
    x, p_x, p_n, acc_2, where = printed[5]
    assert seen == [x, str(32 + 5), f"in+{where}, {1024 - 37} elements from here", acc_2, p_x]
    for lane, (x, _, p_n, _, where) in printed.items():
        got = [lanes[name][f"[{lane}]"]["value"] for name in ("i", "x", "mine", "p.n")]
        assert got == [str(32 + lane), x, f"in+{where}", p_n], lane
    assert [row[f"[{c}]"]["value"] for c in range(8)] == [printed[c][0] for c in range(8)]
