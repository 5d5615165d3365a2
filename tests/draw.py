"""Picks the part of long test sets that a plain run executes: the same each time, so that a failing test is seen. `make test ALL=1` has
all of it, and so have tests that are chosen by name. tests/README.md has the table. What a test draws as its input comes from $SEED, which
tests/run.py prints.

Files of tests import it by name: tests/conftest.py has pytest put this folder on the path."""

import os
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALL = bool(os.environ.get("WARPBOOK_TEST_ALL"))  # make test ALL=1
WHOLE = ALL or bool(os.environ.get("K")) or any(w == "-k" or "::" in w for w in sys.argv)


def mixed(item):
    """A place for it among others that is the same each time and follows no order of theirs."""
    return zlib.crc32(getattr(item, "nodeid", str(item)).replace(str(ROOT), "").encode())


def few(items, n):
    """n of the items, in the order that they had; all of them in a whole run."""
    items = list(items)
    order = sorted(range(len(items)), key=lambda i: mixed(items[i]))
    return items if WHOLE else [items[i] for i in sorted(order[:n])]


def share(items, parts):
    """One of so many parts of them, rounded up."""
    return few(items, -(-len(items) // parts))
