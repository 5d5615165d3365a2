#!/usr/bin/env python3
"""A hunt for cells that do not what a program does: python3 tests/oracle/hunt.py SEED COUNT FOLDER

Draws COUNT notebooks (features.py), turns them into one program, which `warpbook run` compiles and runs, and each into a case of
tests/cells whose cells have to print just that; session_test runs those, in FOLDER, and says what differs. It takes a minute
of CPU for ten notebooks, and it is no part of the tests: of the classes of cells it finds, some are not right yet (README.md).
"""

import os
import pathlib
import subprocess
import sys

import notebooks

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()


def main():
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
    folder.mkdir(parents=True)
    books = [notebooks.Notebook(first + i) for i in range(count)]
    (folder / "all.cu").write_text(notebooks.program(books))
    ran = subprocess.run([BUILD / "bin/warpbook", "run", "--device", "soft", "all.cu"], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    for book, printed in zip(books, notebooks.outputs(ran.stdout)):
        notebooks.write(folder / "cells" / str(book.seed), book.texts(), printed)
        print(book.seed, *book.features)
    subprocess.run(["make", "-s", f"BUILD={BUILD}", str(BUILD / "tests/session_test")], cwd=ROOT, check=True)
    where = os.environ | {"WARPBOOK_CELLS": str(folder / "cells")}
    return subprocess.run([BUILD / "tests/session_test"], cwd=ROOT, env=where).returncode


if __name__ == "__main__":
    sys.exit(main())
