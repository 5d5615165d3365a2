"""The kernel's half of JupyterLab's debugger, with an engine of the tests' own (fake_engine.py)."""

import os
import random

import pytest
from debug_lab import Lab
from fake_engine import Connection
from raw_client import streams

KERNEL = """__global__ void k(int *x) {
    int i = threadIdx.x;
    x[i] = i;
}
k<<<1, 32>>>(p);
struct both { int host() { return 1; }
    __device__ int device() { return 2; } };
int after = 3;"""


@pytest.fixture
def lab(client):
    return Lab(client)


@pytest.fixture
def on(lab):
    lab.begin()
    return lab


def murmur2(data, seed):
    """From its author's description, with unbounded integers."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = seed ^ len(data)
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i:i + 4], "little") * m & mask
        h = h * m & mask ^ (k ^ k >> 24) * m & mask
    if data[whole:]:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def test_it_is_off_until_it_is_asked_for(lab):
    assert not lab.ask("debugInfo")["body"]["isStarted"]
    for command in ("attach", "dumpCell", "setBreakpoints", "stackTrace", "continue", "nonsense", ""):
        assert "initialize" in lab.ask(command)["message"]
    assert lab.ask("disconnect")["success"] and lab.socket() == ""
    lab.begin()
    assert lab.ask("debugInfo")["body"]["isStarted"] and os.stat(lab.socket())
    assert lab.ask("initialize")["success"] and lab.ask("disconnect", restart=False)["success"]
    assert not lab.ask("debugInfo")["body"]["isStarted"] and lab.socket() == ""


def test_a_cell_has_the_path_that_jupyterlab_expects(on):
    """JupyterLab computes it, too; the bytes of every length modulo four, and those above 127, differ most."""
    info = on.ask("debugInfo")["body"]
    assert info["hashMethod"] == "Murmur2" and "ipykernel_" in info["tmpFilePrefix"]
    texts = ["", "a", "ab", "abc", "abcd", "grüß dich 🚀", "\x00nul", KERNEL, "\u7ebf\u7a0b" * 7]
    texts += ["".join(chr(random.choice([random.randrange(32, 127), random.randrange(0x4E00, 0x9000)])) for _ in range(random.randrange(200))) for _ in range(40)]
    for text in texts:
        path = on.dump(text)
        assert path == f"{info['tmpFilePrefix']}{murmur2(text.encode(), info['hashSeed'])}{info['tmpFileSuffix']}", text
        assert on.ask("source", source={"path": path})["body"]["content"] == text
    assert streams(on.client.execute("path")[1]).strip() == on.dump("path"), "a cell that runs has the same"
    assert on.ask("modules")["body"]["modules"] == []


def test_the_hash_is_ipykernels():
    compiler = pytest.importorskip("ipykernel.compiler")
    for n in range(200):
        text = "".join(random.choice("abc µ線🚀\n") for _ in range(n))
        assert murmur2(text.encode(), 0xC70F6907) == compiler.murmur2_x86(text, 0xC70F6907)


def test_breakpoints_in_host_code_are_not_verified(on):
    path = on.dump(KERNEL)
    marks = on.set(path, *range(1, 9))
    assert [m["verified"] for m in marks] == [True] * 4 + [False, True, True, False]
    assert [m["line"] for m in marks] == list(range(1, 9)) and all(m["source"]["path"] == path for m in marks)
    assert all("host" in m["message"] for m in marks if not m["verified"])
    [kept] = on.ask("debugInfo")["body"]["breakpoints"]
    assert kept["source"] == path and [b["line"] for b in kept["breakpoints"]] == list(range(1, 9))
    on.set(path)
    assert on.ask("debugInfo")["body"]["breakpoints"] == []


def test_a_gpus_kernels_need_another_debugger(on):
    on.client.execute("gpu")
    marks = on.set(on.dump(KERNEL), 2, 5)
    assert [m["verified"] for m in marks] == [False, False] and all("cuda-gdb" in m["message"] and "%device soft" in m["message"] for m in marks)
    assert "launches" in on.ask("stackTrace", threadId=1)["message"]


def test_lines_below_a_magic_are_those_of_the_cell(on):
    path = on.dump("%%debug --block 1\n\n" + KERNEL)
    assert [m["verified"] for m in on.set(path, 1, 3, 5, 7)] == [False, True, True, False]
    path = on.dump("%device soft\n" + KERNEL)
    assert [m["verified"] for m in on.set(path, 1, 2, 5, 6)] == [False, True, True, False]


def test_an_engine_is_configured_whenever_one_connects(on):
    path = on.dump(KERNEL)
    on.set(path, 2, 5, 3)
    for _ in range(3):  # a worker after another
        engine = Connection(on.socket())
        assert engine.until("initialize")["linesStartAt1"]
        engine.until("attach")
        assert engine.until("setBreakpoints") == {"source": {"path": path}, "breakpoints": [{"line": 2}, {"line": 3}]}
        engine.until("configurationDone")
    on.until_ready()
    marks = on.set(path, 1, 5, 2)
    assert engine.until("setBreakpoints")["breakpoints"] == [{"line": 1}, {"line": 2}]
    assert [(m["verified"], m["line"], m["source"]["path"]) for m in marks] == [(True, 1, path), (False, 5, path), (True, 2, path)]


def test_a_new_engine_takes_the_place_of_the_old(on):
    first = on.engine()
    second = on.engine()
    assert first.ended()
    assert on.ask("variables", variablesReference=3)["body"]["variables"][0]["value"] == "5"
    assert second.until("variables") == {"variablesReference": 3}


def test_a_stop_is_shown_and_left(on):
    engine = on.engine()
    msg_id = on.client.begin("print on; sleep 600")
    engine.event("stopped", reason="breakpoint", threadId=1, allThreadsStopped=True)
    assert on.event("stopped") == {"reason": "breakpoint", "threadId": 1, "allThreadsStopped": True}
    assert on.ask("debugInfo")["body"]["stoppedThreads"] == [1]
    frames = on.ask("stackTrace", threadId=1)["body"]["stackFrames"]
    assert frames[0] == Connection.FRAMES[0] and frames[1]["source"] == {"name": "launch"}
    assert on.ask("scopes", frameId=99)["message"] == "there is no such frame"
    rich = on.ask("richInspectVariables", variableName="i", frameId=1)["body"]
    assert rich["data"] == {"text/plain": "42"} and rich["metadata"] == {}
    while engine.until("evaluate").get("context") != "hover":  # begin() asks, too
        pass
    for command in ("next", "stepIn", "stepOut", "continue"):
        engine.event("stopped", reason="step", threadId=1)
        on.event("stopped")
        assert on.ask(command, threadId=1)["success"]
        assert on.event("continued")["allThreadsContinued"]
        assert on.ask("debugInfo")["body"]["stoppedThreads"] == []
    engine.event("continued", threadId=1)  # some engines say it, too
    engine.event("output", output="x")
    assert on.event("output") == {"output": "x"}
    on.client.ask("interrupt_request", sock=on.client.control)
    assert on.client.reply_to(on.client.shell, msg_id)["content"]["ename"] == "Interrupted"


def test_a_faults_reason_is_in_the_cells_output(on):
    engine = on.engine()
    msg_id = on.client.begin("print on; sleep 600")
    engine.event("stopped", reason="exception", threadId=1, text="x is outside of p")
    assert on.event("stopped")["text"] == "x is outside of p"
    assert on.client.until("stream", msg_id)["content"] == {"name": "stdout", "text": "x is outside of p\n"}
    on.client.ask("interrupt_request", sock=on.client.control)


def test_an_engine_that_vanishes_ends_the_stop(on):
    engine = on.engine(silent=["stackTrace"])
    engine.event("stopped", reason="breakpoint", threadId=1)
    on.event("stopped")
    on.seq += 1
    msg_id = on.client.send(on.client.control, "debug_request", {"type": "request", "seq": on.seq, "command": "stackTrace"})
    engine.until("stackTrace")
    assert on.ask("debugInfo")["success"], "one slow answer holds up no other"
    engine.close()
    reply = on.client.reply_to(on.client.control, msg_id)["content"]
    assert reply["success"] is False and "ended" in reply["message"] and reply["request_seq"] == on.seq - 1
    assert on.event("continued")["threadId"] == 1
    assert "launches" in on.ask("next", threadId=1)["message"]
    assert on.ask("debugInfo")["body"]["isStarted"]


@pytest.mark.parametrize("bytes_", [b"garbage\r\n\r\n", b"Content-Length: 5\r\n\r\n{}}}}", b"Content-Length: 99999999999\r\n\r\n",
                                    b"Content-Length: 2\r\n\r\n[]"])
def test_an_engine_that_talks_rubbish_is_left(on, bytes_):
    engine = on.engine()
    engine.socket.sendall(bytes_)
    if bytes_.endswith(b"[]"):
        assert on.ask("evaluate", expression="1")["success"]
        return
    assert engine.ended()
    assert not on.ask("evaluate", expression="1")["success"]


def test_disconnecting_leaves_a_stopped_kernel(on):
    engine = on.engine()
    on.set(on.dump(KERNEL), 2)
    engine.event("stopped", reason="breakpoint", threadId=1)
    on.event("stopped")
    assert on.ask("disconnect", restart=False, terminateDebuggee=False)["success"]
    assert engine.until("disconnect") == {"terminateDebuggee": False} and engine.ended()
    on.event("continued")
    info = on.ask("debugInfo")["body"]
    assert (info["isStarted"], info["breakpoints"], info["stoppedThreads"]) == (False, [], [])
    on.begin()
    on.engine().close()


def test_many_sessions_leave_nothing_open(lab):
    """Half of them end while a kernel is stopped and a request waits."""
    pid, path = lab.client.kernel.process.pid, lab.ask("debugInfo")["body"]["tmpFilePrefix"]
    for n in range(60):
        lab.begin()
        engine = lab.engine(silent=["next"])
        lab.set(path + "1.cu", 1, n)
        if n % 2:
            engine.event("stopped", reason="pause", threadId=1)
            lab.event("stopped")
            lab.client.send(lab.client.control, "debug_request", {"type": "request", "seq": 0, "command": "next", "arguments": {}})
            engine.until("next")
        assert lab.ask("disconnect")["success"] and engine.ended()
        if n % 2:
            lab.event("continued")
        if n == 3:
            before = sorted(os.readlink(f"/proc/{pid}/fd/{fd}").split(":")[0] for fd in os.listdir(f"/proc/{pid}/fd"))
    assert sorted(os.readlink(f"/proc/{pid}/fd/{fd}").split(":")[0] for fd in os.listdir(f"/proc/{pid}/fd")) == before


def test_shutdown_while_stopped(on):
    engine = on.engine()
    on.client.begin("print on; sleep 600")
    engine.event("stopped", reason="breakpoint", threadId=1)
    on.event("stopped")
    on.client.ask("shutdown_request", {"restart": False}, sock=on.client.control)
    assert on.client.kernel.process.wait(60) == 0 and engine.ended()


@pytest.mark.parametrize("content", [{}, {"command": 7}, {"command": "setBreakpoints"}, {"command": "setBreakpoints", "arguments": []},
                                     {"command": "setBreakpoints", "arguments": {"source": {"path": "x"}, "breakpoints": {}}},
                                     {"command": "setBreakpoints", "arguments": {"source": 3, "breakpoints": [{}]}}, {"command": "dumpCell", "arguments": {"code": 3}},
                                     {"command": "source", "arguments": {"source": {"path": "/nonexistent"}}}, {"command": "source", "arguments": {}}])
def test_malformed_requests_are_refused(on, content):
    reply, _ = on.client.ask("debug_request", content, sock=on.client.control)
    assert reply["success"] is False and reply["message"]


@pytest.mark.parametrize("content", [{"command": "setBreakpoints", "seq": 3, "arguments": {"source": {"path": "x"}, "breakpoints": [3, {}, {"line": "x"}]}},
                                     {"command": "richInspectVariables", "seq": 3}, {"command": "richInspectVariables", "seq": 3, "arguments": {"variableName": 3}}])
def test_odd_requests_do_no_harm(on, content):
    reply, _ = on.client.ask("debug_request", content, sock=on.client.control)
    assert reply["success"] and reply["request_seq"] == 3


def test_variables_between_cells(on):
    on.client.execute("define total")
    [variable] = on.ask("inspectVariables")["body"]["variables"]
    assert (variable["name"], variable["type"], variable["variablesReference"]) == ("total", "int", 0)
    assert on.ask("richInspectVariables", variableName="total")["body"]["data"] == {}, "its value is in the other process"
    assert not on.ask("copyToGlobals", srcVariableName="i", dstVariableName="i", srcFrameId=1)["success"]


def test_debug_chooses_the_focus_for_its_cell(on):
    first = {"block": [2, 0, 0], "thread": [5, 1, 0], "any": True, "seed": 9}
    standard = {"block": [0, 0, 0], "thread": [0, 0, 0], "any": False, "seed": 0}
    engine = on.engine()
    reply, outputs = on.client.execute("%%debug --block 2 --thread 5,1 --any --seed 9\nprint ran")
    assert reply["status"] == "ok" and streams(outputs) == "ran\n"
    assert engine.until("warpbookFocus") == first and engine.until("warpbookFocus") == standard
    engine.close()
    msg_id = on.client.begin("%%debug --block 2 --thread 5,1 --any --seed 9\nprint on; sleep 600")
    late = Connection(engine.path)
    assert late.until("warpbookFocus") == first
    on.client.ask("interrupt_request", sock=on.client.control)
    on.client.reply_to(on.client.shell, msg_id)
    assert late.until("warpbookFocus") == standard


def test_debug_without_the_debugger(client):
    reply, outputs = client.execute("%%debug --thread 3\nprint ran")
    assert reply["status"] == "ok" and "debugger is off" in streams(outputs) and streams(outputs).endswith("ran\n")
    for line, word in (("--block x", "--block"), ("--nothing", "--nothing"), ("stray", "stray"), ("--seed -1", "--seed")):
        reply, _ = client.execute(f"%%debug {line}\nprint ran")
        assert reply["ename"] == "UsageError" and word in reply["evalue"]
    assert client.execute("%%debug\n")[0]["ename"] == "UsageError"


def test_the_socket_is_the_users_alone_and_goes_with_the_kernel(on):
    path = on.socket()
    assert os.stat(os.path.dirname(path)).st_mode & 0o077 == 0
    on.client.ask("shutdown_request", {"restart": False}, sock=on.client.control)
    assert on.client.kernel.process.wait(60) == 0
    assert not os.path.exists(os.path.dirname(path))
