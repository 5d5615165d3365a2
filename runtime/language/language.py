#!/usr/bin/env python3
"""Finds the texts to translate, and updates the catalogues of runtime/language/po.

    language.py pot FILE   writes the template: every text in the sources that is looked up
    language.py update     brings zh_CN.po up to the sources: new texts without a translation at its end
    language.py missing    lists what has no translation

A text is what stands where one of FORMATS takes its format, in wb_tr() or WB_N(), or as the .summary, .help, .measures
or .question of a table. Formats alone ("%s: %s"), and what is written for machines, are no texts.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PO = ROOT / "runtime/language/po/zh_CN.po"
FOLDERS = ["runtime", "grader", "jupyter_kernel"]
# Written for a compiler or a shell, not for people.
MACHINES = ["runtime/softgpu/exec/", "runtime/compare/program/", "runtime/device/probe.c", "runtime/compile/direct/prelude/",
            "grader/stages/library.c", "runtime/measure/table.c", "runtime/canvas/"]
# The index of the text argument, from 0. LOCAL: functions of one file only.
FORMATS = {
    "wb_tr": 0, "REFUSED": (2, 3), "softgpu_tr": 0, "WB_N": 0, "WB_OPTION": 4, "MAGIC": 4, "HINT": 1, "wb_fail": 2, "wb_buf_printf": 1, "wb_format": 0, "wb_table_cell": 1,
    "wb_table_column": 1, "report_add": (1, 2, 5), "wb_cli_usage": 1, "execution_printf": 1, "execution_fail": 2, "execution_explain": 1,
    "magics_misuse": 1, "gr_work_fail": 2, "gr_task_fail": 2, "wb_finding_add": 2, "WB_KIND": 2, "gr_reader_fail": 2, "fix": 1, "wb_json_fail": 3,
    "lower_refuse": 1, "ptx_fail": 1, "rt_fail": 2, "RT_FAIL": 1, "rt_refuse_as": 2, "explain": 1, "blas_fail": 2, "sg_fault_raise": 5,
    "plan_stop": 2, "BLAS_INVALID": 0, "begin": 3, "add_line": 1, "draw_textf": 5, "draw_key": 4, "draw_card": 5, "lacks": 0,
}
LOCAL = {
    "grader/author/cmd.c": {"fail": 1}, "grader/book/class.c": {"refuse": 0}, "grader/book/handed.c": {"refuse": 1},
    "grader/keep.c": {"tell": 0}, "grader/lab/expr.c": {"fail": 1}, "grader/rival.c": {"fail": 3},
    "jupyter_kernel/magics/draw_map.c": {"fails": 1}, "jupyter_kernel/steps/lesson_check.c": {"fail": 2}, "jupyter_kernel/steps/lesson_tongue.c": {"fail": 2},
    "jupyter_kernel/server/dispatch.c": {"refuse": 2}, "runtime/compare/modelled.c": {"refuse": 1},
    "runtime/model/gpu.c": {"fail": 2}, "runtime/softgpu/cudart/fatbin.c": {"fail": 1},
}
FIELDS = re.compile(r"\.(?:summary|help)\s*=\s*(?=\")")
# A name for literals only, such as FLAGS_HELP: part of the text around it.
NAMED = re.compile(r'^#define (\w+)((?:\s|\\\n|"(?:[^"\\\n]|\\.)*")+)$', re.M)
WORD = re.compile(r"\b[A-Za-z_]\w*")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CHARACTER = re.compile(r"'(?:[^'\\]|\\.)+'")
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|/\*.*?\*/|//[^\n]*', re.S)
WIDTHS = {"PRId64": "ld", "PRIu64": "lu", "PRIx64": "lx", "PRId32": "d", "PRIu32": "u", "PRIx32": "x"}
SPEC = re.compile(r"%(?:\d+\$)?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:hh|h|ll|l|z|j|t|L)?[a-zA-Z%]")


def arguments(source, at):
    """Returns (begin, end) of each argument of the call whose "(" is before `at`."""
    found, depth, begin = [], 0, at
    while at < len(source):
        token = TOKEN.match(source, at)
        if token:
            at = token.end()
            continue
        c = source[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return [*found, (begin, at)]
            depth -= 1
        elif c == "," and depth == 0:
            found.append((begin, at))
            begin = at + 1
        at += 1
    return []


def named_literals(source):
    """Returns {a macro's name: its text}."""
    return {m.group(1): "".join(LITERAL.findall(m.group(2))) for m in NAMED.finditer(source) if '"' in m.group(2)}


def literals(source, begin, end):
    """The texts of an expression: literals side by side are one, those of both branches of a ?: are two."""
    found, text, at = [], None, begin
    named = named_literals(source)
    while at < end:
        token = TOKEN.match(source, at)
        if token and token.group().startswith('"'):
            text = (text or "") + token.group()[1:-1]
            at = token.end()
        elif token:
            at = token.end()
        elif source[at].isspace():
            at += 1
        elif text is not None and (word := re.compile(r"PRI[diuxX]\d\d").match(source, at)):
            text += WIDTHS[word.group()]
            at = word.end()
        elif (word := WORD.match(source, at)) and word.group() in named:
            text = (text or "") + named[word.group()]
            at = word.end()
        elif source[at] == "(":  # another call's
            if text is not None:
                found.append(text)
                text = None
            parts = arguments(source, at + 1)
            name = re.search(r"(\w+)$", source[begin:at])
            if not name:
                for one in parts:
                    found += literals(source, *one)
            at = parts[-1][1] + 1 if parts else end
        else:
            if text is not None:
                found.append(text)
            text = None
            at += 1
    return found + ([text] if text is not None else [])


def plain(text):
    """Undoes C's escapes."""
    return (text.encode().decode("unicode_escape").encode("latin-1").decode()) if "\\" in text else text


def is_words(text):
    """Returns True if the text is for people."""
    rest = re.sub(r"<[^<>]*>|&\w+;|\\n", " ", SPEC.sub(" ", text))
    if re.match(r"\s*-{1,2}[a-z]", text) and not re.search(r" [a-z]+ [a-z]", text):  # an option alone
        return False
    if re.match(r"\s*(#|\{\"?|/|\.\w+\b|extern\b|static\b|cell_)", text) or "/%s" in text or "%s/" in text or "=%s" in text:
        return False
    return bool(re.search(r"[A-Za-z]{2,}", rest)) and not re.fullmatch(r"\W*(px|em|ms|us|ns|GB|MB|kB|GiB|MiB|s)\W*", rest)


def texts_of(path):
    source = (ROOT / path).read_text()
    for call in re.finditer(r"\b(\w+)\(", source):
        which = LOCAL.get(path, {}).get(call.group(1), FORMATS.get(call.group(1)))
        if which is None:
            continue
        parts = arguments(source, call.end())
        line = source.count("\n", 0, call.start()) + 1
        sure = call.group(1) in ("wb_tr", "softgpu_tr", "WB_N", "WB_OPTION", "MAGIC", "HINT", "REFUSED", "wb_table_column")
        for index in which if isinstance(which, tuple) else (which,):
            for text in literals(source, *parts[index]) if index < len(parts) else []:
                if is_words(text) or (sure and re.search("[A-Za-z]|, ", text)):
                    yield plain(text), f"{line}=" if call.group(1) in ("WB_N", "WB_OPTION", "MAGIC", "HINT", "REFUSED") else line
    for field in FIELDS.finditer(source):
        parts = arguments(source, field.end())
        for text in literals(source, *parts[0]) if parts else []:
            yield plain(text), f"{source.count(chr(10), 0, field.start()) + 1}="


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


def texts():
    """Returns {text: [file:line, ...]}, in the order of the files. "=" follows the line of a text that is no format."""
    found = {}
    for folder in FOLDERS:
        for path in sorted(p for name in ("*.c", "refused.inc", "kinds.inc") for p in (ROOT / folder).rglob(name)):
            name = str(path.relative_to(ROOT))
            if not any(name.startswith(one) for one in MACHINES):
                for text, line in texts_of(name):
                    found.setdefault(text, []).append(f"{name}:{line}")
    for path in sorted((ROOT / "labs").glob("*/lab.json")):
        for text in texts_of_lab(json.loads(path.read_text())):
            found.setdefault(text, []).append(f"{path.relative_to(ROOT)}:1=")
    skipped = set(not_texts())
    return {text: where for text, where in found.items() if text not in skipped}


def not_texts():
    """Returns the literals that only look like texts, from po/not_texts.txt: one a line, in C's form."""
    path = ROOT / "runtime/language/po/not_texts.txt"
    return [plain(line) for line in path.read_text().splitlines() if line and not line.startswith("// ")]


# ---- catalogues ---------------------------------------------------------------------------------


def quoted(text):
    """Returns the text in a .po file's form, one line for each line of the text."""
    parts = [p.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
             .replace("\033", "\\033") for p in text.splitlines(keepends=True)] or [""]
    return f'"{parts[0]}"' if len(parts) == 1 else '""\n' + "\n".join(f'"{p}"' for p in parts)


def entry(text, translation, where):
    flag = "#, c-format\n" if re.search(r"%[^ ]", text) and not where[0].endswith("=") else ""
    place = where[0].rsplit(":", 1)[0] if where else ""
    return f"#: {place}\n{flag}msgid {quoted(text)}\nmsgstr {quoted(translation)}\n"


def read(path=PO):
    """Returns ({text: translation}, the head)."""
    found, field, current = {}, None, {"msgid": "", "msgstr": ""}
    for line in path.read_text().splitlines() + ["msgid \"\""]:
        word, _, rest = line.partition(" ")
        if word in ("msgid", "msgstr"):
            if word == "msgid" and field:
                found[current["msgid"]] = current["msgstr"]
                current = {"msgid": "", "msgstr": ""}
            field, line = word, rest
        if line.startswith('"') and field:
            current[field] += plain(line[1:-1])
    return found


def write(translations, sources, path=PO):
    head = translations[""]
    entries = [entry(text, translations.get(text, ""), where) for text, where in sources.items()]
    path.write_text(f'msgid ""\nmsgstr {quoted(head)}\n\n' + "\n".join(entries))


def main():
    call = sys.argv[1] if len(sys.argv) > 1 else ""
    sources = texts()
    known = read()
    if call == "pot":
        write({"": known[""]}, sources, pathlib.Path(sys.argv[2]))
    elif call == "update":
        write(known, sources)
        print(f"{PO.name}: {sum(bool(known.get(t)) for t in sources)} of {len(sources)} texts are translated")
    elif call == "missing":
        for text, where in sources.items():
            if not known.get(text):
                print(f"{where[0]}: {text!r}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
