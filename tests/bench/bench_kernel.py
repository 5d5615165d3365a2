#!/usr/bin/env python3
"""The kernel process beside ipykernel and xeus-python, by one ZeroMQ client in one run.

Start: from exec to the first kernel_info_reply. Round trips: from the request to the reply and on to the
idle status on IOPub, a request at a time, ten to one kernel and then ten to the next, so that a busy
machine disturbs all alike. Medians. "echo" is the same frames to our heartbeat socket and back, through
libzmq at both ends. Exit status 1 when a line is missed.

What is the same for all, and could be chosen otherwise: requests are signed before the clock starts and
replies are checked after it stops, so the client's Python is not part of the figure; the client's sockets
try again 1 ms after a refused connection (ZeroMQ's default is 100 ms), so a start is the kernel's own time
and not the client's wait; the client is there, and asking, before the kernel is.
"""

import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import zmq
from figures import finish, line, options

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
from raw_client import MOCK, REAL, Client, Kernel  # noqa: E402

STARTS, ROUNDS, BATCH = 5, 40, 10
# The lines to reach: milliseconds, MB, and shares of a peer's figure.
LIMITS = {"start_ms": 100, "resident_mb": 20}


def xpython_environment():
    """xpython runs the system's Python; where that lacks IPython it borrows ours."""
    has = subprocess.run(["/usr/bin/python3", "-c", "import IPython"], capture_output=True)
    return {} if has.returncode == 0 else {"PYTHONPATH": sysconfig.get_path("purelib")}


def peers(mock):
    found = [Peer("warpbook", [str(MOCK if mock else REAL), "kernel", "-f"]),
             Peer("ipykernel", [sys.executable, "-m", "ipykernel_launcher", "-f"])]
    if xpython := shutil.which("xpython"):
        found.append(Peer("xeus-python", [xpython, "-f"], xpython_environment()))
    return found


class Peer:
    def __init__(self, name, argv, env=None):
        self.name, self.argv, self.env = name, argv, env
        self.starts, self.times = [], {"kernel_info": [], "execute": []}

    def start(self):
        """Starts the kernel and times it up to its first answer; the client is there before it is."""
        began = time.perf_counter()
        self.kernel = Kernel(argv=self.argv, env=self.env)
        self.client = Client(self.kernel)
        msg_id = self.client.send(self.client.shell, "kernel_info_request")
        self.client.reply_to(self.client.shell, msg_id, 60)
        self.starts.append((time.perf_counter() - began) * 1e3)

    def stop(self):
        self.client.close()
        self.kernel.close()

    def trip(self, what):
        c = self.client
        kind, content = {"kernel_info": ("kernel_info_request", {}), "execute": (
            "execute_request", {"code": "", "silent": False, "store_history": True,
                                "user_expressions": {}, "allow_stdin": False})}[what]
        msg_id, frames = c.frames(kind, content)  # signed before the clock starts
        began = time.perf_counter()
        c.shell.send_multipart(frames)
        reply = c.shell.recv_multipart()
        replied = time.perf_counter()
        assert msg_id.encode() in reply[-3], "the reply to something else"
        c.outputs_of(msg_id)
        self.times[what].append(((replied - began) * 1e3, (time.perf_counter() - began) * 1e3))

    def echo(self):
        """The frames of a kernel_info_request, to the heartbeat socket and back."""
        c = self.client
        if not hasattr(self, "mirror"):
            self.mirror = c._socket(zmq.DEALER, "hb_port", None)
        _, frames = c.frames("kernel_info_request", {})
        began = time.perf_counter()
        self.mirror.send_multipart(frames)
        self.mirror.recv_multipart()
        return (time.perf_counter() - began) * 1e3

    def resident_mb(self):
        status = Path(f"/proc/{self.kernel.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def figures(self):
        reply = {w: statistics.median(t[0] for t in ts) for w, ts in self.times.items()}
        idle = {w: statistics.median(t[1] for t in ts) for w, ts in self.times.items()}
        return {"start_ms": statistics.median(self.starts), "kernel_info_ms": reply["kernel_info"],
                "execute_ms": reply["execute"], "kernel_info_idle_ms": idle["kernel_info"],
                "execute_idle_ms": idle["execute"], "resident_mb": self.resident_mb()}


def measure(mock):
    all_peers = peers(mock)
    for _ in range(STARTS - 1):
        for p in all_peers:
            p.start()
            p.stop()
    for p in all_peers:
        p.start()
    time.sleep(1)  # what kernels do in the background after their start
    echoes = []
    for i in range(ROUNDS):
        echoes += [all_peers[0].echo() for _ in range(BATCH)]
        for p in all_peers:
            for what in ("kernel_info", "execute"):
                for _ in range(BATCH):
                    p.trip(what)
        if i == ROUNDS // 10:  # the first ones warm up
            for p in all_peers:
                p.times = {what: [] for what in p.times}
    result = {p.name: p.figures() for p in all_peers}
    result["warpbook"]["echo_ms"] = statistics.median(echoes)
    for p in all_peers:
        p.stop()
    return result


def verdicts(r):
    """The lines to reach."""
    own, lines = r["warpbook"], []
    lines.append(line("start to the first kernel_info_reply, ms", own["start_ms"], LIMITS["start_ms"]))
    lines.append(line("resident memory of the kernel, MB", own["resident_mb"], LIMITS["resident_mb"]))
    lines.append(line("start / ipykernel's", own["start_ms"] / r["ipykernel"]["start_ms"], 1 / 10))
    for peer, share in (("ipykernel", 1 / 5), ("xeus-python", 1 / 2)):
        for what in ("kernel_info_ms", "execute_ms"):
            if peer in r:
                lines.append(line(f"{what[:-3]} / {peer}'s", own[what] / r[peer][what], share))
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
