"""The build that goes on behind an open JupyterLab: who needs what it makes waits, says so, or is told that it failed."""

import fcntl
import os
import subprocess
import time
from pathlib import Path

import pytest
from jupyter_client import KernelManager

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
BEHIND = ROOT / "runtime" / "setup" / "behind.sh"
LATER = ("warpbook-compare", "libwarpbook_references.so", "libwarpbook_kernels.so")
LIMIT_S = 600
COMPARE = ("bin/warpbook", "compare", "transpose.copy", "--device", "soft", "--sizes", "64", "--rounds", "1")
NEEDS_SET = '#include <warpbook.h>\nauto launcher = &wbk_transpose_copy_f32;\n'


@pytest.fixture
def half(tmp_path):
    """A prefix without the kernel set, a log that tells of 57 steps of 83, and the lock that a build holds."""

    class Half:
        prefix, log, marker = tmp_path / "prefix", tmp_path / "behind.log", tmp_path / "prefix/share/warpbook/building"
        environment = {**os.environ, "WARPBOOK_PREFIX": str(prefix)}

        def command(self, words):
            return [str(BUILD / words[0]), *words[1:]]

        def begin(self):
            self.log.write_text("".join(f"  [{i}/83] {i // 2} s CC x.c\n" for i in range(1, 58)))
            self.marker.write_text(f"{self.log}\n")
            self.lock = open(self.marker)
            fcntl.flock(self.lock, fcntl.LOCK_EX)

        def finish(self):
            for name in LATER:
                (self.prefix / "lib/warpbook" / name).symlink_to(BUILD / "lib/warpbook" / name)
            self.marker.unlink()
            self.lock.close()

    made = Half()
    for folder, without in (("lib/warpbook", LATER), ("share/warpbook", ("building",))):
        (made.prefix / folder).mkdir(parents=True)
        for file in (BUILD / folder).iterdir():
            if file.name not in without:
                (made.prefix / folder / file.name).symlink_to(file)
    return made


def test_compare_waits_and_says_how_far_the_build_is(half):
    half.begin()
    process = subprocess.Popen(
        half.command(COMPARE), env=half.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    first = process.stderr.readline()
    assert first.strip() == "warpbook compare: the kernel set is being built: 57 of 83; about 13 s"
    half.finish()
    out, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, err
    assert "transpose.copy" in out and "the kernel set is built; waited" in err


@pytest.mark.parametrize("failed", [True, False])
def test_compare_is_told_what_to_do_when_nobody_builds(half, failed):
    if failed:  # the marker is there, the lock is not
        half.begin()
        half.lock.close()
    answer = subprocess.run(half.command(COMPARE), env=half.environment, text=True, capture_output=True, timeout=LIMIT_S)
    assert answer.returncode == 3 and "un `make` in Warpbook's folder" in answer.stderr
    assert (str(half.log) in answer.stderr) == failed
    doctor = subprocess.run(half.command(("bin/warpbook", "doctor")), env=half.environment, text=True, capture_output=True)
    assert (f"its log is {half.log}" in doctor.stdout) == failed


def test_a_cell_waits_and_can_be_interrupted(half, tmp_path):
    half.begin()
    manager = KernelManager()
    manager.kernel_spec.argv[:] = [str(BUILD / "bin/warpbook"), "kernel", "-f", "{connection_file}"]
    manager.start_kernel(env={**half.environment, "WARPBOOK_DEVICE": "soft"})
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=LIMIT_S)

        def outputs(request, until="idle"):
            while True:
                message = client.get_iopub_msg(timeout=LIMIT_S)
                if message["parent_header"].get("msg_id") == request:
                    yield message
                    if message["msg_type"] == until or message["content"].get("execution_state") == "idle":
                        return

        request = client.execute(NEEDS_SET)
        shown = [m["content"]["data"]["text/plain"] for m in outputs(request, "display_data") if "data" in m["content"]]
        assert shown == ["the kernel set is being built: 57 of 83; about 13 s"]
        manager.interrupt_kernel()
        assert client.get_shell_msg(timeout=LIMIT_S)["content"]["ename"] == "Interrupted"
        request = client.execute(NEEDS_SET + "launcher != nullptr")
        waits = outputs(request)
        assert any("57 of 83" in str(m["content"]) for m in waits)
        half.finish()
        said = [m for m in outputs(request) if m["msg_type"] == "update_display_data"]
        assert "the kernel set is built; waited" in said[-1]["content"]["data"]["text/plain"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


# ---- behind.sh ---------------------------------------------------------------------------------------


def start(tmp_path, make, total=3):
    """behind.sh start with a make of ours; the process that goes on holds the pipe until it ends."""
    stand_in = tmp_path / f"make{total}"
    stand_in.write_text(f"#!/bin/sh\n{make}\n")
    stand_in.chmod(0o755)
    environment = {**os.environ, "MAKE": str(stand_in), "JOBS": "2", "TOTAL": str(total)}
    process = subprocess.Popen(
        [BEHIND, "start", tmp_path / "build"], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    process.wait(timeout=LIMIT_S)  # it returns at once, as the notebook opens then
    return process


def test_a_second_make_waits_for_the_build_behind(tmp_path):
    marker, go = tmp_path / "build/share/warpbook/building", tmp_path / "go"
    began = start(tmp_path, f"echo '  [2/3] 1 s CC x.c'; until [ -e {go} ]; do sleep 0.1; done; rm {marker}")
    again = start(tmp_path, "echo never", total=7)
    assert "7 steps" not in again.stdout.read()
    while "[2/3]" not in (tmp_path / "build/behind.log").read_text():
        time.sleep(0.05)
    waiting = subprocess.Popen([BEHIND, "wait", tmp_path / "build"], text=True, stdout=subprocess.PIPE)
    assert "for the build behind JupyterLab: [2/3]" in waiting.stdout.readline()
    go.touch()
    assert waiting.wait(timeout=LIMIT_S) == 0 and not marker.exists()
    assert "failed" not in began.stdout.read()
    assert "never" not in (tmp_path / "build/behind.log").read_text()


def test_a_build_that_fails_behind_says_so_in_the_terminal(tmp_path):
    said = start(tmp_path, "echo 'x.cu(3): error: expected a ;'; exit 2").stdout.read()
    assert f"the build behind JupyterLab failed; the last lines of {tmp_path / 'build/behind.log'}" in said
    assert "x.cu(3): error" in said
    assert (tmp_path / "build/share/warpbook/building").exists()  # which pending.c and doctor read
