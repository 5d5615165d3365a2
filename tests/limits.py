"""Limits of the tests' programs: CPU time, which is the same on a busy machine as on a quiet one, and
waiting, as long as something below it computes now and then."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

# A program that has used less than a hundredth of a core for so long, with all it started, waits for what never comes. No
# test sleeps as long, and what only waits for its turn on a busy machine gets more.
QUIET_S = float(os.environ.get("QUIET_S", 300))
QUIET_SHARE = 0.01
# Limit for a program that polls without end. With ALL=1 the longest files need more than half
# an hour beside eight others.
WALL_S = 3600 if os.environ.get("ALL") else 1800
# The number of processes whose stacks are read before a waiting program ends, and the seconds for each.
ASKED, ASKED_S = 30, 30
FRAMES = 25


def tree_of(root):
    """{pid: seconds of CPU time} of a process and its descendants, each with the children it has waited for."""
    children, seconds = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:  # it ended meanwhile
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
            seconds[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    family = [root]
    for pid in family:  # grows while it is walked
        family += children.get(pid, [])
    return {pid: seconds.get(pid, 0.0) for pid in family}


def over_limit(pid, limit):
    """Waits for a child to end, without reaping it. None, or a sentence: the limit that it is over."""
    start, ended = time.monotonic(), select.poll()
    busy_at, busy_used = start, 0.0  # when it last had used a little more
    with open(os.pidfd_open(pid)) as descriptor:
        ended.register(descriptor, select.POLLIN)
        while not ended.poll(min(2000, QUIET_S * 100)):
            used, now = sum(tree_of(pid).values()), time.monotonic()
            if used > limit:
                return f"took more than {limit} s of CPU time"
            if now - start > WALL_S:
                return f"was still running after {WALL_S} s"
            if abs(used - busy_used) > QUIET_S * QUIET_SHARE:  # less: a process left the tree with its time
                busy_at, busy_used = now, used
            if now - busy_at > QUIET_S:
                return f"used no CPU time for {QUIET_S:.0f} s"
    return None


def by_debugger(pid):
    """The stack of each thread, as gdb tells it; "" where there is no gdb, or where it may not look."""
    if not shutil.which("gdb"):
        return ""
    command = ["gdb", "-nx", "-q", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off"]
    command += ["-p", str(pid), "-ex", f"thread apply all bt {FRAMES}"]
    with contextlib.suppress(subprocess.SubprocessError, OSError):
        told = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=ASKED_S).stdout
        return told[told.index("\nThread "):].strip() if "\nThread " in told else ""
    return ""


def by_system(pid):
    """Returns what each thread sleeps in, and the calls that led there if they may be read."""
    told = []
    for task in sorted(Path(f"/proc/{pid}/task").glob("*")):
        said = []
        for name in ("comm", "wchan", "syscall", "stack"):
            with contextlib.suppress(OSError):
                said.append(f"{name} {(task / name).read_text(errors='replace').strip()}")
        told.append(f"thread {task.name}: " + "; ".join(said))
    return "\n".join(told)


def waits_in(pids):
    """Returns what the threads of some processes wait in, parents first, because the end of a log is shown."""
    told = []
    for pid in pids[:ASKED]:
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            told.append(f"--- process {pid}: {words[:200]}\n{by_debugger(pid) or by_system(pid)}\n")
    return "".join(told)


def run_limited(outcome, command, limit, folder, environment=None):
    """Runs a command in a session of its own: its output into the outcome's log, its CPU time into the outcome.
    Returns its exit status, or None when a limit ended it, which the outcome then counts as a failure. Nothing it
    started outlives it."""
    outcome.log.parent.mkdir(parents=True, exist_ok=True)
    with open(outcome.log, "ab") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment or os.environ,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        over = "was interrupted"
        try:
            over = over_limit(process.pid, limit)
            if over:
                out.write(f"\nended, as it {over}; where it was:\n{waits_in(list(tree_of(process.pid)))}".encode())
        finally:
            for pid in tree_of(process.pid) if over else ():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            outcome.cpu += usage.ru_utime + usage.ru_stime
    if over:
        outcome.fail(over)
    return None if over else process.returncode
