"""A session that the system kills because memory ran out: the real thing, in a control group of its own. Needs one that may
be made (root, or a delegated group); skips elsewhere."""

import os
import signal
from pathlib import Path

import pytest
from raw_client import REAL, Client, Kernel

GROUP_BYTES = 512 << 20
LIMIT = 600  # seconds for a cell, on a slow machine that does other things, too


@pytest.fixture
def group():
    """A folder of the kernel's control groups, version 1 or 2, whose processes have GROUP_BYTES in all."""
    for parent, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        folder = Path(parent) / f"warpbook-test-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / limit).write_text(str(GROUP_BYTES))
        except OSError:
            folder.rmdir()
            continue
        yield folder
        folder.rmdir()
        return
    pytest.skip("no control group with a limit on memory can be made here")


@pytest.fixture
def client(group, tmp_path):
    """A kernel that moves into the group before it starts, with no limit of its own in the way."""
    into = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group)]
    kernel = Kernel(argv=[*into, str(REAL), "kernel", "-f"],
                    env={"XDG_CACHE_HOME": str(tmp_path), "WARPBOOK_DEVICE": "soft", "WARPBOOK_WORKER_MEMORY": "none",
                         "WARPBOOK_NVCC_ONLY": "1"})  # nothing in the background stays in the group
    c = Client(kernel)
    c.ready()
    yield c
    c.close()
    os.killpg(kernel.process.pid, signal.SIGTERM)
    kernel.process.wait(LIMIT)
    kernel.close()


def test_softgpu_has_half_of_the_groups_memory(client):
    """Programs that ask the device how much there is, to fill it, would be killed for the machine's."""
    cell = "size_t left, total;\ncudaMemGetInfo(&left, &total);\ntotal"
    content, messages = client.execute(cell, timeout=LIMIT)
    assert content["status"] == "ok", content
    (result,) = [m["content"]["data"]["text/plain"] for m in messages if m["type"] == "execute_result"]
    assert result == str(GROUP_BYTES // 2)


def test_the_system_kills_a_session_for_its_memory(client):
    """It is said that memory was the reason, and the next cell runs."""
    content, _ = client.execute("int before = 20;", timeout=LIMIT)
    assert content["status"] == "ok", content
    greedy = "#include <cstdlib>\n#include <cstring>\nfor (;;) memset(malloc(16 << 20), 1, 16 << 20);"
    content, _ = client.execute(greedy, timeout=LIMIT)
    said = "\n".join(content["traceback"])
    assert content["status"] == "error" and "because memory ran out" in said, said
    assert "of 537 MB" in said, said  # the group's, not the machine's
    content, _ = client.execute("int after = 22; after", timeout=LIMIT)
    assert content["status"] == "ok", content
