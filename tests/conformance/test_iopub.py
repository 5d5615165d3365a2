"""IOPub's own XPUB (jupyter_kernel/protocol/xpub.c): subscribers old and new, those who read nothing, those who are none."""

import json
import os
import socket
import struct
import time

import pytest
import zmq
from raw_client import MOCK, Client, Kernel, streams, types
from test_router import GREETING, closed, cpu_seconds, frame, read, read_frame, read_message, ready, well


def connect(kernel, kind=b"SUB", receive_buffer=None):
    """A subscriber's connection by hand, its handshake done."""
    s = socket.socket()
    if receive_buffer:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    s.settimeout(10)
    s.connect(("127.0.0.1", kernel.info["iopub_port"]))
    s.sendall(GREETING + ready(kind=kind))
    assert read(s, 64)[:12] == GREETING[:12]
    flags, body = read_frame(s)
    assert flags & 4 and body.startswith(b"\x05READY") and body.endswith(b"XPUB")
    return s


def read_type(s):
    """The topic and the type of the next message."""
    frames = read_message(s)
    return frames[0], json.loads(frames[3])["msg_type"]


@pytest.mark.parametrize("wish", [frame(b"\x01kernel."), frame(b"\x09SUBSCRIBEkernel.", 4)], ids=["3.0", "3.1"])
def test_both_ways_to_subscribe(kernel, client, wish):
    s = connect(kernel)
    s.sendall(wish)
    assert read_type(s) == (b"kernel.", "iopub_welcome")
    well(client)
    for _ in range(2):
        topic, kind = read_type(s)
        assert kind == "status" and topic.startswith(b"kernel.") and topic.endswith(b".status")
    s.sendall(frame(b"\x06CANCELkernel.", 4) if wish[0] else frame(b"\x00kernel."))
    s.sendall(frame(b"\x04PING\x00\x00here", 4))
    assert read_frame(s) == (4, b"\x04PONGhere")  # so the cancelling has been read
    well(client)
    s.settimeout(0.2)
    with pytest.raises(TimeoutError):
        s.recv(1)


def test_zeromq_subscriber_changes_its_mind(kernel, client):
    s = client.context.socket(zmq.SUB)
    s.linger = 0
    s.connect(f"tcp://127.0.0.1:{kernel.info['iopub_port']}")
    for _ in range(3):
        s.subscribe(b"kernel")
        assert s.poll(3000) and s.recv_multipart()[0] == b"kernel"  # the welcome
        msg_id = client.send(client.shell, "kernel_info_request")
        assert [client_s["type"] for client_s in (client.receive(s, 3), client.receive(s, 3))] == ["status"] * 2
        client.reply_to(client.shell, msg_id)
        s.unsubscribe(b"kernel")
        time.sleep(0.05)
        well(client)
        assert not s.poll(50)


@pytest.mark.parametrize("bytes_", [
    b"GET / HTTP/1.1\r\n\r\n", GREETING + ready(kind=b"DEALER"), GREETING + frame(b"\x01before READY"),
    GREETING + ready(kind=b"SUB") + struct.pack(">BQ", 2, 1 << 40),
    GREETING + ready(kind=b"SUB") + frame(b"\x01" + bytes(1 << 16)),
    GREETING + ready(kind=b"SUB") + b"".join(frame(b"\x01" + b"%060d" % i) for i in range(1100)),
    GREETING + ready(kind=b"XSUB") + frame(b"x", 1) * 70000,
    GREETING + ready(kind=b"SUB") + frame(b"\x05ERROR\x03bad", 4)],
    ids=["http", "dealer", "no ready", "endless frame", "large topic", "many topics", "endless message", "error"])
def test_no_subscriber(client, kernel, bytes_):
    s = socket.socket()
    s.settimeout(10)
    s.connect(("127.0.0.1", kernel.info["iopub_port"]))
    try:
        s.sendall(bytes_)
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert closed(s)
    well(client)


def test_one_that_reads_nothing_keeps_nobody_waiting(kernel, client):
    """It gets what it had missed once it reads, from its first message on and in order."""
    text = "x" * (1 << 20)

    def show_all():
        began = time.monotonic()
        for i in range(20):
            reply, outputs = client.execute(f"show {i} {text}")
            assert reply["status"] == "ok" and outputs[2]["content"]["data"]["text/plain"].startswith(f"{i} ")
        return time.monotonic() - began

    alone = show_all()
    deaf = connect(kernel, receive_buffer=4096)
    deaf.sendall(frame(b"\x01"))
    assert read_type(deaf)[1] == "iopub_welcome"
    assert show_all() < 2 * alone + 2
    for i in range(20):
        got = [read_message(deaf) for _ in range(4)]
        assert [json.loads(m[3])["msg_type"] for m in got] == ["status", "execute_input", "display_data", "status"]
        assert json.loads(got[2][6])["data"]["text/plain"].startswith(f"{i} ")


def test_one_that_goes_in_the_midst(kernel, client):
    deaf = connect(kernel, receive_buffer=4096)
    deaf.sendall(frame(b"\x01"))
    assert read_type(deaf)[1] == "iopub_welcome"
    client.send(client.shell, "execute_request", {"code": "flood 4000000"})
    time.sleep(0.05)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    deaf.close()  # by a reset
    _, outputs = client.execute("print there")
    assert "there" in streams(outputs)


def test_threads_publish_one_message_after_the_other(kernel, client):
    """Control answers, and publishes its status, while a cell's output streams: no message is torn."""
    msg_id = client.send(client.shell, "execute_request", {"code": "flood 4000000"})
    asked = [client.send(client.control, "kernel_info_request") for _ in range(100)]
    states = {m: [] for m in asked}
    text, done = 0, 0
    while done < 101:
        m = client.receive(client.iopub, 10)
        assert m, "a message is missing"
        parent = m["parent"]["msg_id"]
        text += len(m["content"]["text"]) if m["type"] == "stream" else 0
        if m["type"] == "status":
            states.setdefault(parent, []).append(m["content"]["execution_state"])
            done += m["content"]["execution_state"] == "idle"
    assert text == 4000000 and all(s == ["busy", "idle"] for s in states.values()) and msg_id in states


def test_many_subscribers(kernel, client):
    crowd = [Client(kernel, subscribe=b"kernel") for _ in range(20)]
    for c in crowd:
        assert c.receive(c.iopub, 5)["type"] == "iopub_welcome"
    msg_id = client.send(client.shell, "execute_request", {"code": "print to all"})
    for c in [client, *crowd]:
        outputs = c.outputs_of(msg_id)
        assert types(outputs) == ["status", "execute_input", "stream", "status"] and "to all" in streams(outputs)
    for c in crowd:
        c.close()


def test_a_flood_of_connections():
    """More than the kernel may have open at once, none of which says anything: others get what is published."""
    limited = Kernel(argv=["sh", "-c", f'ulimit -n 64; exec "{MOCK}" kernel -f "$0"'])
    one = Client(limited)
    one.ready()
    crowd = [socket.create_connection(("127.0.0.1", limited.info["iopub_port"])) for _ in range(80)]
    well(one)
    for s in crowd:
        s.close()
    two = Client(limited)
    two.ready()
    for c in (one, two):
        c.close()
    limited.close()


def test_the_last_words_are_heard(kernel, client):
    """What was published before the end arrives though the process is gone."""
    slow = connect(kernel, receive_buffer=4096)
    slow.sendall(frame(b"\x01"))
    assert read_type(slow)[1] == "iopub_welcome"
    msg_id = client.send(client.control, "shutdown_request", {"restart": False})
    assert client.reply_to(client.control, msg_id)["content"]["status"] == "ok"
    assert types(client.outputs_of(msg_id)) == ["status", "shutdown_reply", "status"]
    kernel.process.wait(5)
    assert [read_type(slow)[1] for _ in range(3)] == ["status", "shutdown_reply", "status"]


def test_subscribers_that_wait_use_no_cpu(kernel, client):
    crowd = [connect(kernel) for _ in range(5)]
    crowd[0].sendall(frame(b"\x01"))
    deaf = connect(kernel, receive_buffer=4096)
    deaf.sendall(frame(b"\x01"))
    assert read_type(deaf)[1] == "iopub_welcome"
    client.execute("flood 8000000", timeout=10)  # more than its connection holds
    before = cpu_seconds(kernel.process.pid)
    time.sleep(1)
    assert cpu_seconds(kernel.process.pid) - before <= 2 / os.sysconf("SC_CLK_TCK")
