"""The five channels as ZeroMQ sockets: peers that come late or back, read nothing, or are no peers at all; other
transports and encryption; how much memory any of them costs."""

import json
import os
import socket
import struct
import time
import uuid
from contextlib import ExitStack, closing
from pathlib import Path

import draw
import pytest
import zmq
from raw_client import BUILD, MOCK, PATIENCE, Client, Kernel, streams, types

PORTS = ["shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"]
GREETING = b"\xff" + bytes(7) + b"\x01\x7f\x03\x01NULL" + bytes(16) + bytes(32)


def frame(body, flags=0):
    if len(body) > 255:
        return struct.pack(">BQ", flags | 2, len(body)) + body
    return struct.pack(">BB", flags, len(body)) + body


def hello(kind):
    body = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
    return GREETING + frame(body, 4)


def well(client):
    assert client.ask("kernel_info_request")[0]["status"] == "ok"


# ---- peers that are none ------------------------------------------------------------------------------

GARBAGE = {"http": b"GET / HTTP/1.1\r\n\r\n", "zeros": bytes(64), "version 1": b"\xff" + bytes(8) + b"\x7f\x01" + bytes(60),
           "another mechanism": GREETING[:12] + b"PLAIN" + bytes(47), "no ready": GREETING + frame(b"\x01before READY"),
           "of a wrong kind": hello(b"PUSH") + frame(b"x"), "cut properties": GREETING + frame(b"\x05READY\x0bSocket", 4),
           "wrong flags": hello(b"DEALER") + b"\xf8\x01", "large topic": hello(b"SUB") + frame(b"\x01" + bytes(1 << 16)),
           "endless frame": hello(b"DEALER") + struct.pack(">BQ", 2, 1 << 40),
           "many topics": hello(b"SUB") + b"".join(frame(b"\x01" + b"%060d" % i) for i in range(1100)),
           "cut message": hello(b"DEALER") + frame(b"x", 1) * 3}


@pytest.mark.parametrize("port", PORTS)
def test_garbage_on_a_port(shared, shared_kernel, port):
    held = []
    for bytes_ in GARBAGE.values():
        s = socket.create_connection(("127.0.0.1", shared_kernel.info[port]), timeout=PATIENCE)
        try:
            s.sendall(bytes_)
        except OSError:
            pass  # thrown out already
        held.append(s)
    well(shared)
    for s in held:
        s.close()
    well(shared)


@pytest.mark.parametrize("port", ["shell_port", "iopub_port"])
def test_a_flood_of_connections(port):
    """More than the kernel may have open at once: it answers those it has, and new ones as others go."""
    argv = ["sh", "-c", f'ulimit -n 64; exec "{MOCK}" kernel -f "$0"']
    with closing(Kernel(argv=argv)) as limited, closing(Client(limited)) as one:
        one.ready()
        crowd = [socket.create_connection(("127.0.0.1", limited.info[port])) for _ in range(80)]
        well(one)
        for s in crowd:
            s.close()
        well(one)
        with closing(Client(limited)) as two:
            two.ready()


# ---- the shell's peers --------------------------------------------------------------------------------


def dealer(client, identity=None):
    s = client.context.socket(zmq.DEALER)
    s.linger, s.reconnect_ivl = 0, 1
    if identity:
        s.identity = identity
    s.connect(f"tcp://127.0.0.1:{client.info['shell_port']}")
    return s


def test_peers_without_a_name(shared):
    peers = [dealer(shared) for _ in range(3)]
    sent = [shared.send(s, "kernel_info_request") for s in peers]
    for s, msg_id in zip(peers, sent):
        assert shared.reply_to(s, msg_id)["content"]["status"] == "ok"
        s.close()


def test_one_that_comes_back_under_its_name(shared):
    first, second = dealer(shared, b"the same"), None
    shared.reply_to(first, shared.send(first, "kernel_info_request"))
    second = dealer(shared, b"the same")
    assert shared.reply_to(second, shared.send(second, "kernel_info_request"))["content"]["status"] == "ok"
    first.close()
    second.close()


def test_many_requests_at_once_keep_their_order(shared):
    sent = [shared.send(shared.shell, "kernel_info_request") for _ in range(500)]
    assert [shared.receive(shared.shell)["parent"]["msg_id"] for _ in sent] == sent
    shared.outputs_of(sent[-1])


def test_a_client_may_come_while_a_cell_runs(client, kernel):
    """Its request waits its turn: it is answered after the cell."""
    client.send(client.shell, "execute_request", {"code": "ask go?", "allow_stdin": True})
    assert client.receive(client.stdin)["type"] == "input_request"
    with closing(Client(kernel)) as late:
        msg_id = late.send(late.shell, "kernel_info_request")
        assert late.receive(late.shell, 0.3) is None
        client.send(client.stdin, "input_reply", {"value": ""})
        assert late.reply_to(late.shell, msg_id)["content"]["status"] == "ok"


def test_one_without_a_stdin_channel_is_not_asked(client):
    """The cell reads the end of its input, instead of waiting for an answer that nobody can give."""
    lonely = dealer(client, b"lonely")
    msg_id = client.send(lonely, "execute_request", {"code": "ask who?", "allow_stdin": True})
    assert client.reply_to(lonely, msg_id)["content"]["status"] == "ok"
    assert "end of file" in streams(client.outputs_of(msg_id))


# ---- subscribers --------------------------------------------------------------------------------------


def test_a_subscriber_changes_its_mind(client, kernel):
    s = client.context.socket(zmq.SUB)
    s.linger = 0
    s.connect(f"tcp://127.0.0.1:{kernel.info['iopub_port']}")
    for _ in range(3):
        s.subscribe(b"kernel")
        assert s.poll(PATIENCE * 1000) and s.recv_multipart()[0] == b"kernel"  # the welcome
        client.ask("kernel_info_request")
        assert [client.receive(s)["type"] for _ in range(2)] == ["status"] * 2
        s.unsubscribe(b"kernel")
        time.sleep(0.1)
        well(client)
        assert not s.poll(50)


def test_many_subscribers(client, kernel):
    with ExitStack() as stack:
        crowd = [stack.enter_context(closing(Client(kernel, subscribe=b"kernel"))) for _ in range(20)]
        for c in crowd:
            assert c.receive(c.iopub)["type"] == "iopub_welcome"
        msg_id = client.send(client.shell, "execute_request", {"code": "print to all"})
        for c in [client, *crowd]:
            outputs = c.outputs_of(msg_id)
            assert types(outputs) == ["status", "execute_input", "stream", "status"] and "to all" in streams(outputs)


def test_threads_publish_one_message_after_the_other(client):
    """Control answers, and publishes its status, while a cell's output streams: no message is torn."""
    cell = client.send(client.shell, "execute_request", {"code": "flood 4000000"})
    asked = [client.send(client.control, "kernel_info_request") for _ in range(100)]
    states = {m: [] for m in [cell, *asked]}
    text = 0
    while not all(s[-1:] == ["idle"] for s in states.values()):
        m = client.receive(client.iopub)
        assert m, "a message is missing"
        text += len(m["content"]["text"]) if m["type"] == "stream" else 0
        if m["type"] == "status":
            states[m["parent"]["msg_id"]].append(m["content"]["execution_state"])
    assert text == 4000000 and all(s == ["busy", "idle"] for s in states.values())


def test_a_message_of_text_has_its_bounds(client):
    """A subscriber's share of memory is counted in messages, so no stream message is large."""
    text = "".join(f"{i} \u00fc\u20ac\U0001f680 " for i in range(60000))
    _, outputs = client.execute(f"print {text}")
    sizes = [len(m["content"]["text"].encode()) for m in outputs if m["type"] == "stream"]
    assert streams(outputs) == text + "\n" and max(sizes) <= 1 << 14
    assert len(sizes) < len(text.encode()) / (1 << 14) + 5  # and is as large as it may be


def deaf_subscriber(client, kernel):
    """A subscriber whose program reads nothing, and whose ZeroMQ reads next to nothing ahead."""
    s = client.context.socket(zmq.SUB)
    s.linger, s.rcvhwm, s.rcvbuf = 0, 1, 4096
    s.subscribe(b"")
    s.connect(f"tcp://127.0.0.1:{kernel.info['iopub_port']}")
    assert s.poll(PATIENCE * 1000) and client.receive(s)["type"] == "iopub_welcome"
    return s


# The test that costs most of this file's time, all of it the client's. The sanitized run (test_sanitized.py) includes it, so it
# does not run twice.
ONCE = pytest.mark.skipif(BUILD.name != "san" and (BUILD / "san/tests/mock/bin/warpbook").exists() and not draw.WHOLE,
                          reason="the sanitized run has it")


@ONCE
def test_one_that_reads_nothing_keeps_nobody_waiting(client, kernel):
    """It gets what it had missed once it reads, from its first message on and in order."""
    deaf, text = deaf_subscriber(client, kernel), "x" * (1 << 20)
    for i in range(20):
        reply, outputs = client.execute(f"show {i} {text}")
        assert reply["status"] == "ok" and outputs[2]["content"]["data"]["text/plain"].startswith(f"{i} ")
    for i in range(20):
        got = [client.receive(deaf) for _ in range(4)]
        assert types(got) == ["status", "execute_input", "display_data", "status"]
        assert got[2]["content"]["data"]["text/plain"].startswith(f"{i} ")


@ONCE
def test_what_is_kept_for_one_that_reads_nothing_is_bounded(client, kernel):
    """Others get all; it gets the first 16384 messages (and what was under way), then what comes when there is room."""
    deaf, n = deaf_subscriber(client, kernel), 30000
    code = "\n".join(f"show {i} {'x' * 500}" for i in range(n))
    _, outputs = client.execute(code)
    numbers = [int(m["content"]["data"]["text/plain"].split()[0]) for m in outputs if m["type"] == "display_data"]
    assert numbers == list(range(n))
    first = []
    while len(first) < 16000 or deaf.poll(1000):
        m = client.receive(deaf)
        if m["type"] == "display_data":
            first.append(int(m["content"]["data"]["text/plain"].split()[0]))
    assert first == list(range(len(first))) and 16000 < len(first) < n - 1000
    _, outputs = client.execute("show 77 again")
    assert client.receive(deaf), "it is served again once it reads"


def test_the_last_words_are_heard(client, kernel):
    """Messages published before the kernel ended arrive after its process is gone."""
    late = deaf_subscriber(client, kernel)
    msg_id = client.send(client.control, "shutdown_request", {"restart": False})
    assert client.reply_to(client.control, msg_id)["content"]["status"] == "ok"
    assert types(client.outputs_of(msg_id)) == ["status", "shutdown_reply", "status"]
    kernel.process.wait(PATIENCE)
    assert [client.receive(late)["type"] for _ in range(3)] == ["status", "shutdown_reply", "status"]


# ---- other transports ---------------------------------------------------------------------------------


def ask_at(endpoints, kernel, sock, kind):
    """One request to an endpoint that is not 127.0.0.1."""
    context = zmq.Context()
    s = context.socket(zmq.DEALER)
    s.ipv6, s.linger, s.reconnect_ivl, s.identity = True, 0, 5, uuid.uuid4().hex.encode()
    s.connect(endpoints[sock])
    maker = Client.__new__(Client)
    maker.key, maker.session = kernel.info["key"].encode(), s.identity.decode()
    s.send_multipart(maker.frames(kind, {})[1])
    end = time.monotonic() + PATIENCE
    while not s.poll(200) and kernel.process.poll() is None and time.monotonic() < end:
        pass
    answer = s.recv_multipart() if s.poll(0) else None
    context.destroy(0)
    return json.loads(answer[-1]) if answer else None


@pytest.mark.parametrize("where", ["::1", "ipc", "interface"])
def test_other_transports(where, tmp_path):
    """Each channel, and subshells on all of them."""
    fields, endpoint = {}, "tcp://127.0.0.1:%d"
    if where == "::1":
        fields, endpoint = {"ip": "::1"}, "tcp://[::1]:%d"
    elif where == "ipc":
        fields, endpoint = {"transport": "ipc", "ip": f"{tmp_path}/socket"}, f"ipc://{tmp_path}/socket-%d"
    else:
        fields = {"ip": "lo"}
    kernel = Kernel(**fields)
    endpoints = {name[:-5]: endpoint % kernel.info[name] for name in PORTS}
    answer = ask_at(endpoints, kernel, "shell", "kernel_info_request")
    log = kernel.log()
    if answer:
        assert "kernel subshells" in answer["supported_features"]
        made = ask_at(endpoints, kernel, "control", "create_subshell_request")
    kernel.close()
    if where == "::1" and (not socket.has_ipv6 or "Cannot assign" in log):
        pytest.skip("this machine has no ::1")
    assert answer and made["status"] == "ok", log


def test_curve():
    """All five channels are encrypted, a stranger gets no word, and a subshell answers while a cell runs."""
    public, secret = zmq.curve_keypair()
    with closing(Kernel(curve_publickey=public.decode(), curve_secretkey=secret.decode())) as kernel, \
            closing(Client(kernel, curve=public)) as client, closing(Client(kernel)) as stranger:
        assert "kernel subshells" in client.ready()["supported_features"]
        client.hb.send(b"beat")
        assert client.hb.poll(PATIENCE * 1000) and client.hb.recv() == b"beat"
        subshell = client.ask("create_subshell_request", sock=client.control)[0]["subshell_id"]
        cell = client.send(client.shell, "execute_request", {"code": "ask a?", "allow_stdin": True})
        assert client.receive(client.stdin)["content"]["prompt"] == "a?"
        header = {**client.header("kernel_info_request"), "subshell_id": subshell}
        msg_id = client.send(client.shell, "kernel_info_request", header=header)
        assert client.receive(client.shell)["parent"]["msg_id"] == msg_id
        client.send(client.stdin, "input_reply", {"value": "here"})
        assert "got here" in streams(client.outputs_of(cell))
        for sock in (stranger.shell, stranger.control):
            sock.sndtimeo = 500
            try:
                stranger.send(sock, "kernel_info_request")
            except zmq.Again:
                pass  # thrown out before it could say anything: there is nobody to send to
            assert stranger.receive(sock, 0.3) is None
        assert stranger.receive(stranger.iopub, 0.3) is None


# ---- what it costs ------------------------------------------------------------------------------------


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_idle_kernel_uses_no_cpu(client, kernel):
    """Also while a subscriber does not read what waits for it."""
    deaf = deaf_subscriber(client, kernel)
    for _ in range(20):
        well(client)
    client.execute("flood 8000000")  # more than the connection holds
    end = time.monotonic() + PATIENCE
    while True:  # on a busy machine it may have something left to do at first
        before = cpu_seconds(kernel.process.pid)
        time.sleep(1.5)
        if cpu_seconds(kernel.process.pid) - before <= 2 / os.sysconf("SC_CLK_TCK"):
            break
        assert time.monotonic() < end, "it goes on using the CPU"
    assert deaf.poll(0)


def resident_mb(pid):
    return int(Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


@pytest.mark.skipif(BUILD.name == "san", reason="the address sanitizer keeps what is freed")
@pytest.mark.parametrize("content", [{"code": "// " + "x" * (24 << 20)}, {"code": "", "numbers": [0.5] * 600_000},
                                     {"code": "", "words": [str(i) for i in range(300_000)]}],
                         ids=["one text", "many numbers", "many words"])
def test_a_large_message_leaves_nothing_behind(client, kernel, content):
    before = resident_mb(kernel.process.pid)
    content = {"silent": True, "allow_stdin": False, **content}
    for _ in range(2):
        assert client.ask("execute_request", content)[0]["status"] == "ok"
    end = time.monotonic() + PATIENCE
    while resident_mb(kernel.process.pid) > before + 8 and time.monotonic() < end:
        time.sleep(0.1)
    assert resident_mb(kernel.process.pid) <= before + 8
