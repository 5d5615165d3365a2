#!/usr/bin/env python3
"""The notebooks in Chinese, made of the English ones and the texts in texts/.

    make.py           writes notebooks/zh/NAME.ipynb for every texts/NAME.md, and the pictures
    make.py --stamp   the same, and takes the texts to fit the English cells as they are now
    make.py --stale   lists the texts whose English cell has changed since, and cells without one

Code cells, what they must show (metadata) and their order are the English notebook's own; the kernel is the one that
speaks Chinese. A text stands below a line
"<!-- CELL SUM -->", SUM being of the English text it was written for; {{code}} is the English text's block of code. A cell
without a text stays in English. Pictures are the English ones with the words of texts/images.json.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNEL = {"name": "warpbook-zh", "display_name": "CUDA C++ (Warpbook, 中文)"}  # as jupyter_kernel/command.c has it
WORDS = re.compile(r">([^<>]*[A-Za-z]{2}[^<>]*|[ABCᵀ]+ [^<>]+)</(?:text|title)>")
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
            cell["source"] = text.replace("{{code}}", code.group() if code else "").splitlines(keepends=True)
    return notebook, stale


def pictures():
    """{name: (picture, the words that have no translation)}"""
    words, made = json.loads((HERE / "texts/images.json").read_text()), {}
    for path in sorted((HERE.parent / "images").glob("*.svg")):
        found = WORDS.findall(picture := path.read_text())
        for english in found:
            picture = picture.replace(f">{english}</", f">{words.get(english, english)}</")
        made[path.name] = picture, [text for text in found if text not in words]
    return made


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
    (HERE / "images").mkdir(exist_ok=True)
    for name, (picture, untranslated) in pictures().items():
        if "--stale" in sys.argv:
            print(f"images/{name}: {', '.join(untranslated) or 'none is untranslated'}")
        else:
            (HERE / "images" / name).write_text(picture)


if __name__ == "__main__":
    main()
