#!/usr/bin/env python3
"""The notebooks in Chinese, made of the English ones and the texts in texts/.

    make.py           writes notebooks/zh/NAME.ipynb for every texts/NAME.md
    make.py --stamp   the same, and takes the texts to fit the English cells as they are now
    make.py --stale   lists the texts whose English cell has changed since, and cells without one

Code cells, what they must show (metadata) and their order are the English notebook's own; the kernel is the one that
speaks Chinese. A text stands below a line
"<!-- CELL SUM -->", SUM being of the English text it was written for; {{code}} is the English text's block of code. A cell
without a text stays in English.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNEL = {"name": "warpbook-zh", "display_name": "CUDA C++ (Warpbook, 中文)"}  # as jupyter_kernel/command.c has it
HEAD = re.compile(r"^<!-- (\S+) (\S+) -->\n", re.M)


def sum_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def read(path):
    """{cell: (sum, text)}"""
    parts = HEAD.split(path.read_text())[1:]
    return {parts[i]: (parts[i + 1], parts[i + 2].strip()) for i in range(0, len(parts), 3)}


def english(name):
    return json.loads((HERE.parent / f"{name}.ipynb").read_text())


def translated(name):
    """The notebook, and the cells whose text is missing or was written for another English one."""
    notebook, texts, stale = english(name), read(HERE / f"texts/{name}.md"), []
    notebook["metadata"]["kernelspec"] |= KERNEL
    for cell in notebook["cells"]:
        if cell["cell_type"] != "markdown":
            continue
        source = "".join(cell["source"])
        total, text = texts.get(cell["id"], ("", ""))
        if not text or total != sum_of(source):
            stale.append(cell["id"])
        if text:
            code = re.search(r"```.*?```", source, re.S)
            text = text.replace("{{code}}", code.group() if code else "").replace("](images/", "](../images/")
            cell["source"] = text.splitlines(keepends=True)
        else:
            cell["source"] = source.replace("](images/", "](../images/").splitlines(keepends=True)
    return notebook, stale


def stamp(name):
    sources = {cell["id"]: "".join(cell["source"]) for cell in english(name)["cells"]}
    texts = read(HERE / f"texts/{name}.md")
    parts = [f"<!-- {cell} {sum_of(sources[cell])} -->\n{text}\n" for cell, (_, text) in texts.items() if cell in sources]
    (HERE / f"texts/{name}.md").write_text("\n".join(parts))


def names():
    return sorted(path.stem for path in (HERE / "texts").glob("*.md"))


def main():
    for name in names():
        if "--stamp" in sys.argv:
            stamp(name)
        notebook, stale = translated(name)
        if "--stale" in sys.argv:
            print(f"{name}: {', '.join(stale) or 'none is stale'}")
        else:
            (HERE / f"{name}.ipynb").write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
