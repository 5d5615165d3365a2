"""Notebooks of cells and the programs that print the same; what a folder of tests/cells holds of each."""

import random

import features

STEPS = 4
TOGETHER = 3


class Notebook:
    """Some features side by side: cell i holds step i of each."""

    def __init__(self, seed, together=TOGETHER):
        self.seed = seed
        rng = random.Random(seed)
        draw = features.Draw(rng)
        chosen = rng.sample(features.FEATURES, together)
        self.features = [f.__name__ for f in chosen]
        drawn = [f(draw) for f in chosen]
        self.cells = [[piece for steps in drawn for piece in steps[i]] for i in range(STEPS)]

    def texts(self):
        return ["\n".join(text for _, text in cell) + "\n" for cell in self.cells]

    def program(self, serial):
        """Its part of a program, in a namespace of its own; run_SERIAL() runs it."""
        place, body = [], []
        for i, cell in enumerate(self.cells):
            body.append(f'puts("#cell {i + 1}");')
            for kind, text in cell:
                if kind == "s":
                    body.append("{\n" + text + "\n}")
                elif not text.startswith("#include"):
                    place.append(text)
        lines = "\n".join(place)
        return f"namespace notebook_{serial} {{\n{lines}\nvoid run() {{\n" + "\n".join(body) + "\n}\n}\n"

    def includes(self):
        return [text for cell in self.cells for kind, text in cell if text.startswith("#include")]


def program(books):
    """One program of them all: nvcc reads headers once."""
    heads = sorted({line for book in books for line in book.includes()} | {"#include <cstdio>"})
    parts = [book.program(i) for i, book in enumerate(books)]
    calls = "".join(f'    puts("#notebook {i}");\n    notebook_{i}::run();\n' for i in range(len(books)))
    return "\n".join(heads) + "\n" + "".join(parts) + f"int main() {{\n{calls}}}\n"


def outputs(printed):
    """[[text of each cell] of each notebook]"""
    return [[cell.split("\n", 1)[1] for cell in book.split("#cell ")[1:]] for book in printed.split("#notebook ")[1:]]


def write(folder, texts, outputs):
    """The notebook as a case of tests/cells."""
    folder.mkdir(parents=True)
    for i, (text, printed) in enumerate(zip(texts, outputs), 1):
        (folder / f"{i}.cu").write_text(text)
        lines = "".join(f"out {line}\n" for line in printed.splitlines())
        (folder / f"{i}.want").write_text(f"exactly\n{lines}ok\n")
