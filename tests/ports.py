"""Ports for servers of the tests, of which many run side by side, in several checkouts too.

A port that the system calls free is anybody's again until a server has it, and on a busy machine that takes seconds, in which each
client that connects is given a port of the same range. These lie below that range, and a lock keeps each for the process that took it.
"""

import fcntl
import random
import socket
import tempfile
from pathlib import Path

FIRST, LAST = 20000, 30000  # where Linux gives connections their ports begins at 32768
FOLDER = Path(tempfile.gettempdir()) / "warpbook-test-ports"
taken = []  # open while this process lives, and so locked


def is_free(port):
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def take(port):
    """Whether it is this process's from now on."""
    lock = open(FOLDER / str(port), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return False
    if not is_free(port):
        lock.close()
        return False
    taken.append(lock)
    return True


def free_ports(n):
    FOLDER.mkdir(exist_ok=True)
    found = []
    while len(found) < n:
        port = random.randrange(FIRST, LAST)
        if take(port):
            found.append(port)
    return found
