"""Runs notebooks that are drawn as cases of tests/cells, in a cache of their own."""

import os
import pathlib
import random
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
EVERYTHING = bool(os.environ.get("ALL"))
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 30))


def run(folder, notebooks, **settings):
    """`notebooks`: {name: one with a method write(folder)}."""
    subprocess.run(["make", "-s", f"BUILD={BUILD}", str(BUILD / "tests/session_test")], cwd=ROOT, check=True)
    for name, notebook in notebooks.items():
        notebook.write(folder / "cells" / name)
    where = os.environ | {"WARPBOOK_CELLS": str(folder / "cells"), "XDG_CACHE_HOME": str(folder / "cache")} | settings
    ran = subprocess.run([BUILD / "tests/session_test"], cwd=ROOT, env=where, capture_output=True, text=True)
    assert ran.returncode == 0, f"SEED={SEED}\n" + (ran.stdout + ran.stderr)[-6000:]
