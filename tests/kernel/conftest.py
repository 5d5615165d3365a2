"""The kernel with its compiler and worker; the client is that of tests/conformance."""

import sys
from pathlib import Path

import draw

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "conformance"))


def pytest_configure(config):
    config.addinivalue_line("markers", "some(group, n): of the tests of a group a plain run has n")


def pytest_collection_modifyitems(config, items):
    groups = {}
    for item in items:
        if mark := item.get_closest_marker("some"):
            groups.setdefault(mark.args, []).append(item)
    left_out = [item for (_, n), group in groups.items() for item in set(group) - set(draw.few(group, n))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
