"""Notebooks with redefinitions, drawn anew at each run, against a model in Python (redefined.py). ALL=1: more."""

import redefined
from cases import EVERYTHING, SEED, run

# Notebooks and cells; a cell takes a second of nvcc's.
SIZE = (20, 10) if EVERYTHING else (1, 7)


def test_the_newest_definition_is_what_all_code_uses(tmp_path):
    print(f"SEED={SEED}")
    count, cells = SIZE
    run(tmp_path, {str(SEED + i): redefined.Notebook(SEED + i, cells, device=i % 2 == 0) for i in range(count)})
