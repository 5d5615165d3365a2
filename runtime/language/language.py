#!/usr/bin/env python3
"""Brings zh_CN.po up to the texts that the sources mark.

    language.py update     collects the texts: a new one gets an empty translation
    language.py missing    lists the texts without a translation

xgettext collects what stands in _() and N_(), and one argument of a table's rows. It reads copies of the sources: in
these, a macro for a literal is that literal, and a lab's texts stand in N_().
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PO = ROOT / "runtime/language/po/zh_CN.po"
FOLDERS = ["runtime", "grader", "jupyter_kernel"]
KEYWORDS = ["_", "N_", "WB_OPTION:5", "MAGIC:5", "HINT:2", "WB_KIND:3"]
# A name for literals alone, as FLAGS_HELP: part of the text in which it stands.
NAMED = re.compile(r'^#define (\w+)((?:\s|\\\n|"(?:[^"\\\n]|\\.)*")+)$', re.M)
WIDTHS = {"PRId64": '"ld"', "PRIu64": '"lu"', "PRIx64": '"lx"'}


def run(*words, text=None):
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout


def expanded(source):
    """The source with each macro that is a literal replaced by it; as many lines."""
    named = WIDTHS | {name: " ".join(text.replace("\\\n", " ").split("\n")) for name, text in NAMED.findall(source) if '"' in text}
    return re.sub(rf"(?<!#define )\b(?:{'|'.join(named)})\b", lambda m: named[m.group()], source)


def texts_of_lab(value, key=""):
    """Returns a lab's texts for students: its title, the names of its tests and criteria, and advice."""
    if isinstance(value, dict):
        for k, v in value.items():
            if k in ("arguments", "values", "rival"):
                continue
            if k in ("title", "advice") or (k == "name" and key):
                yield v
            else:
                yield from texts_of_lab(v, k)
    elif isinstance(value, list):
        for v in value:
            yield from texts_of_lab(v, key)


def template():
    """The texts as a .po file without translations, in the order of the files; each has its first place."""
    sources = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*.[chi]*")) if p.suffix in (".c", ".h", ".inc")]
    with tempfile.TemporaryDirectory() as copies:
        names = []
        for path in sources + sorted((ROOT / "labs").glob("*/lab.json")):
            text = path.read_text()
            text = expanded(text) if path.suffix != ".json" else "".join(f"N_({json.dumps(t, ensure_ascii=False)})\n" for t in texts_of_lab(json.loads(text)))
            names.append(str(path.relative_to(ROOT)))
            copy = pathlib.Path(copies) / names[-1]
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text)
        pot = run("xgettext", "-LC", "-k", *(f"-k{word}" for word in KEYWORDS), "--from-code=UTF-8", "--no-wrap", "--add-location=file", "-D", copies,
                  "-f-", "-o-", text="\n".join(names))
    pot = re.sub(r"^(#: \S+).*\n(?:#: .*\n)*|\"POT-Creation.*\n", lambda m: m[1] + "\n" if m[1] else "", pot, flags=re.M)
    return "\n\n".join(e if re.search("%[^ ]", e) else e.replace("#, c-format\n", "") for e in pot.split("\n\n"))  # "95 % of"


def updated():
    """The catalogue with the texts of today's sources."""
    with tempfile.NamedTemporaryFile("w", suffix=".pot") as pot:
        pot.write(template())
        pot.flush()
        return run("msgattrib", "--no-obsolete", "--no-wrap", "-", text=run("msgmerge", "-qN", "--no-wrap", str(PO), pot.name, "-o-"))


def missing():
    return run("msgattrib", "--untranslated", "--no-wrap", "-", text=updated())


def main():
    call = sys.argv[1] if len(sys.argv) > 1 else ""
    if call == "update":
        PO.write_text(updated())
        print(run("msgfmt", "-o/dev/null", "--statistics", str(PO)), end="")
    elif call == "missing":
        print(missing(), end="")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
