"""The shell channel's own ROUTER (jupyter_kernel/protocol/router.c): what libzmq's would do with peers that come late,
come back, say nothing of themselves, read nothing, or are no ZeroMQ peers at all."""

import json
import os
import socket
import struct
import time
import uuid
from pathlib import Path

import pytest
import zmq
from raw_client import Client, Kernel, streams

GREETING = b"\xff" + bytes(7) + b"\x01\x7f\x03\x01NULL" + bytes(16) + bytes(32)


def frame(body, flags=0):
    if len(body) > 255:
        return struct.pack(">BQ", flags | 2, len(body)) + body
    return struct.pack(">BB", flags, len(body)) + body


def ready(identity=b"", kind=b"DEALER"):
    body = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
    return frame(body + b"\x08Identity" + struct.pack(">I", len(identity)) + identity, 4)


def message(frames):
    return b"".join(frame(f, 1) for f in frames[:-1]) + frame(frames[-1])


def connect(kernel, receive_buffer=None):
    s = socket.socket()
    if receive_buffer:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    s.settimeout(10)
    s.connect(("127.0.0.1", kernel.info["shell_port"]))
    return s


def read(s, n):
    data = bytearray()
    while len(data) < n and (piece := s.recv(min(1 << 20, n - len(data)))):
        data += piece
    return bytes(data)


def read_frame(s):
    flags = read(s, 1)[0]
    size = struct.unpack(">Q", read(s, 8))[0] if flags & 2 else read(s, 1)[0]
    return flags, read(s, size)


def read_message(s):
    frames = []
    while True:
        flags, body = read_frame(s)
        frames.append(body)
        if not flags & 1:
            return frames


def handshake(s, identity=b""):
    s.sendall(GREETING + ready(identity))
    assert read(s, 64)[:12] == GREETING[:12]
    flags, body = read_frame(s)
    assert flags & 4 and body.startswith(b"\x05READY") and body.endswith(b"ROUTER")
    return s


def closed(s):
    try:
        while s.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True  # and a time-out is an error


def well(client):
    assert client.ask("kernel_info_request")[0]["status"] == "ok"


@pytest.mark.parametrize("bytes_", [
    b"GET / HTTP/1.1\r\n\r\n", b"\xff" + bytes(8) + b"\x7f\x01" + bytes(60), bytes(64),
    GREETING[:12] + b"CURVE" + bytes(47), GREETING + frame(b"a message before READY"),
    GREETING + ready(kind=b"SUB"), GREETING + frame(b"\x05READY\x0bSocket", 4),
    GREETING + ready() + b"\xf8\x01", GREETING + ready() + struct.pack(">BQ", 2, 1 << 62),
    GREETING + ready() + frame(b"\x05ERROR\x03bad", 4)],
    ids=["http", "version 1", "zeros", "curve", "no ready", "a subscriber", "cut properties", "wrong flags",
         "endless frame", "error"])
def test_no_peer(client, kernel, bytes_):
    s = connect(kernel)
    s.sendall(bytes_)
    assert closed(s)
    well(client)


def test_bytes_that_come_one_by_one(client, kernel):
    s = connect(kernel)
    _, frames = client.frames("kernel_info_request", {})
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in GREETING + ready(b"slow") + message(frames):
        s.sendall(bytes([byte]))
    read(s, 64)
    read_frame(s)
    assert b"kernel_info_reply" in read_message(s)[2]


def test_ping_also_between_frames(client, kernel):
    s = handshake(connect(kernel), b"pinging")
    ping = frame(b"\x04PING\x00\x10context", 4)
    _, frames = client.frames("kernel_info_request", {})
    parts = [frame(f, 1) for f in frames[:-1]] + [frame(frames[-1])]
    s.sendall(ping + parts[0] + ping + b"".join(parts[1:]))
    assert [read_frame(s) for _ in range(2)] == [(4, b"\x04PONGcontext")] * 2
    assert b"kernel_info_reply" in read_message(s)[2]


def test_peers_without_a_name(kernel, client):
    peers = [handshake(connect(kernel)) for _ in range(3)]
    for s in peers:
        _, frames = client.frames("kernel_info_request", {})
        s.sendall(message(frames))
    for s in peers:
        assert b"kernel_info_reply" in read_message(s)[2]


def test_one_that_comes_back_under_its_name(kernel, client):
    first = handshake(connect(kernel), b"the same")
    second = handshake(connect(kernel), b"the same")
    assert closed(first)
    _, frames = client.frames("kernel_info_request", {})
    second.sendall(message(frames))
    assert b"kernel_info_reply" in read_message(second)[2]


def test_many_requests_at_once_keep_their_order(client):
    sent = [client.send(client.shell, "kernel_info_request") for _ in range(500)]
    got = [client.receive(client.shell, 10)["parent"]["msg_id"] for _ in sent]
    assert got == sent


def test_a_reply_nobody_reads_keeps_nobody_waiting(kernel, client):
    """Its peer reads nothing: others are answered, and all of it is there when it does read."""
    deaf = handshake(connect(kernel, receive_buffer=4096), b"deaf")
    text = "x" * (20 << 20)
    content = {"code": "", "silent": True, "user_expressions": {"a": "value " + text}, "allow_stdin": False}
    _, frames = client.frames("execute_request", content)
    deaf.sendall(message(frames))
    time.sleep(0.3)
    well(client)
    reply = read_message(deaf)
    assert b"execute_reply" in reply[2] and text.encode() in reply[5]


def test_one_without_a_stdin_channel_is_not_asked(kernel, client):
    """The cell reads the end of its input, instead of waiting for an answer that nobody can give."""
    lonely = handshake(connect(kernel), b"lonely")
    _, frames = client.frames("execute_request", {"code": "ask who?", "allow_stdin": True})
    lonely.sendall(message(frames))
    lonely.settimeout(10)
    reply = read_message(lonely)
    assert b"execute_reply" in reply[2] and b'"ok"' in reply[5]
    assert "end of file" in streams(client.outputs_of(json.loads(reply[3])["msg_id"]))


def test_a_client_may_come_while_a_cell_runs(kernel, client):
    """Its handshake and its request are taken meanwhile, and answered after the cell."""
    msg_id = client.send(client.shell, "execute_request", {"code": "sleep 1.5"})
    time.sleep(0.1)
    began = time.monotonic()
    late = handshake(connect(kernel), b"late")
    assert time.monotonic() - began < 0.5
    _, frames = client.frames("kernel_info_request", {})
    late.sendall(message(frames))
    assert b"kernel_info_reply" in read_message(late)[2]
    assert time.monotonic() - began > 1
    client.reply_to(client.shell, msg_id)


def test_a_flood_of_connections(kernel, client):
    """More than the kernel may have open at once: it answers those it has, and new ones as others go."""
    limited = Kernel(argv=["sh", "-c", f'ulimit -n 64; exec "{kernel.process.args[0]}" kernel -f "$0"'])
    one = Client(limited)
    one.ready()
    crowd = [connect(limited) for _ in range(80)]
    well(one)
    for s in crowd:
        s.close()
    well(one)
    two = Client(limited)
    two.ready()
    one.close()
    two.close()
    limited.close()


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_idle_kernel_uses_no_cpu(kernel, client):
    for _ in range(20):
        well(client)
    client.execute("print once")
    before = cpu_seconds(kernel.process.pid)
    time.sleep(1.5)
    assert cpu_seconds(kernel.process.pid) - before <= 0.02  # two ticks of the clock


def test_ipv6_and_other_transports_keep_working():
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    kernel = Kernel(ip="::1")
    context, identity = zmq.Context(), uuid.uuid4().hex.encode()
    shell = context.socket(zmq.DEALER)
    shell.ipv6, shell.linger, shell.reconnect_ivl, shell.identity = True, 0, 5, identity
    shell.connect(f"tcp://[::1]:{kernel.info['shell_port']}")
    maker = Client.__new__(Client)
    maker.key, maker.session = kernel.info["key"].encode(), identity.decode()
    _, frames = maker.frames("kernel_info_request", {})
    shell.send_multipart(frames)
    answered = shell.poll(5000)
    context.destroy(0)
    log = kernel.log()
    kernel.close()
    if not answered and "Cannot assign" in log:
        pytest.skip("this machine has no ::1")
    assert answered, log
