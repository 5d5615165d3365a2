#!/usr/bin/env python3
"""Are two nodes of a Slurm twice as fast as one? A class is graded by one node, the other being drained, and then by both; prints
submissions a minute of each, and the ratio of the second to twice the first, which must be 0.85 at least.

    tests/grader/slurm_rate.py [N]        N submissions, 300 unless told: 22 minutes on two quiet cores. As root, with slurm-wlm and munge

Both nodes are on this machine, a core each: what else runs takes from the two and not from the one. So the share of the cores that others
used meanwhile is measured (all processes' CPU time less that of what was started here, but for a tenth of a second of each task), and a
result is given only where it is under 10 %.
Exit status 1: not fast enough; 2: no result, and why.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1])]
import slurm_here
from test_book import LAB, PATIENT, RIGHT, WARPBOOK

LEAST, OTHERS = 0.85, 0.10
TICK = os.sysconf("SC_CLK_TCK")


def busy():
    """CPU seconds that all processes had since the machine came up."""
    fields = [int(x) for x in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return (sum(fields[:8]) - fields[3] - fields[4]) / TICK


def tree(roots):
    """CPU seconds of these processes and all below them, those that they have waited for included."""
    below, total, left = slurm_here.children(), 0, list(roots)
    while left:
        pid = left.pop()
        left += below.get(pid, [])
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / TICK
    return total


def steps(nodes):
    return [pid for node in ("node1", "node2") for pid in slurm_here.steps_of(nodes.folder / f"spool.{node}")]


def here():
    """CPU seconds of this process and of those that it has waited for."""
    return sum(r.ru_utime + r.ru_stime for r in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


class Ours(threading.Thread):
    """CPU time of Slurm and its tasks: slurmstepd is nobody's child, so each is looked at until it ends."""

    def __init__(self, nodes):
        super().__init__(daemon=True)
        self.nodes, self.seen, self.ended = nodes, {}, threading.Event()

    def run(self):
        start = told = time.monotonic()
        while not self.ended.wait(0.2):
            for pid in steps(self.nodes):
                self.seen[pid] = max(self.seen.get(pid, 0), tree([pid]))
            if time.monotonic() - told >= 60:
                told = time.monotonic()
                print(f"  {told - start:.0f} s: {len(self.seen)} tasks begun", flush=True)

    def seconds(self):
        self.ended.set()
        self.join()
        return sum(self.seen.values())


def graded(nodes, files, book):
    """Seconds that it took, and the share of the cores that others had."""
    ours, start, before = Ours(nodes), time.monotonic(), busy()
    own, daemons = here(), tree(p.pid for p in nodes.processes.values())
    ours.start()
    command = [WARPBOOK, "grade", LAB, *files, "--book", book, "--slurm", *PATIENT]
    done = subprocess.run(command, env=nodes.env, capture_output=True, text=True)
    took, all_of_it = time.monotonic() - start, busy() - before
    mine = ours.seconds() + here() - own + tree(p.pid for p in nodes.processes.values()) - daemons
    if done.returncode != 0:
        sys.exit(f"graded with {done.returncode}: {done.stderr[-2000:]}")
    return took, max(0, all_of_it - mine) / (took * (os.cpu_count() or 1))


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    why = slurm_here.missing()
    if why:
        print(why)
        return 2
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        (folder / "slurm").mkdir()
        (folder / "in").mkdir()
        for i in range(n):
            (folder / f"in/s{i}.cu").write_text(f"{RIGHT}// {random.random()}\n")
        nodes, rates, others = slurm_here.Slurm(folder / "slurm"), [], 0
        try:
            for count in (1, 2):
                nodes.ask("scontrol", "update", "nodename=node2", *(["state=drain", "reason=alone"] if count == 1 else ["state=resume"]))
                took, share = graded(nodes, sorted((folder / "in").iterdir()), folder / f"class{count}.book")
                rates, others = [*rates, 60 * n / took], max(others, share)
                print(f"{n} submissions by {count} of 2 nodes: {took:.0f} s, {rates[-1]:.1f} a minute; "
                      f"others had {100 * share:.1f} % of the cores", flush=True)
        finally:
            nodes.end()
    ratio = rates[1] / (2 * rates[0])
    print(f"two nodes have {ratio:.2f} of twice one node's rate; {LEAST} is wanted")
    if others > OTHERS:
        print(f"no result: the machine was not quiet (others had {100 * others:.1f} %)")
        return 2
    return 0 if ratio >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
