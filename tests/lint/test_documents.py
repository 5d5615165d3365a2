"""The documents: every relative link and anchor of every .md file and of every notebook's text resolves. README.md stays short and quotes
the figures of the pages that it names. The functions that ARCHITECTURE.md names exist."""

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["runtime", "jupyter_kernel", "grader", "kernels", "labs", "notebooks", "tests"]
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")


def documents(suffix):
    return sorted([*ROOT.glob(f"*{suffix}"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob(f"*{suffix}"))])


def prose(text):
    """The text without its code, in which brackets mean something else."""
    text = re.sub(r"^ *(```|~~~).*?^ *\1", "", text, flags=re.M | re.S)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text, flags=re.S)


def anchors(text):
    """The anchors that GitHub makes of the headings."""
    found = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#* *$", re.sub(r"^ *(```|~~~).*?^ *\1", "", text, flags=re.M | re.S), re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(next(n for n in (name, *(f"{name}-{i}" for i in range(1, 99))) if n not in found))
    return found


def text_of(path):
    if path.suffix != ".ipynb":
        return path.read_text()
    return "\n\n".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "markdown")


def broken(path, text, base):
    """The links of a document in the folder base that lead nowhere."""
    bad = []
    for link in LINK.findall(prose(text)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = unquote(link).partition("#")
        target = (base / file) if file else path
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target.read_text())):
            bad.append(link)
    return bad


def test_links_lead_somewhere():
    bad = {}
    paths = documents(".md") + documents(".ipynb")
    for path in paths:
        base = path.parents[1] if path.parent == ROOT / "notebooks/zh/texts" else path.parent  # make.py puts these one folder up
        if found := broken(path, text_of(path), base):
            bad[str(path.relative_to(ROOT))] = found
    assert len(paths) > 100 and not bad, f"links that lead nowhere: {bad}"


@pytest.mark.parametrize("text,bad", [
    ("# A `b`: c, d\n[1](#a-b-c-d) [2](#a-b)", ["#a-b"]),
    ("# A\n# A\n[1](#a-1) [2](#a-2)", ["#a-2"]),
    ("[1](there.md#one) [2](there.md#two) [3](gone.md) [4](https://nowhere.invalid/x)", ["there.md#two", "gone.md"]),
    ("`[](int x)` and\n```\n[1](gone.md)\n```\n![2](gone.png)", ["gone.png"])])
def test_a_broken_link_is_found(tmp_path, text, bad):
    (tmp_path / "there.md").write_text("## One\n```\n# Two\n```\n")
    (tmp_path / "here.md").write_text(text)
    assert broken(tmp_path / "here.md", text, tmp_path) == bad


def test_the_readme_is_short_and_quotes_figures_that_stand_elsewhere():
    text = (ROOT / "README.md").read_text()
    assert text.count("\n") <= 150
    rows = [row.split("|")[2:5] for row in text.split("\n## Measured\n")[1].split("\n## ")[0].splitlines() if "](" in row]
    assert 1 <= len(rows) <= 5
    for ours, theirs, link in rows:
        page = (ROOT / LINK.search(link)[1].partition("#")[0]).read_text()
        for figure in re.findall(r"\d[\d.,]*", re.sub(r"-O\d", "", ours + theirs)):
            assert re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.])", page), f"{figure} does not stand in the page of its row"


def test_the_flows_name_functions_that_exist():
    sources = "\n".join(p.read_text() for folder in ("runtime", "jupyter_kernel", "grader") for p in (ROOT / folder).rglob("*.c"))
    flows = (ROOT / "ARCHITECTURE.md").read_text().split("\n## The four flows\n")[1]
    names = set(re.findall(r"`([a-z]\w+)`", flows)) - {"warpbook", "work"}
    assert len(names) > 60
    assert not [name for name in names if not re.search(rf"^\w.*\b{name}\(", sources, re.M)]
