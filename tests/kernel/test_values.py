"""%%draw values in real cells: the numbers are those that printf prints in the same kernel, and what it can't show it says."""

import json
import os
import random
import re
from pathlib import Path

import pytest
from raw_client import REAL, Client, Kernel
from test_draw import bundle_of
from test_real import run, text_of

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("SEED") or random.randrange(10**9))

# name: (declaration with a first value, an update, the name to draw, printf's format, its argument)
TYPES = {
    "int": ("int v = i * {a} - {b};", "v = v * 3 - i;", "v", "%d", "v"),
    "unsigned": ("unsigned v = i * {a}u + 4000000000u;", "v = v * 7u + {b}u;", "v", "%u", "v"),
    "long long": ("long long v = i * {a}000000007ll;", "v -= {b}000000011ll * i;", "v", "%lld", "v"),
    "short": ("short v = i * {a};", "v = v * 5 + {b};", "v", "%d", "(int)v"),
    "float": ("float v = i / {a}.0f;", "v = v * 1.5f - {b};", "v", "%g", "v"),
    "double": ("double v = i / {a}.0;", "v = v * 1.25 - {b};", "v", "%g", "v"),
    "half": ("half v = __float2half(i / {a}.0f);", "v = __float2half(__half2float(v) * 1.5f - {b});", "v", "%g", "__half2float(v)"),
    "float4": ("float4 v = make_float4(i, {a}, {b}, 1);", "v.z = v.z * 0.5f + i; v.x = v.z;", "v.z", "%g", "v.z"),
    "struct": ("pair v; v.x = {a} + i; v.n = i;", "v.n = v.n * 3 - {b}; v.x += v.n;", "v.x", "%g", "v.x"),
    "array": ("float v[4]; for (int k = 0; k < 4; k++) v[k] = k * i + {a};", "v[r % 4] += i; v[2] *= 1.5f;", "v[2]", "%g", "v[2]"),
    "pointer": ("const float *v = in + {a} + i;", "v += {b} + i;", "v", "in+%d", "(int)(v - in)"),
    "parameter": ("", "n += i - {b};", "n", "%d", "n"),
}

KERNEL = """struct pair {{ float x; int n; }};
__global__ void {name}(const float *in, int n, int rounds) {{
    int i = threadIdx.x;
    {declaration}
    for (int r = 0; r < rounds; r++) {{
        if (i % {m} != r % {m})
            {update}
        printf("%d %d {format}\\n", r, i, {argument});
    }}
}}
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"],
                    env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    client.ready()
    content, _ = run(client, "#include <cuda_fp16.h>\nfloat *in;\ncudaMallocManaged(&in, 65536 * sizeof(float));")
    assert content["status"] == "ok", content
    yield client
    client.close()
    kernel.close()


def moments_of(words):
    """[(place, source, {name: cells})], without the marks of changes."""
    moments = []
    for line in words.splitlines()[1:]:
        cells = re.match(r"  ([^:]+): (.*)$", line)
        if cells and moments:
            text = cells[2].replace("*", "")
            uniform = re.match(r"(\S+) in all lanes$", text)
            name, _, more = cells[1].partition(", from thread ")
            if more:  # the next warp's
                moments[-1][2][name] += text.split()
            else:
                moments[-1][2][name] = uniform[1] if uniform else text.split()
        elif re.match(r"(line \d+|barrier|at the)", line):
            place, _, source = line.partition(": ")
            moments.append((place, source, {}))
    return moments


@pytest.mark.parametrize("kind, wide", [*((kind, "") for kind in TYPES), ("int", "--block-wide "), ("struct", "--block-wide ")])
def test_values_are_those_of_printf(client, kind, wide):
    print("seed", SEED)
    drawer = random.Random(f"{SEED} {kind}{wide}")
    declaration, update, drawn, form, argument = TYPES[kind]
    facts = {"a": drawer.randrange(2, 60), "b": drawer.randrange(1, 50)}
    name = "k_" + re.sub(r"\W", "_", kind + wide)
    threads, rounds = drawer.randrange(33, 257) if wide else drawer.randrange(2, 33), 4
    content, _ = run(client, KERNEL.format(name=name, m=drawer.randrange(2, 7), format=form, argument=argument,
                                           declaration=declaration.format(**facts),
                                           update="{" + update.format(**facts) + "}"))
    assert content["status"] == "ok", content
    content, outputs = run(client, f"%%draw values {drawn} {wide}--every --moments 1-100\n"
                                   f"{name}<<<1, {threads}>>>(in, {drawer.randrange(100)}, {rounds});\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    printed = {(int(r), int(i)): value for r, i, value in re.findall(r"^(\d+) (\d+) (\S+)$", text_of(outputs), re.M)}
    assert len(printed) == rounds * threads
    shown = [cells[drawn] for _, source, cells in moments_of(bundle_of(outputs)["text/plain"]) if "printf(" in source]
    assert len(shown) == rounds
    for r, cells in enumerate(shown):
        cells = [cells] * threads if isinstance(cells, str) else cells
        assert cells == [printed[r, i] for i in range(threads)], (kind, r)


def test_an_array_is_shown_at_each_barrier(client):
    """A scan in shared memory: what it holds is what the same steps give here."""
    print("seed", SEED)
    drawer = random.Random(f"{SEED} scan")
    width = drawer.choice([8, 16])
    numbers = [drawer.randrange(-9, 10) for _ in range(2 * width)]
    content, _ = run(client, f"""__global__ void scan_rows(int *in) {{
    __shared__ int part[2][{width}];
    int t = threadIdx.x, y = t / {width}, x = t % {width};
    part[y][x] = in[t];
    __syncthreads();
    for (int step = 1; step < {width}; step *= 2) {{
        int before = x >= step ? part[y][x - step] : 0;
        __syncthreads();
        part[y][x] += before;
        __syncthreads();
    }}
}}
int *ints;
cudaMallocManaged(&ints, 4096);
int drawn[] = {{{", ".join(map(str, numbers))}}};
for (int i = 0; i < {2 * width}; i++) ints[i] = drawn[i];""")
    assert content["status"] == "ok", content
    content, outputs = run(client, f"%%draw values part\nscan_rows<<<1, {2 * width}>>>(ints);\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    rows = [numbers[:width], numbers[width:]]
    states, step = [[list(map(str, row)) for row in rows]], 1
    while step < width:
        rows = [[row[i] + (row[i - step] if i >= step else 0) for i in range(width)] for row in rows]
        states.append([list(map(str, row)) for row in rows])
        step *= 2
    words = bundle_of(outputs)["text/plain"]
    shown = [[cells["part[0]"], cells["part[1]"]] for place, _, cells in moments_of(words)]
    changed = [state for i, state in enumerate(states) if i == 0 or state != states[i - 1]]
    assert shown == changed, words


def test_warps_that_part_ways_are_side_by_side(client):
    """Each warp goes another way; what they meet in is one row, and a warp that was elsewhere is off."""
    content, outputs = run(client, """%%draw values x --block-wide
__global__ void ways(int *out) {
    int x = threadIdx.x / 32;
    if (x == 1)
        x += 10;
    else if (x > 1)
        x += 20;
    out[threadIdx.x] = x;
}
ways<<<1, 90>>>((int *)in); cudaDeviceSynchronize();""")
    assert content["status"] == "ok", content
    words = bundle_of(outputs)["text/plain"]
    assert words.startswith("ways, block (0, 0, 0): ")
    shown = {source: cells["x"] for _, source, cells in moments_of(words)}
    assert shown == {
        "int x = threadIdx.x / 32;": ["0"] * 32 + ["1"] * 32 + ["2"] * 26,
        "x += 10;": ["."] * 32 + ["11"] * 32,
        "x += 20;": ["."] * 64 + ["22"] * 26,
    }, words


LOOP = """__global__ void loop(float *in, int n) {
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += threadIdx.x;
    }
    in[threadIdx.x] = sum;
}"""


def test_options(client):
    content, _ = run(client, LOOP)
    assert content["status"] == "ok", content
    launch = "\nloop<<<2, 40>>>(in, 50);\ncudaDeviceSynchronize();"

    def drawn(line):
        content, outputs = run(client, "%%draw values " + line + launch)
        assert content["status"] == "ok", content
        return bundle_of(outputs)

    words = drawn("sum")["text/plain"]
    moments = moments_of(words)
    assert len(moments) == 40 and "Moments 41 to 51 are left out; --moments 41-51 shows the next." in words
    assert moments[2] == ("line 4, round 2", "sum += threadIdx.x;", {"sum": [str(2 * i) for i in range(32)]})
    words = drawn("sum --moments 41-50 --lanes 3-4 --warp 1 --block 1")["text/plain"]
    assert words.startswith("loop, block (1, 0, 0), warp 1: ") and "The picture begins at moment 41." in words
    assert moments_of(words)[0][2] == {"sum, from lane 3 on": [str(40 * (32 + i)) for i in (3, 4)]}
    before = moments_of(drawn("sum --before --every --moments 1-8")["text/plain"])
    assert [m[2] for m in before if m[0] == "line 4, round 2"] == [{"sum": [str(i) for i in range(32)]}]
    names = moments_of(drawn("k n in")["text/plain"])[-1][2]
    assert names["n"] == "50" and names["in"] == "in+0"
    for part in ("<title>", "<desc>", "prefers-color-scheme:dark"):
        assert part in drawn("sum k")["image/svg+xml"]


@pytest.mark.parametrize("line, words", [
    ("values", "takes the names of variables"),
    ("values sums", "loop has no variable sums, did you mean sum? (nvcc -G keeps: in, n, sum, k)"),
    ("values sum.x", "loop has no variable sum.x, did you mean sum?"),
    ("values threads", "loop has no variable threads (nvcc -G keeps: "),
    ("values sum --moments 0-3", "moments count from 1"),
    ("values sum --moments 1-999", "at most 200"),
    ("values sum --lanes x", "0-7 or 3"),
    ("values sum --warp 1", "There is no warp 1"),
    ("values sum --block-wide --warp 1", "--block-wide all of them"),
    ("values sum --block-wide", "at most 256 threads, not of 288"),
    ("lanes --every", "--every is for values"),
])
def test_what_cannot_be_shown(client, line, words):
    run(client, LOOP)
    content, _ = run(client, f"%%draw {line}\nloop<<<1, {288 if line.endswith('wide') else 32}>>>(in, 2);")
    assert content["status"] == "error" and words in content["evalue"], content.get("evalue")


def test_a_cell_without_a_launch_and_a_kernel_without_source(client):
    content, _ = run(client, "%%draw values x\nint unused = 3;")
    assert content["status"] == "error" and "launched no kernel" in content["evalue"]
    content, _ = run(client, "%%draw values i\n#include <warpbook.h>\nwbk_increment_coalesced_f32(in, 1024);")
    assert content["status"] == "error" and "its source is in no cell that this cell uses" in content["evalue"], content


def test_the_step_of_final_that_asks_for_it_shows_its_answer(client):
    """The line that the step names, on the kernel of the step before: as many lanes of a round are on as the answer says."""
    steps = {step["name"]: step for step in json.loads((ROOT / "labs/final/steps.json").read_text())["steps"]}
    kernel = re.search(r"```cuda\n(.*?)\n```", "\n".join(steps["find_seal"]["text"]), re.S)[1]
    line = re.search(r"`(%%draw values [^`]*)`", steps["at_work"]["text"])[1]
    assert line in json.loads((ROOT / "labs/final/steps.zh.json").read_text())["steps"][[*steps].index("at_work")]["text"]
    content, outputs = run(client, f"{line}\n{kernel}\nseal<<<4, 256>>>((unsigned *)in, (unsigned *)in, 1024); cudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    rounds = [cells["x"] for _, source, cells in moments_of(bundle_of(outputs)["text/plain"]) if ">> 13" in source]
    assert rounds and all(len(cells) - cells.count(".") == steps["at_work"]["answer"] for cells in rounds)
