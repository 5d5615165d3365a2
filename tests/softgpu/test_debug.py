"""The debugger of kernels, driven over its socket as a front end drives it."""
import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

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
        folder = Path(tempfile.mkdtemp(dir=folder))
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


def test_a_step_follows_the_path_of_the_focus(debuggee):
    for lane, body in ((2, "even"), (3, "odd")):
        d = debuggee("branches")
        d.begin(at("begin"), thread=[lane, 0, 0])
        assert d.dap.event("stopped")["reason"] == "breakpoint"
        lines = [d.dap.line()]
        for _ in range(8):
            assert d.dap.go("next")["reason"] == "step"
            lines.append(d.dap.line())
        assert lines == [at(m) for m in ["begin", "loop", "if", body, "loop", "if", body, "loop", "if"]]
        assert d.dap.value("r") == "2"
        warp = d.dap.below(d.dap.scope("Warp")["sum"])
        sums = {0: 1 + 3, 1: -1}
        assert [v["value"] for v in warp.values()] == [str(sums[i % 2]) for i in range(8)]
        d.dap.get("disconnect")
        d.end()
        d.dap.close()


def test_other_lanes_are_marked_in_a_branch(debuggee):
    d = debuggee("branches")
    d.begin(at("odd"), thread=[1, 0, 0])
    d.dap.event("stopped")
    lanes = list(d.dap.below(d.dap.scope("Warp")["r"]).values())
    assert [v["value"] for v in lanes] == ["-", "0"] * 4
    assert [v.get("presentationHint") for v in lanes[:2]] == [{"attributes": ["inactive"]}, None]
    assert d.dap.scope("Block and grid")["active lanes"]["value"] == "0x000000aa, 4"


def test_steps_in_and_out_of_a_device_function(debuggee):
    d = debuggee("branches")
    d.begin(at("even"))
    d.dap.event("stopped")
    d.dap.go("stepIn")
    while d.dap.line() != at("twice"):
        d.dap.go("stepIn")
    frames = d.dap.frames()
    assert [(f["name"], f["line"]) for f in frames[:2]] == [("twice", at("twice")), ("branches", at("even"))]
    assert (d.dap.value("v"), d.dap.value("r", frame=2)) == ("0", "0")
    assert not d.dap.ask("evaluate", expression="sum", frameId=1)["success"]
    d.dap.go("stepOut")
    assert (d.dap.frames()[0]["name"], d.dap.line()) == ("branches", at("even"))
    d.dap.go("next")
    assert d.dap.line() == at("loop")


def test_other_warps_run_as_far_as_a_barrier_needs(debuggee):
    d = debuggee("barriers")
    d.begin(at("fill"), thread=[1, 0, 0])
    d.dap.event("stopped")
    d.dap.go("next")
    assert (d.dap.line(), d.dap.value("part[1]"), d.dap.value("part[40]")) == (at("barrier"), "1", "0")
    d.dap.go("next")
    assert (d.dap.line(), d.dap.value("part[40]")) == (at("behind"), "1600")
    d.dap.get("warpbookFocus", thread=[40, 0, 0])
    assert d.dap.value("t") == "40"
    assert d.dap.go() is None
    assert d.end().split()[1:4] == [str((63 - t) ** 2) for t in range(3)]


def test_a_barrier_shows_who_waits(debuggee):
    d = debuggee("barriers")
    d.begin(at("fill"), thread=[40, 0, 0])
    d.dap.event("stopped")
    assert d.dap.scope("Block and grid")["waiting at barriers"]["value"] == f"warp 0 in line {at('barrier')}"


def test_conditions_and_hit_counts(debuggee):
    d = debuggee("many")
    d.begin({"line": at("many"), "condition": "k >= 10 && out[threadIdx.x] == 45", "hitCondition": "1"},
            thread=[3, 0, 0])
    assert d.dap.event("stopped") and d.dap.value("k") == "10"
    d.dap.get("setBreakpoints", source={"path": "/cells/1.cu"}, breakpoints=[{"line": at("many"), "hitCondition": "% 20"}])
    assert d.dap.go() and d.dap.value("k") == "30"
    d.dap.get("setBreakpoints", source={"path": "/cells/1.cu"}, breakpoints=[{"line": at("many"), "hitCondition": ">=3"}])
    assert d.dap.go() and d.dap.value("k") == "33"
    assert d.dap.go() and d.dap.value("k") == "34"
    d.dap.get("setBreakpoints", source={"path": "/cells/1.cu"}, breakpoints=[])
    assert d.dap.go() is None
    assert d.end().split()[1] == str(99 * 100 // 2)


def test_any_thread_stops_and_becomes_the_focus(debuggee):
    d = debuggee("branches")
    d.begin({"line": at("end"), "condition": "blockIdx.x == 2 && i == 5"}, any=True)
    assert d.dap.event("stopped")
    assert d.dap.get("threads")["threads"][0]["name"] == "block (2, 0, 0), thread (5, 0, 0)"
    assert d.dap.value("sum") == "-6"


def test_a_seed_orders_the_blocks(debuggee):
    orders = []
    for seed in (0, 5, 5):
        d = debuggee("branches")
        d.begin(at("end"), any=True, seed=seed)
        orders.append([])
        while d.dap.event("stopped"):
            orders[-1].append(d.dap.value("blockIdx.x"))
            d.dap.get("continue")
        d.end()
        d.dap.close()
    assert orders[0] == ["0", "1", "2"] and orders[1] == orders[2] != orders[0] and sorted(orders[1]) == orders[0]


def test_a_breakpoint_without_code_moves(debuggee):
    d = debuggee("barriers")
    d.begin(at("empty"))
    moved = d.dap.event("breakpoint")
    assert (moved["reason"], moved["breakpoint"]["line"]) == ("changed", at("fill"))
    assert d.dap.event("stopped") and d.dap.line() == at("fill")


@pytest.mark.parametrize("kernel,kind,thread", [("stray", "stray", 2), ("claims", "claim", 5), ("races", "race", None),
                                                ("unset", "unset", 7), ("stuck", "stuck", 0)])
def test_a_fault_stops_at_its_line(debuggee, kernel, kind, thread):
    d = debuggee(kernel)
    d.begin()
    stop = d.dap.event("stopped")
    assert stop["reason"] == "exception" and f" at line {at(kind)} in " in stop["text"]
    assert d.dap.line() == at(kind) or d.dap.frames()[1]["line"] == at(kind)
    if thread is not None:
        assert d.dap.scope("Block and grid")["threadIdx"]["value"] == f"({thread}, 0, 0)"
    if kernel == "stray":
        assert (d.dap.value("i"), d.dap.value("before")) == ("2000", "2007")
    assert d.dap.go() is None
    d.end(1)


def test_the_module_s_variables(debuggee):
    """Globals: numbers, a structure, arrays, a pointer, in device, constant and managed memory, as they are when the scope opens."""
    d = debuggee("globals")
    d.begin(at("best"), at("globals"))
    d.dap.event("stopped")
    scopes = d.dap.get("scopes", frameId=1)["scopes"]
    assert {s["name"] for s in scopes if s["expensive"]} == {"Globals"}
    shown = {name: v["value"] for name, v in d.dap.scope("Globals").items()}
    rows = shown.pop("rows")
    assert shown == {"factor": "0.5", "best": ".x = 1.5, .n = 7", "table": "0, 11, 22, 33, 44, 55, 66, 77, ...", "weights": "0.25, 0.5, 1, 2, 4",
                     "total": "-3", "hidden": "200"}
    assert re.fullmatch(r"0x[0-9a-f]+, 1024 elements from here", rows)
    assert d.dap.go()["reason"] == "breakpoint"
    shown = d.dap.scope("Globals")
    assert (shown["total"]["value"], shown["hidden"]["value"], d.dap.below(shown["best"])["n"]["value"]) == (str(-3 + 200 - 12), "1", "8")
    assert d.dap.below(d.dap.below(shown["table"])["[2]"])["[3]"]["value"] == d.dap.value("table[2][3]") == "121"
    assert d.dap.below(shown["rows"])["[1]"]["value"] == "4.625"
    assert d.dap.value("rows[2]") == "3" and d.dap.value("weights[3] * best.x") == "3" and shown["weights"]["type"] == "double[5]"
    assert d.dap.go() is None
    d.end()


def test_inlined_recursive_and_lambda_frames(debuggee):
    d = debuggee("oddities")
    d.begin(at("halves"), at("sums"), at("lambda"), thread=[3, 0, 0])
    seen = []
    while d.dap.event("stopped"):
        seen.append([(f["name"], f["line"]) for f in d.dap.frames()[:-1]])
        if seen[-1][0][0] == "sums":
            d.dap.get("setBreakpoints", source={"path": "/cells/1.cu"},
                      breakpoints=[{"line": at("sums"), "condition": "n == 0"}, {"line": at("lambda")}, {"line": at("sum")}])
        if seen[-1][0][0] == "lambda":
            assert d.dap.value("z") == "3"
        if seen[-1][0][1] == at("sum"):
            break
        d.dap.get("continue")
    kernel = "oddities<float>"
    assert seen[0] == [(kernel, at("lambda"))] and seen[1] == [("halves", at("halves")), (kernel, at("call") - 1)]
    assert seen[2] == [("sums", at("sums")), (kernel, at("call"))]
    assert seen[3] == [("sums", at("sums"))] * 4 + [(kernel, at("call"))]  # sums of 4, 3, 2 and 0
    assert ("lambda", at("lambda")) in [frames[0] for frames in seen]
    assert d.dap.value("dynamic[5] + second[0] + a + b") == "25"
    assert d.dap.scope("Globals")["factor"]["value"] == "0.5"
    assert d.dap.scope("Shared memory")["dynamic"]["value"].startswith("0, 1.5, 3, ")


def test_pause_stops_an_endless_loop(debuggee):
    d = debuggee("waits")
    d.begin()
    time.sleep(0.5)
    d.dap.get("pause", threadId=1)
    assert d.dap.event("stopped")["reason"] == "pause"
    first = int(d.dap.value("turns"))
    d.dap.get("continue")
    time.sleep(0.1)
    d.dap.get("pause", threadId=1)
    assert d.dap.event("stopped") and int(d.dap.value("turns")) > first


@pytest.mark.parametrize("way", ["disconnect", "close"])
def test_a_stopped_launch_goes_on_without_its_client(debuggee, way):
    d = debuggee("many")
    d.begin(at("many"))
    d.dap.event("stopped")
    if way == "disconnect":
        d.dap.get("disconnect")
    d.dap.peer.close()
    assert d.end().split()[1] == str(99 * 100 // 2)


def test_odd_requests_are_refused(debuggee):
    d = debuggee("many")
    d.begin(at("many"))
    d.dap.event("stopped")
    for command, arguments in [("noSuchThing", {}), ("scopes", {"frameId": 99}), ("scopes", {}), ("variables", {"variablesReference": 12345}),
                               ("variables", {"variablesReference": -1}), ("evaluate", {}), ("evaluate", {"expression": "k +"}),
                               ("evaluate", {"expression": "nothing"}), ("evaluate", {"expression": "1 / 0"}),
                               ("evaluate", {"expression": "(" * 1000}), ("evaluate", {"expression": "out[99999999]"}),
                               ("evaluate", {"expression": "k", "frameId": 7}), ("setBreakpoints", {}), ("warpbookFocus", {"thread": [99, 0, 0]})]:
        response = d.dap.ask(command, **arguments)
        assert not response["success"] and response["message"], (command, arguments)
    assert d.dap.value("k") == "0"
    d.dap.peer.sendall(b"Content-Length: 7\r\n\r\nnot json")
    assert d.end().split()[1] == str(99 * 100 // 2)


def test_a_launch_after_another_is_debugged_too(debuggee):
    d = debuggee("many", "3")
    d.begin({"line": at("many"), "condition": "k == 99"})
    for _ in range(3):
        assert d.dap.event("stopped") and d.dap.value("k") == "99"
        assert not d.dap.get("continue") is None
    assert d.dap.event("stopped") is None
    assert d.end().split()[1] == str(3 * 99 * 100 // 2)
