#!/usr/bin/env python3
"""The kernel process beside ipykernel and xeus-python, by one ZeroMQ client in one run.

Start: from exec to the first kernel_info_reply; the client, in Python, is there, and asking, before the kernel is.

Round trips: from the request to the reply, and on to the idle status on IOPub. The client is round_trip.c, a DEALER and
a SUB of libzmq and nothing else, the same for all: a client in Python adds its interpreter's time to every term. It
sends the next request when it has the idle status of the one before, ten to one kernel and then ten to the next, so that
a busy machine disturbs all alike. Requests are signed before the clock starts and replies are checked after it stops.
Medians over six clients, one after the other, since where the scheduler has put their threads and the kernel's makes
half as much again and stays for as long as both live. "echo" is a kernel_info_request's frames to our heartbeat socket
and back. The same once more ("busy") with two processes beside it that only compute: then a trip either finds a core
free or waits for one or more slices of a busy process, milliseconds each, and a median would only say which happened
more often, so it is the mean that counts there.

"cells" is what 100 cells with nothing in them but a comment take through nbclient, a cell: the shortest of three runs.

Exit status 1 when a line is missed. What could be chosen otherwise and is the same for all: the Python client's
sockets try again 1 ms after a refused connection (ZeroMQ's default is 100 ms), so a start is the kernel's own time and
not the client's wait.
"""

import contextlib
import json
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import nbclient
import nbformat
from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpecManager

from figures import finish, line, options

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
from raw_client import BUILD, MOCK, REAL, Client, Kernel  # noqa: E402

STARTS, CLIENTS, ROUNDS, BATCH, CELLS = 5, 6, 8, 10, 100
WHAT = ("kernel_info", "execute")
# The lines to reach: milliseconds, MB, and shares of a peer's figure.
LIMITS = {"start_ms": 100, "resident_mb": 20}


def xpython_environment():
    """xpython runs the system's Python; where that lacks IPython it borrows ours."""
    has = subprocess.run(["/usr/bin/python3", "-c", "import IPython"], capture_output=True)
    return {} if has.returncode == 0 else {"PYTHONPATH": sysconfig.get_path("purelib")}


def peers(mock):
    found = [Peer("warpbook", [str(MOCK if mock else REAL), "kernel", "-f"], comment="//"),
             Peer("ipykernel", [sys.executable, "-m", "ipykernel_launcher", "-f"])]
    if xpython := shutil.which("xpython"):
        found.append(Peer("xeus-python", [xpython, "-f"], xpython_environment()))
    return found


class Trips:
    """round_trip.c's program at one kernel; times are milliseconds, to the reply and to idle."""

    def __init__(self, kernel):
        ports = [str(kernel.info[f"{name}_port"]) for name in ("shell", "iopub", "hb")]
        self.process = subprocess.Popen([BUILD / "tests" / "bench" / "round_trip", kernel.info["key"], *ports],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.times = {}

    def go(self, what, n):
        print(what, n, file=self.process.stdin, flush=True)
        lines = [self.process.stdout.readline() for _ in range(n)]
        if not all(lines):
            sys.exit(f"bench_kernel.py: {what} was not answered")
        self.times.setdefault(what, []).extend(tuple(float(t) / 1e3 for t in line.split()) for line in lines)

    def stop(self):
        self.process.stdin.close()
        self.process.wait(10)


class Peer:
    def __init__(self, name, argv, env=None, comment="#"):
        self.name, self.argv, self.env, self.comment = name, argv, env, comment
        self.starts = []

    def start(self):
        """Starts the kernel and times it up to its first answer; the client is there before it is."""
        began = time.perf_counter()
        self.kernel = Kernel(argv=self.argv, env=self.env)
        client = Client(self.kernel)
        msg_id = client.send(client.shell, "kernel_info_request")
        client.reply_to(client.shell, msg_id, 60)
        self.starts.append((time.perf_counter() - began) * 1e3)
        client.close()

    def stop(self):
        self.kernel.close()

    def resident_mb(self):
        status = Path(f"/proc/{self.kernel.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


def cells_ms(peer):
    """A cell's share of a run of CELLS cells through nbclient, the kernel's start left out."""
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "peer"
        spec.mkdir()
        (spec / "kernel.json").write_text(json.dumps({"argv": [*peer.argv, "{connection_file}"], "display_name": "",
                                                      "language": "", "env": peer.env or {}}))
        manager = KernelManager(kernel_name="peer", kernel_spec_manager=KernelSpecManager(kernel_dirs=[folder]))
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(peer.comment) for _ in range(CELLS)])
        client = nbclient.NotebookClient(book, km=manager)
        with client.setup_kernel():
            client.execute_cell(book.cells[0], 0)
            began = time.perf_counter()
            for i, cell in enumerate(book.cells):
                client.execute_cell(cell, i)
            took = (time.perf_counter() - began) * 1e3
        manager.shutdown_kernel(now=True)
        return took / CELLS


@contextlib.contextmanager
def busy(n):
    """n processes that do nothing but compute."""
    crowd = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for p in crowd:
            p.kill()
            p.wait()


def round_trips(all_peers, clients):
    """Round trips at every peer, in turn; times of each by what it was asked. The first peer's heartbeat is the
    echo. Clients are replaced: where the scheduler has put the threads of two processes stays while both live."""
    times = [{what: [] for what in (*WHAT, "echo")} for _ in all_peers]
    for _ in range(clients):
        trips = [Trips(p.kernel) for p in all_peers]
        for i in range(1 + ROUNDS):
            trips[0].go("echo", BATCH)
            for t in trips:
                for what in WHAT:
                    t.go(what, BATCH)
            if i == 0:  # warms up
                for t in trips:
                    t.times = {}
        for t, all_times in zip(trips, times):
            t.stop()
            for what, some in t.times.items():
                all_times[what] += some
    return times


def median(times, what, which=0):
    return statistics.median(t[which] for t in times[what])


def measure(mock):
    all_peers = peers(mock)
    for _ in range(STARTS - 1):
        for p in all_peers:
            p.start()
            p.stop()
    for p in all_peers:
        p.start()
    time.sleep(1)  # what kernels do in the background after their start
    alone = round_trips(all_peers, CLIENTS)
    with busy(2):
        beside = round_trips(all_peers, CLIENTS)
    cells = [min(several) for several in zip(*[[cells_ms(p) for p in all_peers] for _ in range(3)])]
    result = {}
    for p, idle, loaded, cell in zip(all_peers, alone, beside, cells):
        result[p.name] = {"start_ms": statistics.median(p.starts),
                          **{f"{what}_ms": median(idle, what) for what in WHAT},
                          **{f"{what}_idle_ms": median(idle, what, 1) for what in WHAT},
                          **{f"{what}_busy_ms": statistics.mean(t[0] for t in loaded[what]) for what in WHAT},
                          "cells_ms": cell, "resident_mb": p.resident_mb()}
        p.stop()
    result["warpbook"]["echo_ms"] = median(alone[0], "echo")
    return result


def verdicts(r):
    """The lines to reach."""
    own, lines = r["warpbook"], []
    lines.append(line("start to the first kernel_info_reply, ms", own["start_ms"], LIMITS["start_ms"]))
    lines.append(line("resident memory of the kernel, MB", own["resident_mb"], LIMITS["resident_mb"]))
    lines.append(line("start / ipykernel's", own["start_ms"] / r["ipykernel"]["start_ms"], 1 / 10))
    for peer, share in (("ipykernel", 1 / 5), ("xeus-python", 1)):
        for what in (f"{w}{how}_ms" for how in ("", "_busy") for w in WHAT):
            if peer in r:
                told = what[:-3].replace("_busy", ", two busy processes beside it,")
                lines.append(line(f"{told} / {peer}'s", own[what] / r[peer][what], share))
    lines.append(line("100 empty cells through nbclient / ipykernel's", own["cells_ms"] / r["ipykernel"]["cells_ms"], 1 / 2))
    return lines


def main():
    arguments = options(__doc__)
    arguments.add_argument("--mock", action="store_true", help="the kernel with the tests' mock session")
    arguments = arguments.parse_args()
    result = measure(arguments.mock)
    columns = list(result["warpbook"])
    print(f"{'':12}" + "".join(f"{c:>21}" for c in columns))
    for name, figures in result.items():
        print(f"{name:12}" + "".join(f"{figures[c]:21.3f}" if c in figures else " " * 21 for c in columns))
    if "xeus-python" not in result:
        print("\n  xpython is not on this machine, so nothing is said about its lines (Debian's package xpython)")
    finish(arguments.json, "the kernel process beside its peers",
           [{"kernel": name, **figures} for name, figures in result.items()], verdicts(result))


if __name__ == "__main__":
    main()
