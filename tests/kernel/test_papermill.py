"""papermill's parameters as C++ (jupyter_kernel/papermill): what is written compiles, and means what was given."""

import importlib
import sys
import types
from pathlib import Path

import pytest
from raw_client import REAL, Client, Kernel, streams

MODULE = Path(__file__).resolve().parents[2] / "jupyter_kernel" / "papermill"


@pytest.fixture(scope="module")
def papermill():
    """The module, beside papermill where it is installed, else beside what little it takes of it."""
    try:
        importlib.import_module("papermill")
    except ImportError:
        parts = {"engines": {"NBClientEngine": object}, "exceptions": {"PapermillException": type("Refused", (Exception,), {})},
                 "models": {"Parameter": lambda **fields: types.SimpleNamespace(**fields)},
                 "translators": {"Translator": object, "papermill_translators": types.SimpleNamespace(register=lambda *_: 0)}}
        for name, content in {"": {}, **parts}.items():
            module = types.ModuleType(f"papermill.{name}".rstrip("."))
            vars(module).update(content)
            sys.modules[module.__name__] = module
    sys.path.insert(0, str(MODULE))
    yield importlib.import_module("warpbook_papermill")
    sys.path.remove(str(MODULE))


GIVEN = {"n": 5, "below": -(2**31), "large": 2**40 + 1, "x": 0.1, "small": 1e-300, "whole": 3.0, "none": float("-inf"),
         "yes": True, "no": False, "name": 'a "b" \\ ??/ gr\u00fc\u00df \U0001f680\n\t7', "empty": "", "sizes": [7, 8, 2**33],
         "mixed": [1, 2.5], "words": ["one", 'two"'], "nested": [[1], [2, 3]], "table": {"a": 1, "b c": 2}, "nothing": []}
SHOWN = """#include <cstdio>
auto t = [](const std::string &s) { for (unsigned char c : s) printf("%02x", c); printf("\\n"); };
printf("%d %lld %lld\\n%.17g %.17g %.17g %g\\n%d%d\\n", n, (long long)below, large, x, small, whole, none, yes, no);
t(name); t(empty);
printf("%lld %g %zu %d %d %d %zu\\n", sizes[2], mixed[0] + mixed[1], words.size(), nested[1][1], table["a"], table["b c"], nothing.size());
t(words[1]);
"""


def test_values_come_through(papermill):
    """After a notebook's own cell of parameters, whose definitions they replace."""
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"], env={"WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    try:
        client.ready()
        for code in ("int n = 1; double x = 7;", papermill.CudaTranslator.codify(GIVEN), SHOWN):
            content, outputs = client.execute(code)
            assert content["status"] == "ok", content
    finally:
        client.close()
        kernel.close()
    assert streams(outputs).split("\n") == [
        f"5 {-(2**31)} {2**40 + 1}", "0.10000000000000001 1e-300 3 -inf", "10", GIVEN["name"].encode().hex(), "",
        f"{2**33} 3.5 2 3 1 2 0", b'two"'.hex(), ""]


@pytest.mark.parametrize("value, says", [(None, "None"), ([1, "a"], "int, std::string"), (2**63, "64 bits")])
def test_what_has_no_type_is_refused(papermill, value, says):
    with pytest.raises(Exception, match=says):
        papermill.CudaTranslator.codify({"v": value})


def test_a_cell_of_parameters_is_read(papermill):
    cell = {"source": "// about\n#include <string>\nint n = 3; // how many\nconst float x{0.5f};\nstd::vector<int> v = {1, 2};\n"
                      "std::string s = \"a = b\";\nf(n);\nint g() { return 1; }"}
    found = papermill.CudaTranslator.inspect(cell)
    assert [(p.name, p.inferred_type_name, p.default, p.help) for p in found] == [
        ("n", "int", "3", "how many"), ("x", "float", "0.5f", ""), ("v", "std::vector<int>", "{1, 2}", ""),
        ("s", "std::string", '"a = b"', "")]


def test_the_entry_point_names_what_is_there(papermill):
    text = (MODULE / "pyproject.toml").read_text()
    assert '[project.entry-points."papermill.engine"]\nwarpbook = "warpbook_papermill:Engine"' in text and papermill.Engine
