"""notebooks/zh has the English notebooks' code cells to the letter, and its texts belong to them."""

import importlib.util
import json
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ZH = ROOT / "notebooks/zh"
NAMES = sorted(path.stem for path in (ZH / "texts").glob("*.md"))


def make():
    spec = importlib.util.spec_from_file_location("zh_make", ZH / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cells(path, kind):
    return {c["id"]: "".join(c["source"]) for c in json.loads(path.read_text())["cells"] if c["cell_type"] == kind}


@pytest.mark.parametrize("name", NAMES)
def test_code_is_the_english_one_s(name):
    made, stale = make().translated(name)
    here = json.loads((ZH / f"{name}.ipynb").read_text())
    if stale and not os.environ.get("WARPBOOK_TEST_ALL"):
        pytest.skip(f"its English cells have changed: {', '.join(stale)}; translate them in texts/{name}.md, then make.py --stamp")
    assert not stale
    assert here == made, "notebooks/zh/make.py was not run"
    assert cells(ZH / f"{name}.ipynb", "code") == cells(ROOT / f"notebooks/{name}.ipynb", "code")


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_the_english_text_is_in_the_chinese(name):
    """Numbers of three digits and more are measured ones; both texts tell the same."""
    english, chinese = (cells(p, "markdown") for p in (ROOT / f"notebooks/{name}.ipynb", ZH / f"{name}.ipynb"))
    _, stale = make().translated(name)
    for cell, text in english.items():
        wanted = set(re.findall(r"\d[\d,]*\.?\d{2,}", text))
        if cell not in stale:
            assert wanted <= set(re.findall(r"\d[\d,]*\.?\d{2,}", chinese[cell])), cell


@pytest.mark.parametrize("name", NAMES)
def test_links_and_pictures_are_there(name):
    for text in cells(ZH / f"{name}.ipynb", "markdown").values():
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert target.startswith("http") or (ZH / target).exists(), target


def test_pictures_speak_chinese():
    for name, (picture, untranslated) in make().pictures().items():
        assert not untranslated, f"{name}: add them to notebooks/zh/texts/images.json"
        assert (ZH / "images" / name).read_text() == picture, "notebooks/zh/make.py was not run"
    words = json.loads((ZH / "texts/images.json").read_text())
    drawn = "".join(path.read_text() for path in (ROOT / "notebooks/images").glob("*.svg"))
    assert not [english for english in words if f">{english}</" not in drawn]
