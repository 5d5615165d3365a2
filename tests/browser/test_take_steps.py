"""One lab's steps by keys and clicks in JupyterLab, drawn with its language, theme and zoom: take_steps.py, without hints, grade and pictures, and with one program."""

import random
import shutil

import draw
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is missing: make setup")

import take_steps  # noqa: E402
from jupyterlab import find_chromium  # noqa: E402


@pytest.mark.skipif(not draw.WHOLE, reason="20 s of CPU: ALL=1")
def test_steps_are_taken_by_clicks(tmp_path):
    if not find_chromium():
        pytest.skip("no Chromium here: .venv/bin/playwright install --with-deps chromium brings one")
    language = random.choice(["en", "zh"] if shutil.which("msgfmt") else ["en"])
    lab = random.choice(take_steps.LABS)
    assert not take_steps.take_all([(lab, language, random.choice(["light", "dark"]), random.choice([100, 200]), True)], tmp_path)
