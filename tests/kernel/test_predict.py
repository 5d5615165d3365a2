"""%%predict: what a cell's launches would take on a GPU that is not here, at drawn sizes."""

import random
import re

import pytest
from raw_client import REAL, Client, Kernel, streams, types

LIMIT = 600  # seconds for a cell, on a slow machine that does other things, too
UNITS = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
TURN = """#define TILE 32
__device__ int place(int block, int thread) { return block * TILE + thread; }
__global__ void turn(const float *in, float *out, int rows, int cols) {
    int x = place(blockIdx.x, threadIdx.x), y = place(blockIdx.y, threadIdx.y);
    if (x < cols && y < rows)
        out[x * rows + y] = in[y * cols + x];
}
int mine = 5;
float *kept; cudaMallocManaged(&kept, 4096 * 4); for (int i = 0; i < 4096; i++) kept[i] = i;
constexpr int per_block = TILE;"""
CELL = """
float *a, *b;
cudaMallocManaged(&a, sizeof(float) * n * n);
cudaMallocManaged(&b, sizeof(float) * n * n);
turn<<<dim3((n + 31) / 32, (n + 31) / per_block), dim3(TILE, 32)>>>(a, b, n, n);
cudaDeviceSynchronize();
printf("it printed %g\\n", b[1]);
b[7]"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    k = Kernel(argv=[str(REAL), "kernel", "-f"],
               env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "WARPBOOK_DEVICE": "soft"})
    yield k
    k.close()


@pytest.fixture(scope="module")
def cells(kernel):
    c = Client(kernel)
    c.ready()
    content, _ = c.execute("%device soft\n" + TURN, timeout=LIMIT)
    assert content["status"] == "ok"
    yield c
    c.close()


def run(cells, code, bundles=None):
    """How the cell ended, its tables and words, and what it printed; adds what it displayed to bundles."""
    content, outputs = cells.execute(code, timeout=LIMIT)
    if bundles is not None:
        bundles += [m["content"]["data"] for m in outputs if m["type"] == "display_data" and "text/html" in m["content"]["data"]]
    shown = [m["content"]["data"].get("text/plain", "") for m in outputs if m["type"] == "display_data"]
    assert "execute_result" not in types(outputs)
    return content, "\n".join(shown), streams(outputs)


def seconds(text):
    number, unit = re.fullmatch(r"([\d.]+) (s|ms|µs|ns)", text).groups()
    return float(number) * UNITS[unit]


def times(tables, kernel="turn"):
    """{size: its time} from the table's rows."""
    rows = re.findall(rf"^ *(\d+)  {kernel} +\d+ +([\d.]+ (?:s|ms|µs|ns)) ", tables, re.M)
    return {int(size): seconds(time) for size, time in rows}


def test_a_gpus_sizes(cells):
    sizes = sorted(random.sample(range(2000, 9000), 2))
    bundles = []
    content, tables, printed = run(cells, f"%%predict --sizes {sizes[0]},{sizes[1]}" + CELL, bundles)
    assert content["status"] == "ok" and printed == ""
    assert "As modelled for an NVIDIA H200, with empty caches" in tables and "bound by" in tables
    found = times(tables)
    assert sorted(found) == sizes and found[sizes[0]] < found[sizes[1]]
    assert "its output is left out" in tables
    # The verdict is first, with its kernel and line; lines are folded away and not in the text.
    assert re.match(r"[A-Z].* \(turn, cell \[\d+\], line 7\)\.\n", tables) and "out[x * rows" not in tables
    html = bundles[0]["text/html"]
    assert html.index("line 7") < html.index("<table") < html.index("<details>") < html.index("out[x * rows")
    # The notebook is as it was, and has none of the cell's variables.
    assert run(cells, 'printf("%d %g", mine, kept[17]);')[2] == "5 17"
    assert "undefined" in run(cells, "a")[0]["evalue"] and "undefined" in run(cells, "n")[0]["evalue"]


def test_where_all_blocks_run_it_is_as_counted(cells):
    size = random.randrange(32, 200)  # fewer blocks than a sample begins with
    content, tables, printed = run(cells, f"%%predict --sizes {size}" + CELL)
    assert content["status"] == "ok" and "it printed 0" in printed and "left out" not in tables
    content, outputs = cells.execute(f"%%counters\nconstexpr int n = {size};" + CELL, timeout=LIMIT)
    counted = "\n".join(m["content"]["data"]["text/plain"] for m in outputs if m["type"] == "display_data")
    counted = seconds(re.findall(r"^turn +([\d.]+ (?:s|ms|µs|ns))  ", counted, re.M)[-1])
    assert times(tables)[size] == pytest.approx(counted, rel=0.1)
    cells.execute("%reset\n" + TURN, timeout=LIMIT)  # the counted cell's variables are real


def test_another_name_and_no_size(cells):
    size = 32 * random.randrange(40, 90)
    body = CELL.replace("n * n", "rows * rows").replace("(n + 31)", "(rows + 31)").replace("n, n", "rows, rows")
    content, tables, _ = run(cells, f"%%predict --name rows --sizes {size}" + body)
    assert content["status"] == "ok" and list(times(tables)) == [size] and re.search("^ *rows  kernel", tables, re.M)
    content, tables, _ = run(cells, "%%predict\nconstexpr int n = 1024;" + CELL)
    assert content["status"] == "ok" and re.search("^kernel +launches", tables, re.M)
    body = "\ntemplate <int N> __global__ void fill(float *x) { __shared__ float s[N]; s[threadIdx.x] = 1; x[threadIdx.x] = s[0]; }" \
           "\nfloat *x; cudaMalloc(&x, 4 * n); fill<n><<<1, n>>>(x);"
    content, tables, _ = run(cells, "%%predict --sizes 64,128" + body)
    assert content["status"] == "ok" and times(tables, r"fill<\d+>").keys() == {64, 128}


def test_another_gpu(cells):
    cells.execute("%device t4\n" + TURN, timeout=LIMIT)
    content, tables, _ = run(cells, "%%predict --sizes 4096" + CELL)
    assert content["status"] == "ok"
    assert "As modelled for an NVIDIA T4 (from published figures, not measured by us)" in tables
    cells.execute("%device none\n%device soft\n" + TURN, timeout=LIMIT)


def test_what_goes_wrong(cells):
    content, tables, _ = run(cells, "%%predict\nturn<<<1, 32>>>(kept, kept, mine, 1);")
    trace = "\n".join(content["traceback"])
    assert content["ename"] == "CompileError" and "line 2" in content["evalue"]
    assert re.search(r"kept is a variable of cell \[\d+\]\. A prediction is a program of its own", trace)
    assert "mine is a variable" in trace and "main" not in trace
    cells.execute("__constant__ float by;\n__global__ void times(float *a) { a[threadIdx.x] *= by; }", timeout=LIMIT)
    trace = "\n".join(cells.execute("%%predict\ntimes<<<1, 32>>>(nullptr);", timeout=LIMIT)[0]["traceback"])
    assert re.search(r"by is a __constant__ or __device__ variable of cell \[\d+\], .* the kernels that use it, into this cell", trace)
    content, _, _ = run(cells, "%%predict --sizes 64\nint k = n;")
    assert content["ename"] == "UsageError" and "launched no kernel" in content["evalue"]
    size = random.randrange(2000, 4000)
    content, tables, printed = run(cells, f"%%predict --sizes 64,{size}" + CELL.replace(
        "b[7]", 'if (n > 64) { printf("WRONG"); exit(1); }'))
    trace = "\n".join(content["traceback"])
    assert content["status"] == "error" and f"That was with n = {size}." in trace and "Leave checks out" in trace
    assert sorted(times(tables)) == [64, size] and "WRONG" not in tables + printed
    content, tables, _ = run(cells, "%%predict --sizes 4096\nturn<<<n, 32>>>((const float *)64, nullptr, n, n);")
    trace = "\n".join(content["traceback"])
    assert content["status"] == "error" and "That was with n = 4096." in trace and "Leave checks out" not in trace
    assert run(cells, 'printf("%d", mine);')[2] == "5"
    size = 2 ** random.randrange(20, 22)  # 4 to 16 TiB
    content, _, _ = run(cells, f"%%predict --sizes {size}\nfloat *a; cudaMalloc(&a, sizeof(float) * n * n);"
                               "\nturn<<<n / 32, dim3(32, 32)>>>(a, a, n, n);")
    assert content["status"] == "error" and "Before that, cudaMalloc: " in "\n".join(content["traceback"])
