"""%%trace in real cells: its values are those that printf prints on the same line, and what it can't show it says."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from raw_client import REAL, Client, Kernel
from test_draw import bundle_of
from test_real import run, text_of
from test_values import KERNEL, TYPES

SEED = int(os.environ.get("SEED") or random.randrange(10**9))
DATA = "application/vnd.warpbook.trace+json"

LOOP = """__device__ float twice(float v) {
    float w = v * 2;
    return w;
}
__global__ void loop(float *in, int n) {
    __shared__ float s[64];
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += threadIdx.x * k;
    }
    s[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x % 2)
        sum = s[63 - threadIdx.x];
    in[threadIdx.x] = twice(sum);
}
__global__ void other(int *p) {
    *p = 3;
}"""
LAUNCH = "\nloop<<<2, 40>>>(in, 3);\ncudaDeviceSynchronize();"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"],
                    env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    client.ready()
    content, _ = run(client, "#include <cuda_fp16.h>\nfloat *in;\ncudaMallocManaged(&in, 65536 * sizeof(float));")
    assert content["status"] == "ok", content
    content, _ = run(client, LOOP)
    assert content["status"] == "ok", content
    yield client
    client.close()
    kernel.close()


def trace(client, line, cell=LAUNCH):
    content, outputs = run(client, f"%%trace {line}{cell}")
    assert content["status"] == "ok", content
    return bundle_of(outputs, DATA)


def rows_of(bundle):
    """[{title: cell}] of the table in text/plain."""
    title, rule, *rows = bundle["text/plain"].split("\n\n")[1].splitlines()
    columns = [(m.start(), m.end()) for m in re.finditer("─+", rule)]
    return [{title[a:b].strip(): row[a:b].strip() for a, b in columns} for row in rows]


@pytest.mark.parametrize("kind", TYPES)
def test_values_are_those_of_printf(client, kind):
    print("seed", SEED)
    drawer = random.Random(f"{SEED} {kind}")
    declaration, update, shown, form, argument = TYPES[kind]
    facts = {"a": drawer.randrange(2, 60), "b": drawer.randrange(1, 50)}
    name = "t_" + re.sub(r"\W", "_", kind)
    threads, rounds = drawer.randrange(33, 65), 4
    source = KERNEL.format(name=name, m=drawer.randrange(2, 7), format=form, argument=argument,
                           declaration=declaration.format(**facts), update="{" + update.format(**facts) + "}")
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "printf(" in text)
    content, _ = run(client, source)
    assert content["status"] == "ok", content
    warp = drawer.randrange(2)
    content, outputs = run(client, f"%%trace {line} --vars r,{shown} --warp {warp}\n"
                                   f"{name}<<<1, {threads}>>>(in, {drawer.randrange(100)}, {rounds});\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    printed = {(int(r), int(i)): value for r, i, value in re.findall(r"^(\d+) (\d+) (\S+)$", text_of(outputs), re.M)}
    lanes = range(32 * warp, min(32 * warp + 32, threads))
    moments = bundle_of(outputs, DATA)[DATA]["moments"]
    assert [m["round"] for m in moments] == [1, 2, 3, 4]
    for r, moment in enumerate(moments):
        values = moment["variables"]
        assert moment["line"] == line and moment["mask"] == (1 << len(lanes)) - 1
        assert values["r"][:len(lanes)] == [str(r)] * len(lanes)
        assert values[shown] == [printed[r, i] for i in lanes] + [None] * (32 - len(lanes)), (kind, r)


def test_the_table(client):
    """A row for each time, with the variables that its line names; the same values once, others as a list."""
    bundle = trace(client, "9,11-14")
    assert bundle["text/plain"].startswith("loop, block (0, 0, 0), warp 0: the values before each line\n")
    rows = rows_of(bundle)
    assert [r["line"].split(":")[0] for r in rows] == ["9", "9", "9", "11", "12", "13", "14"]
    assert [(r["sum"], r["k"]) for r in rows[:3]] == [("0", "0"), ("0", "1"), ("0, 1, ..., 31", "2")]
    assert rows[3]["s"] == "0 (x64)" and rows[3]["line"] == "11: s[threadIdx.x] = sum;" and rows[3]["k"] == ""
    assert rows[6]["lanes"] == "1, 3, ..., 31" and rows[6]["s"] == "0, 3, ..., 117, 0 (x24)"
    assert bundle["text/html"].count("<tr") == 1 + len(rows) and "<table" in bundle["text/html"]
    after = trace(client, "9 --after --vars sum")
    assert [r["sum"] for r in rows_of(after)] == ["0", "0, 1, ..., 31", "0, 3, ..., 93"]
    one = trace(client, "9 --thread 35 --block 1 --vars sum,n,in")
    assert one["text/plain"].startswith("loop, block (1, 0, 0), thread (35, 0, 0): ")
    assert [(r["lanes"], r["sum"], r["n"], r["in"]) for r in rows_of(one)] == [("3", v, "3", "in+0") for v in ("0", "0", "35")]
    device = rows_of(trace(client, "2-3 --warp 1"))
    assert device[0]["v"] == "96, 90, 102, 84, 108, 78, 114, 72" and device[1]["w"] == "192, 180, 204, 168, 216, 156, 228, 144"


def test_many_moments(client):
    cell = "\nloop<<<1, 32>>>(in, 500);\ncudaDeviceSynchronize();"
    text = trace(client, "9", cell)["text/plain"]
    assert "Moments 41 to 500 are left out; --moments 41-80 shows the next." in text
    rows = rows_of(trace(client, "9 --moments 499-600", cell))
    assert [(r["moment"], r["k"]) for r in rows] == [("499", "498"), ("500", "499")]


def test_a_fault_ends_the_table(client):
    """The last row is what the warp held when it went out of bounds; the fault's error follows."""
    content, outputs = run(client, """%%trace 4
__global__ void beyond(int *p, int n) {
    int i = threadIdx.x;
    p[i + n] = i;
}
int *q;
cudaMalloc(&q, 256);
beyond<<<1, 64>>>(q, 40);
cudaDeviceSynchronize();""")
    assert content["ename"] == "CudaError" and "line 4" in content["evalue"], content
    assert rows_of(bundle_of(outputs, DATA))[0] | {"line": ""} == {
        "moment": "1", "line": "", "lanes": "0, 1, ..., 31", "p": "p+0", "n": "40", "i": "0, 1, ..., 31"}


@pytest.mark.parametrize("line, words", [
    ("", "the lines are missing"),
    ("x", "'x' is no line: 7, 7-9, or 7,12"),
    ("9-7", "'9-7' is no line"),
    ("0", "'0' is no line"),
    ("4", "line 4 has no device code; the next with some is line 5."),
    ("60", "line 60 has no device code, and no line behind it has."),
    ("18", "line 18 is in other, but this trace follows loop. "),
    ("2,9", "line 9 is in loop, but this trace follows twice. "),
    ("9 --vars summ", "loop has no variable summ, did you mean sum?"),
    ("9 --kernel lop", "The cell launched no kernel lop, but loop."),
    ("9 --warp 2", "There is no warp 2"),
    ("9 --block 2", "There is no block (2, 0, 0)"),
    ("9 --thread 40", "There is no thread (40, 0, 0): a block of loop has threads (0, 0, 0) to (39, 0, 0)."),
    ("14 --thread 2", "loop, block (0, 0, 0), thread (2, 0, 0) comes to these lines 0 times."),
    ("9 --moments 7-9", "warp 0 comes to these lines 3 times."),
    ("9 --moments 1-999", "at most 200"),
])
def test_what_cannot_be_shown(client, line, words):
    content, _ = run(client, f"%%trace {line}{LAUNCH}")
    assert content["status"] == "error" and words in content["evalue"], content.get("evalue")


def test_without_a_launch(client):
    content, _ = run(client, "%%trace 2\nint unused_number = 3;")
    assert content["status"] == "error" and "nothing to show: %%trace goes above the launch" in content["evalue"], content


def test_nbconvert(tmp_path):
    """The table is in the document that nbconvert makes of an executed notebook."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "warpbook", "display_name": "w", "language": "c++"}}, cells=[
        nbformat.v4.new_code_cell(LOOP + "\nfloat *in;\ncudaMallocManaged(&in, 4096);"),
        nbformat.v4.new_code_cell("%%trace 9 --vars sum" + LAUNCH)])
    nbformat.write(notebook, tmp_path / "t.ipynb")
    build = REAL.parent.parent
    subprocess.run([build / "bin/warpbook", "install", "--prefix", tmp_path], check=True, timeout=600)
    env = os.environ | {"JUPYTER_PATH": str(tmp_path / "share/jupyter"), "XDG_CACHE_HOME": str(tmp_path / "cache"), "WARPBOOK_DEVICE": "soft"}
    page = subprocess.run([Path(sys.executable).parent / "jupyter", "nbconvert", "--execute", "--to", "markdown", "--stdout", "t.ipynb"], env=env, cwd=tmp_path,
                          check=True, capture_output=True, text=True, timeout=600).stdout
    assert "0, 1, ..., 31" in page and "<td" in page, page
