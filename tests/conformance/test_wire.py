"""Messages that a kernel must refuse or ignore without harm, and those that it must sign."""

import json
import time

import pytest
from raw_client import DELIMITER, PATIENCE, Client, Kernel, streams, types


def still_well(client):
    content, outputs = client.ask("kernel_info_request")
    assert content["status"] == "ok" and types(outputs) == ["status", "status"]


def refused(client, kernel, frames, why, sock=None):
    (sock or client.shell).send_multipart(frames)
    still_well(client)
    assert client.receive(client.shell, 0.05) is None
    end = time.monotonic() + PATIENCE
    while why not in kernel.log() and time.monotonic() < end:
        time.sleep(0.02)
    assert why in kernel.log()


def test_unsigned(client, kernel):
    _, frames = client.frames("kernel_info_request", {})
    frames[1] = b""
    refused(client, kernel, frames, "not signed")


def test_wrong_signature(client, kernel):
    _, frames = client.frames("kernel_info_request", {})
    frames[1] = b"0" * 64
    refused(client, kernel, frames, "signature is wrong")


def test_changed_content(client, kernel):
    _, frames = client.frames("execute_request", {"code": "print a"})
    frames[5] = frames[5].replace(b"print a", b"print b")
    refused(client, kernel, frames, "signature is wrong")


def test_replayed(client, kernel):
    msg_id, frames = client.frames("kernel_info_request", {})
    client.shell.send_multipart(frames)
    client.reply_to(client.shell, msg_id)
    refused(client, kernel, frames, "replay")


def test_replayed_on_another_channel(client, kernel):
    msg_id, frames = client.frames("kernel_info_request", {})
    client.shell.send_multipart(frames)
    client.reply_to(client.shell, msg_id)
    refused(client, kernel, frames, "replay", client.control)


@pytest.mark.parametrize("keep", [1, 2, 3, 4, 5])
def test_truncated(client, kernel, keep):
    _, frames = client.frames("kernel_info_request", {})
    refused(client, kernel, frames[:keep], "cut off")


def test_no_delimiter(client, kernel):
    refused(client, kernel, [b"hello"], "delimiter")


def test_empty_frame(client, kernel):
    refused(client, kernel, [b""], "delimiter")


def signed(client, *texts):
    return [DELIMITER, client.sign(texts), *texts]


def answered(client, content, kind="kernel_info_request", metadata=b"{}"):
    """The reply to a signed request of raw texts; its status messages are there too."""
    header = client.header(kind)
    client.shell.send_multipart(signed(client, json.dumps(header).encode(), b"{}", metadata, content))
    reply = client.reply_to(client.shell, header["msg_id"])
    assert types(client.outputs_of(header["msg_id"])) == ["status", "status"]
    return reply["content"]


@pytest.mark.parametrize("content", [b"{", b"[]", b"7", b"", b"\xff\xfe", b"nul\0l", b'{"a":1}}', b'{"a":NaNa}', b'{"a":01}',
                                     b'{"a":- 1}', b'{"a":"\\ud83d"}', b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"])
def test_what_cannot_be_read_is_answered(shared, content):
    for kind in ("kernel_info_request", "execute_request", "complete_request"):
        reply = answered(shared, content, kind)
        assert reply["status"] == "error" and reply["ename"] == "MessageError"
        assert reply["evalue"].startswith("The request can't be read: content: ")
    reply = answered(shared, b"{}", metadata=content)
    assert reply["status"] == "error" and "metadata: " in reply["evalue"]
    still_well(shared)


@pytest.mark.parametrize("number", ["9223372036854775808", "-9223372036854775809", "1" + "0" * 30, "1" * 350, "-" + "7" * 400,
                                    "1" * 4000, "1e999", "-1E+400", "1.5e400", "1e-999", "NaN", "Infinity", "-Infinity"])
def test_numbers_that_python_writes(shared, number):
    """Python's json takes and gives all of these; a request is about something else."""
    there = json.dumps({"code": "print \\ NaN Infinity 1e999", "silent": False, "numbers": "NUMBER", "deep": [{"a": ["NUMBER", 1]}]})
    content = there.replace('"NUMBER"', number).encode()
    header = shared.header("execute_request")
    text = json.dumps({**header, "number": "NUMBER"}).replace('"NUMBER"', number).encode()
    shared.shell.send_multipart(signed(shared, text, b"{}", b'{"n":%s}' % number.encode(), content))
    assert shared.reply_to(shared.shell, header["msg_id"])["content"]["status"] == "ok"
    assert streams(shared.outputs_of(header["msg_id"])) == "print \\ NaN Infinity 1e999\n"[6:]


def test_a_number_beside_one_too_large_keeps_its_value(shared):
    content = b'{"code":"int wombat;\\nwom bat","cursor_pos":15,"n":1' + b"0" * 25 + b"}"
    assert answered(shared, content, "complete_request")["matches"] == ["wombat"]


@pytest.mark.parametrize("header", [b"{}", b'{"msg_id":1,"msg_type":"x"}', b'{"msg_id":"x"}'])
def test_bad_header(client, kernel, header):
    refused(client, kernel, signed(client, header, b"{}", b"{}", b"{}"), "header lacks")


def test_too_many_frames(client, kernel):
    _, frames = client.frames("kernel_info_request", {})
    refused(client, kernel, frames + [b"x"] * 2000, "frames")


def test_buffers_are_tolerated(client):
    msg_id, frames = client.frames("kernel_info_request", {})
    client.shell.send_multipart(frames + [b"\0" * 100, b""])
    assert client.reply_to(client.shell, msg_id)["content"]["status"] == "ok"


def test_unknown_type(client, kernel):
    _, frames = client.frames("make_coffee_request", {"sugar": 2})
    refused(client, kernel, frames, "make_coffee_request")


def test_unknown_fields(client):
    content, _ = client.execute("print x", flavour="vanilla", metadata={"deep": [1]})
    assert content["status"] == "ok"


def test_execute_on_control_is_ignored(client, kernel):
    _, frames = client.frames("execute_request", {"code": "print x"})
    refused(client, kernel, frames, "ignored a message of type execute_request", client.control)


@pytest.mark.parametrize("code", [None, 7, ["print x"], {}])
def test_code_of_a_wrong_type(client, code):
    content, outputs = client.ask("execute_request", {"code": code})
    assert content["status"] == "error" and content["ename"] == "TypeError"
    assert types(outputs) == ["status", "status"]


def test_empty_key_turns_signatures_off():
    kernel = Kernel(key="")
    client = Client(kernel)
    try:
        assert client.ready()["status"] == "ok"
        msg_id, frames = client.frames("kernel_info_request", {})
        for _ in range(2):  # and there is no replay to tell
            client.shell.send_multipart(frames)
            assert client.reply_to(client.shell, msg_id)["content"]["status"] == "ok"
    finally:
        client.close()
        kernel.close()


@pytest.mark.parametrize("change, says", [
    ({"shell_port": "many"}, '"shell_port" should be a port'),
    ({"hb_port": 70000}, '"hb_port" should be a port'),
    ({"signature_scheme": "rot13"}, "rot13"),
    ({"transport": "pigeon"}, "pigeon"),
    ({"key": 5}, '"key" should be a string'),
])
def test_bad_connection_file(change, says, tmp_path):
    import subprocess
    from raw_client import MOCK
    info = dict(shell_port=1, iopub_port=2, stdin_port=3, control_port=4, hb_port=5, key="k",
                transport="tcp", ip="127.0.0.1", signature_scheme="hmac-sha256")
    info.update(change)
    file = tmp_path / "c.json"
    file.write_text(json.dumps(info))
    done = subprocess.run([MOCK, "kernel", "-f", file], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 3 and says in done.stderr
