"""Subshells (JEP 91): created, listed and deleted on control; their requests are answered while a cell runs."""

import pytest
from raw_client import types


def ask_in(client, subshell, kind, content=None):
    header = {**client.header(kind), "subshell_id": subshell}
    msg_id, frames = client.frames(kind, content or {}, header=header)
    client.shell.send_multipart(frames)
    reply = client.reply_to(client.shell, msg_id)
    assert reply["parent"]["subshell_id"] == subshell
    return reply["content"], types(client.outputs_of(msg_id))


@pytest.fixture
def subshell(client):
    content, outputs = client.ask("create_subshell_request", sock=client.control)
    assert content["status"] == "ok" and types(outputs) == ["status", "status"]
    return content["subshell_id"]


REQUESTS = {"kernel_info_request": {}, "comm_info_request": {}, "is_complete_request": {"code": "f("},
            "complete_request": {"code": "%dev", "cursor_pos": 4},
            "inspect_request": {"code": "threadIdx", "cursor_pos": 3}}


def test_created_listed_deleted(client, subshell):
    other = client.ask("create_subshell_request", sock=client.control)[0]["subshell_id"]
    assert other != subshell
    content, _ = client.ask("list_subshell_request", sock=client.control)
    assert content == {"status": "ok", "subshell_id": [subshell, other]}
    assert client.ask("delete_subshell_request", {"subshell_id": subshell}, sock=client.control)[0] == {"status": "ok"}
    content, _ = client.ask("delete_subshell_request", {"subshell_id": subshell}, sock=client.control)
    assert content["status"] == "error" and subshell in content["evalue"]
    assert client.ask("list_subshell_request", sock=client.control)[0]["subshell_id"] == [other]


def test_answers_while_a_cell_runs(client, subshell):
    cell = client.begin("print on\nsleep 600")
    for kind, content in REQUESTS.items():
        reply, outputs = ask_in(client, subshell, kind, content)
        assert reply["status"] in ("ok", "complete") and outputs == ["status", "status"], reply
    client.send(client.control, "interrupt_request")
    reply = client.reply_to(client.shell, cell)
    assert reply["content"]["ename"] == "Interrupted" and reply["content"]["execution_count"] == 1


def test_answers_when_no_cell_runs(client, subshell):
    for kind, content in REQUESTS.items():
        assert ask_in(client, subshell, kind, content)[0]["status"] in ("ok", "complete")


def test_queued_behind_a_cell(client, subshell):
    """A request that waited in the queue before the cell began is answered while it runs, too; those of the main
    shell after it."""
    cell = client.send(client.shell, "execute_request", {"code": "ask go?", "allow_stdin": True})
    main = client.send(client.shell, "kernel_info_request")
    header = {**client.header("kernel_info_request"), "subshell_id": subshell}
    sub, frames = client.frames("kernel_info_request", {}, header=header)
    client.shell.send_multipart(frames)
    assert client.receive(client.shell)["parent"]["msg_id"] == sub
    assert client.receive(client.stdin)["type"] == "input_request"
    client.send(client.stdin, "input_reply", {"value": ""})
    assert [client.receive(client.shell)["parent"]["msg_id"] for _ in range(2)] == [cell, main]


def test_keeps_its_order(client, subshell):
    """Also when the thread that answers changes: cells come and go meanwhile."""
    sent = []
    for i in range(300):
        if i % 20 == 0:
            client.send(client.shell, "execute_request", {"code": "sleep 0.005"})
        header = {**client.header("kernel_info_request"), "subshell_id": subshell}
        msg_id, frames = client.frames("kernel_info_request", {}, header=header)
        client.shell.send_multipart(frames)
        sent.append(msg_id)
    got = []
    while len(got) < len(sent):
        m = client.receive(client.shell)
        got += [m["parent"]["msg_id"]] if m["parent"].get("subshell_id") else []
    assert got == sent


def test_cells_are_for_the_main_shell(client, subshell):
    content, outputs = ask_in(client, subshell, "execute_request", {"code": "print no"})
    assert content["status"] == "error" and "main shell" in content["evalue"]
    assert outputs == ["status", "status"]
    content, _ = ask_in(client, subshell, "history_request", {"hist_access_type": "tail", "n": 1})
    assert content["status"] == "error" and "history_request" in content["evalue"]


def test_one_that_is_not_there(client):
    content, _ = ask_in(client, "nobody", "kernel_info_request")
    assert content["status"] == "error" and "nobody" in content["evalue"]


def test_no_more_than_there_may_be(client):
    replies = [client.ask("create_subshell_request", sock=client.control)[0]["status"] for _ in range(66)]
    assert replies == ["ok"] * 64 + ["error"] * 2
