"""Requests and replies, in the order and the words the protocol gives them."""

import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from raw_client import MOCK, PATIENCE, Client, Kernel, gone, streams, types


def states(outputs):
    return [m["content"]["execution_state"] for m in outputs if m["type"] == "status"]


# ---- kernel_info and its neighbours ---------------------------------------------------------------

def test_kernel_info(shared):
    for sock in (shared.shell, shared.control):
        content, outputs = shared.ask("kernel_info_request", sock=sock)
        assert content["protocol_version"] == "5.5"
        assert content["language_info"]["file_extension"] == ".cu"
        assert content["debugger"] is True and content["supported_features"] == ["kernel subshells", "debugger"]
        assert states(outputs) == ["busy", "idle"] and len(outputs) == 2


def test_heartbeat(shared):
    for beat in (b"ping", b"", b"x" * 10000):
        shared.hb.send(beat)
        assert shared.hb.poll(PATIENCE * 1000) and shared.hb.recv() == beat


def test_late_clients_get_a_welcome(shared, shared_kernel):
    for topic in (b"", b"kernel"):
        late = Client(shared_kernel, subscribe=topic)
        welcome = late.receive(late.iopub)
        assert welcome["type"] == "iopub_welcome"
        assert welcome["content"]["subscription"] == topic.decode()
        late.close()


def test_two_clients_see_each_other(shared, shared_kernel):
    other = Client(shared_kernel)
    other.ready()
    msg_id = shared.send(shared.shell, "execute_request", {"code": "print both"})
    assert "both" in streams(other.outputs_of(msg_id))
    assert other.receive(other.shell, 0.1) is None
    other.close()


def test_connect(shared, shared_kernel):
    content, _ = shared.ask("connect_request")
    assert content["hb_port"] == shared_kernel.info["hb_port"]


def test_usage(shared):
    shared.execute("print x")
    content, _ = shared.ask("usage_request", sock=shared.control)
    assert content["kernel_memory"] > 1e6 and content["host_virtual_memory"]["total"] > 1e8
    assert content["gpu"]["memory_total"] > 0 and "kernel_cpu" in content and content["pid"] > 0


def test_comms(shared):
    assert shared.ask("comm_info_request")[0] == {"status": "ok", "comms": {}}
    msg_id = shared.send(shared.shell, "comm_open", {"comm_id": "c1", "target_name": "t", "data": {}})
    outputs = shared.outputs_of(msg_id)
    assert types(outputs) == ["status", "comm_close", "status"]
    assert outputs[1]["content"]["comm_id"] == "c1"
    for kind in ("comm_msg", "comm_close"):
        msg_id = shared.send(shared.shell, kind, {"comm_id": "none", "data": {}})
        assert types(shared.outputs_of(msg_id)) == ["status", "status"]
    assert shared.receive(shared.shell, 0.1) is None


# ---- execute --------------------------------------------------------------------------------------

def test_streams_and_order(shared):
    content, outputs = shared.execute("print a\neprint b\nprint c\nvalue 42")
    assert content["status"] == "ok"
    assert types(outputs) == ["status", "execute_input", "stream", "stream", "stream",
                              "execute_result", "status"]
    assert [m["content"].get("name") for m in outputs[2:5]] == ["stdout", "stderr", "stdout"]
    assert outputs[5]["content"]["data"] == {"text/plain": "42"}
    assert outputs[5]["content"]["execution_count"] == content["execution_count"]


def test_neighbouring_prints_are_one_message(shared):
    _, outputs = shared.execute("\n".join(f"print {i}" for i in range(200)))
    assert types(outputs).count("stream") == 1
    assert streams(outputs) == "".join(f"{i}\n" for i in range(200))


def test_text_comes_while_the_cell_runs(shared):
    msg_id = shared.send(shared.shell, "execute_request", {"code": "print now\nsleep 600"})
    assert shared.until("stream", msg_id)["content"]["text"] == "now\n"
    shared.send(shared.control, "interrupt_request")
    assert shared.reply_to(shared.shell, msg_id)["content"]["ename"] == "Interrupted"


def test_display(shared):
    _, outputs = shared.execute("show one\nshow_id d1 two\nupdate d1 three\nclear")
    kinds = types(outputs)[2:-1]
    assert kinds == ["display_data", "display_data", "update_display_data", "clear_output"]
    assert outputs[3]["content"]["transient"] == {"display_id": "d1"}
    assert outputs[4]["content"]["data"]["text/plain"] == "three"


def test_error(shared):
    content, outputs = shared.execute("print a\nerror it broke\nprint never")
    assert content["status"] == "error" and content["ename"] == "MockError"
    error = outputs[-2]
    assert error["type"] == "error" and "never" not in streams(outputs)
    for field in ("ename", "evalue", "traceback"):
        assert error["content"][field] == content[field]
    assert not any("\n" in line for line in content["traceback"])


def test_silent(client):
    before = client.execute("print x")[0]["execution_count"]
    content, outputs = client.execute("print a\nvalue 1", silent=True)
    assert types(outputs) == ["status", "status"] and content["execution_count"] == before
    content, outputs = client.execute("error quiet", silent=True)
    assert types(outputs) == ["status", "status"] and content["status"] == "error"
    assert client.execute("print x")[0]["execution_count"] == before + 1


def test_without_history_the_count_stays(client):
    before = client.execute("print x")[0]["execution_count"]
    content, outputs = client.execute("value 1", store_history=False)
    assert content["execution_count"] == before and "execute_result" in types(outputs)


def test_user_expressions(shared):
    content, _ = shared.execute("print x", user_expressions={"a": "value 7", "b": "error no"})
    answers = content["user_expressions"]
    assert answers["a"] == {"status": "ok", "data": {"text/plain": "7"}, "metadata": {}}
    assert answers["b"]["status"] == "error" and answers["b"]["ename"] == "MockError"


def test_empty_cells_start_no_session(kernel):
    client = Client(kernel)
    client.iopub.poll(PATIENCE * 1000)
    for code in ("", "   \n", "// nothing\n/* at\n all */", "%lsmagic"):
        content, outputs = client.execute(code)
        assert content["status"] == "ok"
    assert "gpu" not in client.ask("usage_request", sock=client.control)[0]
    client.close()


def test_utf8(shared):
    content, outputs = shared.execute("utf8\nprint \u4f60\u597d \U0001f680")
    assert streams(outputs) == "gr\u00fc\u00df dich \U0001f680\n\u4f60\u597d \U0001f680\n"


# ---- queued cells ---------------------------------------------------------------------------------

def queue_behind_an_error(client, **fields):
    """The first cell fails when it has an answer, which it gets when the others have been sent."""
    first = {"code": "ask go?\nerror x", "allow_stdin": True, **fields}
    ids = [client.send(client.shell, "execute_request", first),
           client.send(client.shell, "execute_request", {"code": "print second"}),
           client.send(client.shell, "kernel_info_request"),
           client.send(client.shell, "execute_request", {"code": "print third"})]
    assert client.receive(client.stdin)["type"] == "input_request"
    client.reply_to(client.control, client.send(client.control, "kernel_info_request"))
    client.send(client.stdin, "input_reply", {"value": ""})
    return [client.reply_to(client.shell, i) for i in ids]


def test_an_error_aborts_queued_cells_only(client):
    _, second, info, third = queue_behind_an_error(client)
    for m in (second, third):
        assert m["content"]["status"] == "error" and m["content"]["ename"] == "ExecutionAborted"
        assert "execution_count" not in m["content"]
    assert info["content"]["status"] == "ok"
    content, outputs = client.execute("print alive")
    assert content["status"] == "ok" and content["execution_count"] == 2


def test_each_queued_request_has_its_own_busy_and_idle(client):
    """Behind a cell that failed, too: its idle comes before their busy, and one follows the other."""
    sent = [client.send(client.shell, kind, {"code": code, "cursor_pos": 1, "allow_stdin": True}) for kind, code in (
        ("execute_request", "ask go?\nerror x"), ("execute_request", "print second"), ("kernel_info_request", ""),
        ("execute_request", "print third"), ("complete_request", "%d"), ("execute_request", "print fourth"))]
    assert client.receive(client.stdin)["type"] == "input_request"
    client.send(client.stdin, "input_reply", {"value": ""})
    assert [client.receive(client.shell)["parent"]["msg_id"] for _ in sent] == sent
    seen = []
    while len(seen) < 2 * len(sent):
        m = client.receive(client.iopub)
        assert m, seen
        if m["type"] == "status":
            seen.append((m["parent"]["msg_id"], m["content"]["execution_state"]))
    assert seen == [(msg_id, state) for msg_id in sent for state in ("busy", "idle")]


def test_what_is_sent_after_the_failure_is_run(client):
    """Though its sender saw no more than the reply: only what was queued by then is aborted."""
    for _ in range(10):
        failing = client.send(client.shell, "execute_request", {"code": "error x"})
        client.reply_to(client.shell, failing)
        then = client.send(client.shell, "execute_request", {"code": "print on"})
        assert client.reply_to(client.shell, then)["content"]["status"] == "ok"
        client.outputs_of(then)


def test_stop_on_error_false(client):
    replies = queue_behind_an_error(client, stop_on_error=False)
    assert [m["content"]["status"] for m in replies] == ["error", "ok", "ok", "ok"]


# ---- interrupts -----------------------------------------------------------------------------------

def interrupt(client):
    msg_id = client.send(client.control, "interrupt_request")
    assert client.reply_to(client.control, msg_id)["content"] == {"status": "ok"}


@pytest.mark.parametrize("code", ["print on\nsleep 600", "flood 0", "!echo on; sleep 600", "!yes",
                                  "%%bash\necho on\nsleep 600"])
def test_interrupt(client, code):
    msg_id = client.begin(code)
    interrupt(client)
    content = client.reply_to(client.shell, msg_id)["content"]
    assert content["status"] == "error" and content["ename"] == "Interrupted"
    client.outputs_of(msg_id)
    assert client.execute("print on")[0]["status"] == "ok"


def test_interrupt_when_idle_is_harmless(client):
    interrupt(client)
    assert client.execute("print on")[0]["status"] == "ok"


def test_control_answers_while_a_cell_runs(client):
    msg_id = client.begin("print on\nsleep 600")
    for kind in ("kernel_info_request", "usage_request"):
        client.reply_to(client.control, client.send(client.control, kind))
    interrupt(client)
    assert client.reply_to(client.shell, msg_id)["content"]["ename"] == "Interrupted"


# ---- floods ---------------------------------------------------------------------------------------

def test_a_flood_is_capped_and_kept(client, kernel):
    total = 10_000_000
    content, outputs = client.execute(f"flood {total}", timeout=PATIENCE)
    text = streams(outputs)
    assert content["status"] == "ok" and "shows its first 8388608 bytes" in text
    path = text.split("goes to ")[1].split(".txt")[0] + ".txt"
    with open(path, "rb") as f:
        rest = f.read()
    assert len(rest) == total - (8 << 20)
    shown = text[:8 << 20].encode()
    block = bytes(10 if i % 64 == 63 else ord("a") + i % 26 for i in range(4096))
    assert shown + rest == (block * (total // 4096 + 1))[:total]
    assert f"{len(rest)} more bytes were printed" in text


@pytest.mark.parametrize("limit, cache, says", [
    (100, None, "File too large"), ("unlimited", "/proc/none", "are dropped (No such file or directory)")],
    ids=["a file size limit", "a folder that cannot be"])
def test_the_rest_cannot_be_kept(tmp_path, limit, cache, says):
    """The cell says so and why; the kernel, whose history does not fit either, goes on."""
    argv = ["sh", "-c", f'ulimit -f {limit}; exec "{MOCK}" kernel -f "$0"']
    env = {"WARPBOOK_OUTPUT_LIMIT": "1000", "WARPBOOK_HISTORY": str(tmp_path / "history.sqlite"),
           **({"XDG_CACHE_HOME": cache} if cache else {})}
    with closing(Kernel(argv=argv, env=env)) as small, closing(Client(small)) as one:
        one.ready()
        content, outputs = one.execute("flood 1000000")
        assert content["status"] == "ok" and says in streams(outputs)
        if limit == 100:
            assert one.execute("print " + "x" * 100000)[0]["status"] == "ok"
            path = streams(outputs).split("goes to ")[1].split(".txt")[0] + ".txt"
            assert os.path.getsize(path) == limit * 512  # of sh's blocks
        assert one.ask("history_request", {"hist_access_type": "tail", "n": 1})[0]["status"] == "ok"


# ---- stdin ----------------------------------------------------------------------------------------

def test_input(client):
    msg_id = client.send(client.shell, "execute_request",
                         {"code": "ask name?\nsecret word?", "allow_stdin": True})
    for prompt, password, value in (("name?", False, "Ada"), ("word?", True, "s3\u00fc")):
        m = client.receive(client.stdin)
        assert m["type"] == "input_request" and m["content"] == {"prompt": prompt,
                                                                 "password": password}
        client.send(client.stdin, "input_reply", {"value": value})
    assert client.reply_to(client.shell, msg_id)["content"]["status"] == "ok"
    assert streams(client.outputs_of(msg_id)) == "got Ada\ngot s3\u00fc\n"


def test_input_not_allowed(client):
    _, outputs = client.execute("ask name?", allow_stdin=False)
    assert streams(outputs) == "end of file\n"
    assert client.receive(client.stdin, 0.1) is None


def test_input_interrupted_then_stale_reply(client):
    msg_id = client.send(client.shell, "execute_request", {"code": "ask a?", "allow_stdin": True})
    assert client.receive(client.stdin)["type"] == "input_request"
    interrupt(client)
    assert client.reply_to(client.shell, msg_id)["content"]["status"] == "error"
    client.outputs_of(msg_id)
    client.send(client.stdin, "input_reply", {"value": "too late"})
    time.sleep(0.2)
    msg_id = client.send(client.shell, "execute_request", {"code": "ask b?", "allow_stdin": True})
    assert client.receive(client.stdin)["content"]["prompt"] == "b?"
    client.send(client.stdin, "input_reply", {"value": "fresh"})
    assert streams(client.outputs_of(msg_id)) == "got fresh\n"


# ---- the rest -------------------------------------------------------------------------------------

def test_is_complete(shared):
    for code, status in (("print x", "complete"), ("f() {", "incomplete"), ("}", "invalid"),
                         ("%time x", "complete"), ("%%bash\nls", "incomplete"),
                         ("%%bash\nls\n\n", "complete")):
        content, _ = shared.ask("is_complete_request", {"code": code})
        assert content["status"] == status, code
        assert ("indent" in content) == (status == "incomplete")


def test_history(client):
    for i in range(4):
        client.execute(f"value {i}")
    client.execute("print last")
    ask = lambda **c: client.ask("history_request", c)[0]["history"]
    tail = ask(hist_access_type="tail", n=2, output=False, raw=True)
    assert [h[2] for h in tail] == ["value 3", "print last"]
    session, line, _ = tail[0]
    with_output = ask(hist_access_type="range", session=session, start=line, stop=line + 1,
                      output=True, raw=True)
    assert with_output == [[session, line, ["value 3", "3"]]]
    assert ask(hist_access_type="range", session=0, start=1, stop=2, output=False, raw=True)[0][2] \
        == "value 0"
    found = ask(hist_access_type="search", pattern="value*", n=3, output=False, raw=True)
    assert [h[2] for h in found] == ["value 1", "value 2", "value 3"]
    client.execute("value 3")
    found = ask(hist_access_type="search", pattern="value 3", unique=True, output=False, raw=True)
    assert len(found) == 1
    content, _ = client.ask("history_request", {"hist_access_type": "dream"})
    assert content["status"] == "error" and "dream" in content["evalue"]


def test_history_outlives_the_kernel(tmp_path):
    from raw_client import Kernel
    seen = []
    for code in ("print one", "print two"):
        kernel = Kernel(env={"WARPBOOK_HISTORY": str(tmp_path / "h.sqlite")})
        client = Client(kernel)
        client.ready()
        client.execute(code)
        seen = client.ask("history_request", {"hist_access_type": "tail", "n": 9, "output": False,
                                              "raw": True})[0]["history"]
        client.close()
        kernel.close()
    assert [h[2] for h in seen] == ["print one", "print two"] and seen[0][0] != seen[1][0]


def complete(client, code, at=None):
    at = len(code) if at is None else at
    content, _ = client.ask("complete_request", {"code": code, "cursor_pos": at})
    assert content["status"] == "ok"
    return content


def test_complete_counts_code_points(shared):
    content = complete(shared, "// \U0001f680\U0001f680\ncudaMalloc")
    assert (content["cursor_start"], content["cursor_end"]) == (6, 16)
    assert "cudaMallocManaged" in content["matches"]


@pytest.mark.parametrize("code, wanted", [
    ("cudaMemcpyHostTo", {"cudaMemcpyHostToDevice", "cudaMemcpyHostToHost"}),
    ("cublasSge", {"cublasSgemm"}), ("__syncth", {"__syncthreads"}), ("static_c", {"static_cast"}),
    ("int i = threadIdx.", {"x", "y", "z"}), ("%dev", {"%device"}), ("%%cou", {"%%counters"}),
    ("%device s", {"soft"}), ("%%draw map a 4 4 --b", {"--block", "--before", "--by"}), ("%%draw map a 4 4 --by t", {"thread", "time"}),
    ("%%compare --s", {"--stage", "--seed"}), ("%%grade --", {"--seed"}), ("%bench -", {"-n", "-w"}), ("%help cou", {"counters"}), ("int wombat = 3;\nwom", {"wombat"}),
    ("!ls /us", {"/usr/"}), ("%compare transpose.", {"transpose.padded"}), ("%%grade tr", {"transpose"}),
    ("%%writefile /et", {"/etc/"}), ("", set()), ("p->", set()),
    ("cu", {"cudaSuccess", "cudaMemcpy", "cublasSgemm"}), ("int gr\xf6\xdfe = 1;\ngr\xf6", {"gr\xf6\xdfe"})])
def test_complete(shared, code, wanted):
    matches = set(complete(shared, code)["matches"])
    assert wanted <= matches and (wanted or not matches)


def test_complete_nothing(shared):
    for code in ("gr\xf6\xdfe", 'printf("cudaMal', "// cudaMal", "f(); /* cudaMal", "%%bash\ncudaMal"):
        assert complete(shared, code)["matches"] == []


def test_complete_own_names(client):
    client.execute("define wobble")
    assert complete(client, "x = wob")["matches"] == ["wobble"]
    assert complete(client, "wob + 1", at=3)["cursor_end"] == 3


def inspect(client, code, at=None):
    at = len(code) if at is None else at
    return client.ask("inspect_request", {"code": code, "cursor_pos": at, "detail_level": 0})[0]


@pytest.mark.parametrize("code, says", [
    ("cudaMemcpy", "cudaMemcpyKind kind"), ("cudaMalloc(&p, ", "size_t size"),
    ("cublasSgemm", "cublasHandle_t handle"), ("threadIdx", "index in its block"),
    ("__shared__", "32 banks"), ("%bench", "RUNS"), ("%compare gemm.naive", "Lab: gemm"),
    ("cudaErrorInvalidValue", "parameter"), ("blockIdx.x", "index in the grid"),
    ("cudaMemcpy(a, b", "cudaMemcpyKind kind"), ("cudaMalloc<<<1, f(2)>>>(", "size_t size"),
    ("cudaMalloc<float>(", "size_t size")])
def test_inspect(shared, code, says):
    content = inspect(shared, code)
    assert content["found"] and says in content["data"]["text/plain"]


def test_inspect_nothing(shared):
    content = inspect(shared, "wibble_wobble")
    assert content["status"] == "ok" and content["found"] is False and content["data"] == {}


def test_question_mark_pages(shared):
    content, _ = shared.execute("gemm.naive?")
    assert "Lab: gemm" in content["payload"][0]["data"]["text/plain"]
    for code in ("cudaMalloc?", "?cudaMalloc", "cudaMalloc??"):
        content, outputs = shared.execute(code)
        assert content["payload"][0]["source"] == "page"
        assert "devPtr" in content["payload"][0]["data"]["text/plain"]
        assert types(outputs) == ["status", "execute_input", "status"]


# ---- the end --------------------------------------------------------------------------------------

@pytest.mark.parametrize("restart", [True, False])
@pytest.mark.parametrize("channel", ["control", "shell"])
def test_shutdown(client, kernel, restart, channel):
    sock = getattr(client, channel)
    msg_id = client.send(sock, "shutdown_request", {"restart": restart})
    assert client.reply_to(sock, msg_id)["content"] == {"status": "ok", "restart": restart}
    assert "shutdown_reply" in types(client.outputs_of(msg_id))
    assert kernel.process.wait(PATIENCE) == 0


def test_shutdown_while_a_cell_runs(client, kernel):
    client.begin("print on\nsleep 600")
    client.send(client.control, "shutdown_request", {"restart": False})
    assert kernel.process.wait(PATIENCE) == 0


def test_sigterm_and_sigint(client, kernel):
    msg_id = client.begin("print on\nsleep 600")
    kernel.process.send_signal(2)
    assert client.reply_to(client.shell, msg_id)["content"]["ename"] == "Interrupted"
    kernel.process.terminate()
    assert kernel.process.wait(PATIENCE) == 0


def test_a_kernel_does_not_outlive_its_client():
    program = ("import sys; sys.path.insert(0, sys.argv[1]); from raw_client import Client, Kernel\n"
               "k = Kernel(); Client(k).ready(); print(k.process.pid, flush=True)\n"
               "import os; os._exit(0)")
    done = subprocess.run([sys.executable, "-c", program, str(Path(__file__).parent)],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert gone(int(done.stdout))
