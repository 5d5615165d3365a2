"""The table of what a definition anew reaches (table.py). A plain run has a share of it that a seed chooses, ALL=1 all."""

import random

import table
from cases import EVERYTHING, ROOT, SEED, run

AT_ONCE = 6  # things in one notebook: the compiler reads the headers once for all of them


def test_no_entry_of_the_table_is_silent(tmp_path):
    print(f"SEED={SEED}")
    rng = random.Random(SEED)
    notebooks = {}
    for place in table.PLACES if EVERYTHING else [rng.choice(table.PLACES)]:
        things = rng.sample(list(table.THINGS), len(table.THINGS) if EVERYTHING else AT_ONCE)
        alone = [[thing] for thing in things if thing == table.ALONE]
        things = [thing for thing in things if thing != table.ALONE]
        for batch in alone + [things[i:i + AT_ONCE] for i in range(0, len(things), AT_ONCE)]:
            notebooks[f"{table.PLACES.index(place)} {batch[0]}"] = table.Notebook(batch, place)
    run(tmp_path, notebooks)


def test_the_readme_has_the_table():
    assert table.markdown() in (ROOT / "runtime/cells/redefine/README.md").read_text()
