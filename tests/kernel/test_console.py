"""jupyter console on the installed kernel with its compiler and worker, in a terminal of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pexpect
from raw_client import REAL, gone

LIMIT = 600  # seconds for a cell, on a slow machine that does other things, too


def console(folder):
    subprocess.run([REAL, "install", "--prefix", folder], check=True, capture_output=True, timeout=600)
    environment = {**os.environ, "JUPYTER_PATH": f"{folder}/share/jupyter", "IPYTHONDIR": str(folder),
                   "XDG_CACHE_HOME": str(folder), "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
                   "WARPBOOK_HISTORY": ":memory:", "WARPBOOK_DEVICE": "soft", "TERM": "xterm",
                   "PROMPT_TOOLKIT_NO_CPR": "1"}
    return pexpect.spawn(sys.executable, ["-m", "jupyter_console", "--kernel", "warpbook"], env=environment,
                         encoding="utf-8", timeout=LIMIT, dimensions=(40, 150))


def ready(c, number):
    c.expect(r"In \[[^0-9m]*(?:\x1b\[[0-9;]*m)*%d(?:\x1b\[[0-9;]*m)*\]: " % number)


def kernels(folder):
    """The processes that the connection files in the folder belong to."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"kernel" in words and any(str(folder).encode() in w for w in words):
            found.append(int(entry.parent.name))
    return found


def test_a_session_in_the_console(tmp_path):
    c = console(tmp_path)
    ready(c, 1)
    pids = kernels(tmp_path)
    assert pids
    c.send('printf("%d\\n", 6 * 7);\r')
    c.expect("42\r\n")
    ready(c, 2)
    c.send("int broken = ;\r")
    c.expect("CompileError")
    c.expect(r"cell \[2\], line 1: ")
    c.expect("int broken = ;")
    ready(c, 3)
    # The console draws a line anew as often as it likes: no answer may look like what was typed.
    c.send('int n; printf("how %s? ", "many"); scanf("%d", &n); printf("twice %d\\n", 2 * n);\r')
    c.expect("how many\\? ")
    c.send("21\r")
    c.expect("twice 42\r\n")
    ready(c, 4)
    c.sendeof()
    c.expect("Do you really want to exit")
    c.send("y\r")
    c.expect(pexpect.EOF)
    c.close()
    assert c.exitstatus == 0
    assert all(gone(pid) for pid in pids)
