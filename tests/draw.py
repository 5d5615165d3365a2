"""What a plain run draws, anew each time, from what takes long and tells little more. `make test ALL=1` has all of it, and so have
tests that are chosen by name; what the last commits touched comes before the rest. tests/README.md has the table.

Files of tests import it by name: tests/conftest.py, which is empty but for this, has pytest put this folder on the path."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALL = bool(os.environ.get("WARPBOOK_TEST_ALL"))  # make test ALL=1
NONE_DRAWN = ALL or bool(os.environ.get("K")) or any(w == "-k" or "::" in w for w in sys.argv)


def late(commits, folder=ROOT):
    """The files below a folder that the last commits touched, relative to it; none where there is no history."""
    command = ["git", "log", f"-{commits}", "--name-only", "--format=", "--relative", "--", "."]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout if shutil.which("git") else ""
    return set(said.splitlines())


def few(items, n, first=()):
    """n of the items, those of `first` before others; in the order that they had, all of them where nothing is drawn."""
    items = list(items)
    order = sorted(range(len(items)), key=lambda i: (items[i] not in first, random.random()))
    return items if NONE_DRAWN else [items[i] for i in sorted(order[:n])]


def share(items, parts, always=()):
    """Those of `always`, and of the others one of so many parts, rounded up; in the order that they had."""
    others = [item for item in items if item not in always]
    chosen = few(others, -(-len(others) // parts))
    return [item for item in items if item in always or item in chosen]
