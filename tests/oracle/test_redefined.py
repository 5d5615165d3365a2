"""Notebooks with redefinitions, drawn anew at each run, against a model in Python (redefined.py). ALL=1: more."""

import os
import pathlib
import random
import subprocess

import redefined

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
EVERYTHING = bool(os.environ.get("ALL"))
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 30))
# Notebooks and cells; a cell takes a second of nvcc's.
SIZE = (20, 10) if EVERYTHING else (1, 7)


def run(folder, notebooks, **settings):
    subprocess.run(["make", "-s", f"BUILD={BUILD}", str(BUILD / "tests/session_test")], cwd=ROOT, check=True)
    for notebook in notebooks:
        notebook.write(folder / "cells" / str(notebook.seed))
    where = os.environ | {"WARPBOOK_CELLS": str(folder / "cells"), "XDG_CACHE_HOME": str(folder / "cache")} | settings
    ran = subprocess.run([BUILD / "tests/session_test"], cwd=ROOT, env=where, capture_output=True, text=True)
    assert ran.returncode == 0, f"SEED={SEED}\n" + (ran.stdout + ran.stderr)[-6000:]


def test_the_newest_definition_is_what_all_code_uses(tmp_path):
    print(f"SEED={SEED}")
    count, cells = SIZE
    run(tmp_path, [redefined.Notebook(SEED + i, cells, device=i % 2 == 0) for i in range(count)])
