"""%%draw in real cells: what it says is what %%counters counts, and what it can't draw it says."""

import random
import re

import pytest
from raw_client import REAL, Client, Kernel
from test_real import run, text_of

KERNELS = """__global__ void copy(float *to, const float *from, int step) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (threadIdx.x %% 3 != 1)
        to[i] = from[i * step %% %(n)d];
}
__global__ void shared(float *to) {
    __shared__ float t[32][%(pitch)d];
    t[threadIdx.x %% 32][threadIdx.x / 32] = 1;
    __syncthreads();
    to[threadIdx.x] = t[threadIdx.x %% 32][threadIdx.x / 32];
}
const int n = %(n)d;
float *a, *b;
cudaMallocManaged(&a, n * sizeof(float));
cudaMallocManaged(&b, n * sizeof(float));
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A client whose notebook has the kernels, and what was drawn for them."""
    seed = random.randrange(10**9)
    print("seed", seed)
    drawer = random.Random(seed)
    facts = {"n": 4096, "step": drawer.randrange(1, 70), "pitch": drawer.choice([32, 33, 34, 36, 40])}
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"],
                    env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    client.ready()
    content, _ = run(client, KERNELS % facts)
    assert content["status"] == "ok", content
    yield client, facts
    client.close()
    kernel.close()


def bundle_of(outputs, mime="image/svg+xml"):
    return next(m["content"]["data"] for m in outputs
                if m["type"] == "display_data" and mime in m["content"]["data"])


def test_counts_are_those_of_counters(drawn):
    client, facts = drawn
    launch = f"copy<<<1, 32>>>(a, b, {facts['step']});\ncudaDeviceSynchronize();"
    content, outputs = run(client, "%%draw access 1:4\n" + launch)
    assert content["status"] == "ok", content
    data = bundle_of(outputs)
    words = data["text/plain"]
    load, store = [int(n) for n in re.findall(r"(\d+) sectors?, ?\(|(\d+) sectors? \(", words) for n in n if n]
    lanes = {i for i in range(32) if i % 3 != 1}
    assert load == len({i * facts["step"] % facts["n"] * 4 // 32 for i in lanes})
    assert store == len({i * 4 // 32 for i in lanes})
    assert words.count(f"{len(lanes)} lanes") == 2
    assert "to[i] = from[i * step % 4096];" in words
    for part in ("<title>", "<desc>", "prefers-color-scheme:dark", f"{load} sector"):
        assert part in data["image/svg+xml"]
    assert "<script" not in data["image/svg+xml"] and "href" not in data["image/svg+xml"]
    assert data["text/markdown"].startswith("<img alt=")
    content, outputs = run(client, "%%counters --lines\n" + launch)
    lines = text_of(outputs)
    per_request = [f"{load:.1f}", f"{store:.1f}"]
    assert all(re.search(rf"\b{re.escape(figure)}\b|\b{re.escape(figure[:-2])}\b", lines) for figure in per_request), lines


def test_banks_and_the_picture_before(drawn):
    client, facts = drawn
    passes = {32: 32, 33: 1, 34: 2, 36: 4, 40: 8}[facts["pitch"]]
    content, outputs = run(client, "%%draw access\nshared<<<1, 64>>>(a);\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    words = bundle_of(outputs)["text/plain"]
    if passes > 1:
        assert f": {passes} passes, where 1 would do." in words and "(t)" in words
    content, outputs = run(client, "%%draw access 1:10 --before --warp 1\nshared<<<1, 64>>>(a);\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    words = bundle_of(outputs)["text/plain"]
    assert words.startswith("before: ") and "\nnow: " in words
    assert f"{passes} pass" in words.split("\nnow: ")[1] and "warp 1" in words.split("\nnow: ")[1]


SIZES = {"title": 15, "n": 10, "s": 8.5}  # of the classes of text in canvas.c; others have 12


@pytest.mark.parametrize("line", ["access", "access --before", "lanes", "block", "grid", "map a 64 64 --by warp", "values i to"])
def test_pictures_are_legible_at_640_pixels(drawn, line):
    """The smallest text, after the picture has shrunk to its column."""
    client, facts = drawn
    content, outputs = run(client, f"%%draw {line}\ncopy<<<2, 64>>>(a, b, {facts['step']});\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    svg = bundle_of(outputs)["image/svg+xml"]
    classes = {word for words in re.findall(r'<text class="([^"]+)"', svg) for word in words.split()}
    assert min(SIZES.get(word, 12) for word in classes) * min(1, 640 / int(re.search(r'width="(\d+)"', svg)[1])) > 6.8


def test_lanes_line_by_line(drawn):
    client, _ = drawn
    content, outputs = run(client, "%%draw lanes\ncopy<<<1, 20>>>(a, b, 1);\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    words = bundle_of(outputs)["text/plain"]
    rows = [line for line in words.splitlines() if "to[i] = from[i * step" in line]
    assert rows, words
    on = "".join("#" if i % 3 != 1 else "." for i in range(20))
    assert all(row.split("line 4")[1].split()[0] == on for row in rows), words
    assert "#" * 20 + " " in words and "#" * 21 not in words


SIDES = """__global__ void sides(int *o) {
    int lane = threadIdx.x; unsigned even = 0, odd = 0;
    %s
    __syncwarp();
    o[lane] = even + odd;
}
int *o; cudaMalloc(&o, 128);
sides<<<1, 32>>>(o);"""
BRANCHES = {
    "else": "if (lane % 2 == 0) even = __activemask();\n    else odd = __activemask();",
    "blocks": "if (lane % 2 == 0) {\n        even = __activemask();\n    } else {\n        odd = __activemask();\n    }",
    "threes": "if (lane % 3 == 0) even = __activemask();\n    else if (lane % 3 == 1) odd = __activemask();\n    else odd = even = 2 * __activemask();",
    "loop": "for (int k = 0; k < lane % 4; k++)\n        even += __activemask();\n    odd = 1;",
    "while": "while (even < lane)\n        if (lane % 2) even += 2 + __activemask() % 2;\n        else even += __popc(__activemask());",
}


@pytest.mark.parametrize("name", BRANCHES)
def test_a_branch_is_drawn_for_the_lanes_that_came_to_it(drawn, name):
    """No row has lanes that only jump over its line: a line that is a branch is come to by all its lanes before any of them leaves."""
    client, _ = drawn
    branch = BRANCHES[name]
    content, outputs = run(client, "%%draw lanes\n" + SIDES % branch)
    assert content["status"] == "ok", content
    words = bundle_of(outputs)["text/plain"]
    rows = re.findall(r"line (\d+) +([#.]{32}) (.*)", words)
    first = next(lanes for _, lanes, text in rows if text.startswith(branch.split("\n")[0].strip()[:5]))
    assert first == "#" * 32, words
    if name in ("else", "blocks"):  # each side's own lanes, on its own line, and the branch's only there
        assert all(lanes in ("#" * 32, "#." * 16) for _, lanes, text in rows if text.startswith("if (lane")), words
        assert any(lanes == ".#" * 16 for _, lanes, text in rows if "odd = __activemask" in text), words


@pytest.mark.parametrize("code, says", [
    ("float4 v = *(const float4 *)&b[threadIdx.x % 8 * 4]; out[threadIdx.x] = v.x + v.y + v.z + v.w;", "32 lanes asked for 512 bytes (128 different) in 32 of 32 banks: 4 passes"),
    ("out[threadIdx.x] = b[threadIdx.x];", "32 lanes asked for 128 bytes in 32 of 32 banks: 1 pass, no conflict"),
    ("out[threadIdx.x] = b[threadIdx.x % 2];", "32 lanes asked for 128 bytes (8 different) in 2 of 32 banks: 1 pass"),
    ("out[threadIdx.x] = b[0];", "32 lanes asked for 128 bytes (4 different) in 1 of 32 banks: 1 pass"),
    ("float2 v = *(const float2 *)&b[threadIdx.x / 2 * 2]; out[threadIdx.x] = v.x + v.y;", "32 lanes asked for 256 bytes (128 different) in 32 of 32 banks: 2 passes"),
])
def test_bytes_are_those_of_all_lanes(drawn, code, says):
    client, _ = drawn
    cell = ("%%draw access 6\n__global__ void wide(float *out) {\n    __shared__ __align__(16) float b[128];\n"
            "    for (int i = threadIdx.x; i < 128; i += 32) b[i] = i;\n    __syncwarp();\n"
            f"    {code}\n}}\nfloat *wo; cudaMalloc(&wo, 128);\nwide<<<1, 32>>>(wo);")
    content, outputs = run(client, cell)
    assert content["status"] == "ok", content
    bundle = bundle_of(outputs)
    assert says in bundle["text/plain"], bundle["text/plain"]
    picture = re.sub(r"<[^>]*>", " ", bundle.get("image/svg+xml", bundle.get("text/html", "")))
    legend = "×2: the same for two lanes"
    assert (legend in picture) == bool(re.search(r"×\d+ ", picture.replace(legend, ""))), picture  # what ×16 in a cell means


def test_a_block_in_time(drawn):
    client, _ = drawn
    content, outputs = run(client, "%%draw block --block 1\ncopy<<<2, 96>>>(a, b, 1);\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    words = bundle_of(outputs)["text/plain"]
    assert words.startswith("copy, block (1, 0, 0): its 3 warps over time")
    clocks = int(re.search(r"([\d,]+) clocks on an NVIDIA H200", words).group(1).replace(",", ""))
    assert 500 < clocks < 5000 and "waits for a load" in words


def test_a_map_of_an_array(drawn):
    client, _ = drawn
    launch = "\ncopy<<<2, 32>>>(a, b, 2);\ncudaDeviceSynchronize();"
    content, outputs = run(client, "%%draw map a 64 64 --of writes" + launch)
    assert content["status"] == "ok", content
    words = bundle_of(outputs)["text/plain"]
    touched = 2 * sum(i % 3 != 1 for i in range(32))
    assert f"{touched} of 4,096 elements were written, {touched} times in all." in words
    assert "block (0, 0, 0): some of rows 0 to 0, columns 0 to 30" in words
    assert "block (1, 0, 0): some of rows 0 to 0, columns 32 to 62" in words
    content, _ = run(client, "%%draw map a 64 64 --of reads" + launch)
    assert "No kernel of the cell read a in memory." in content["evalue"]


@pytest.mark.parametrize("rows, cols, n", [(16, 64, 32), (32, 32, 32), (8, 128, 0)])
def test_areas_of_a_map_bear_their_warps_numbers(drawn, rows, cols, n):
    """Fields are too small for numbers there: each area of a warp's has one, and those without room for it have none."""
    client, _ = drawn
    code = (f"%%draw map filled {rows} {cols} --of writes --by warp\n__global__ void fill(float *to) {{ to[blockIdx.x * 256 + threadIdx.x] = 1; }}\n"
            "float *filled; cudaMalloc(&filled, 4096);\nfill<<<4, 256>>>(filled);")
    content, outputs = run(client, code)
    assert content["status"] == "ok", content
    numbers = re.findall(r'<text class="s ink"[^>]*>(\d+)</text>', bundle_of(outputs)["image/svg+xml"])
    assert numbers == [str(k) for k in range(n)], numbers


def three(n):
    return str(tuple(n + (0,) * (3 - len(n))))


def test_the_grid_of_a_launch(drawn):
    """Sizes and the marked thread are drawn anew: the sentences are what their numbers come to."""
    client, _ = drawn
    drawer = random.Random(seed := random.randrange(10**9))
    print("seed", seed)
    bx, by, gx, gy = drawer.randrange(3, 40), drawer.randrange(2, 12), drawer.randrange(2, 6), drawer.randrange(2, 5)
    w, h = drawer.randrange((gx - 1) * bx + 1, gx * bx), drawer.randrange(1, gy * by + 1)
    b, t = (drawer.randrange(gx), drawer.randrange(gy)), (drawer.randrange(bx), drawer.randrange(by))
    run(client, "__global__ void plate(float *p, int w, int h) {\n"
                "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                "    if (x < w && y < h) p[(y * w + x) % 4096] = 1;\n}")
    content, outputs = run(client, f"%%draw grid --block {b[0]},{b[1]} --thread {t[0]},{t[1]}\n"
                                   f"plate<<<dim3({gx}, {gy}), dim3({bx}, {by})>>>(a, {w}, {h});\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    data = bundle_of(outputs)
    words, total, number = data["text/plain"], gx * gy * bx * by, t[0] + bx * t[1]
    assert words.startswith(f"plate<<<dim3({gx}, {gy}), dim3({bx}, {by})>>>: {gx * gy} blocks of {bx * by} threads: {total:,} threads in all")
    assert f"Marked: thread {three(t)} of block {three(b)}." in words
    assert f"x = blockIdx.x * blockDim.x + threadIdx.x = {b[0]} * {bx} + {t[0]} = {b[0] * bx + t[0]}\n" in words
    assert f"y = blockIdx.y * blockDim.y + threadIdx.y = {b[1]} * {by} + {t[1]} = {b[1] * by + t[1]}\n" in words
    assert f"In its block it is number {t[0]} + {bx} * {t[1]} = {number}: warp {number // 32}, lane {number % 32}." in words
    idle = f"{total - w * h:,} of {total:,} threads touched no global memory: those whose x is {w:,} or more"
    assert f"{idle}{f', or y is {h:,} or more' if h < gy * by else ''}." in words, words
    assert "<title>The grid of plate</title>" in data["image/svg+xml"] and "<script" not in data["image/svg+xml"]


def test_the_last_thread_is_marked(drawn):
    client, _ = drawn
    n = random.randrange(40, 200)
    content, outputs = run(client, f"%%draw grid\ncopy<<<3, {n}>>>(a, b, 1);\ncudaDeviceSynchronize();")
    words = bundle_of(outputs)["text/plain"]
    assert f"x = blockIdx.x * blockDim.x + threadIdx.x = 2 * {n} + {n - 1} = {3 * n - 1}" in words, words
    idle = 3 * sum(t % 3 == 1 for t in range(n))
    assert f"{idle} of {3 * n} threads touched no global memory: the first is thread (1, 0, 0) of block (0, 0, 0)." in words


def test_a_kernel_that_touches_no_memory_has_no_idle_threads(drawn):
    client, _ = drawn
    run(client, "__global__ void nothing(int n) { if (n > 5) __syncthreads(); }")
    content, outputs = run(client, "%%draw grid\nnothing<<<3, 70>>>(4);\ncudaDeviceSynchronize();")
    data = bundle_of(outputs)
    assert "touched no" not in data["text/plain"]
    assert 'class="wasted"' not in data["image/svg+xml"] and "touched no" not in data["image/svg+xml"]


@pytest.mark.parametrize("line, words", [
    ("grid --thread 32", "There is no thread (32, 0, 0): a block of copy has threads (0, 0, 0) to (31, 0, 0)."),
    ("grid --thread x", "--thread takes 3 or 3,1 or 3,1,0, not 'x'"),
    ("grid --block 1", "There is no block (1, 0, 0)"),
    ("grid --warp 1", "--warp is for access, lanes, values; grid has no use for it"),
    ("lanes --thread 1", "--thread is for grid; lanes has no use for it"),
    ("access 1:4 --block 9", "There is no block (9, 0, 0): the grid of copy has blocks (0, 0, 0) to (0, 0, 0)."),
    ("access 1:4 --warp 1", "There is no warp 1: a block of copy has 32 threads, in 1 warp from 0 on."),
    ("access 1:4 --time 2", "The warp came to line 4 1 time, not 2"),
    ("access 1:2", "Line 2 of cell [1] loads nothing and stores nothing in memory in block (0, 0, 0). Its warp 0 asks in cell [1]: line 4."),
    ("access 99", "Line 99 is none that block (0, 0, 0) ran; its warp 0 asks memory in cell [1]: line 4."),
    ("access --kernel shared", "The cell launched no kernel shared, but copy."),
    ("map a 65 64", "a is not so large: 65 × 64 elements of 4 bytes; it has 16384 bytes, which are 4096 elements."),
    ("map nothing 4 4", "nothing in the cell names nothing"),
    ("map copy 4 4", "copy is no"),
    ("map a 64", "a map is of an array with rows and columns"),
    ("map a 64 x", "'x'"),
    ("map a 64 64 --by tread", "--by takes one of thread, warp, block, time, not 'tread'"),
    ("block --warp 1", "--warp is for access, lanes, values; block has no use for it"),
    ("lanes 4", "'4' is not known here"),
    ("lanes --block 0,1", "There is no block (0, 1, 0)"),
    ("acess", "did you mean access?"),
    ("access four", "'four' is no line"),
    ("access --wrap 1", "there is no option --wrap, did you mean --warp?"),
    ("access --by warp", "--by is for map; access has no use for it"),
    ("access --warp -1", "--warp takes a whole number from 0 to 4294967295, not '-1'"),
    ("", "what is to be drawn is missing"),
])
def test_what_cannot_be_drawn(drawn, line, words):
    client, _ = drawn
    content, _ = run(client, f"%%draw {line}\ncopy<<<1, 32>>>(a, b, 1);\ncudaDeviceSynchronize();")
    assert content["status"] == "error" and content["ename"] == "UsageError"
    assert words in content["evalue"], content["evalue"]
