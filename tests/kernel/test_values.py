"""%%draw values in real cells: the numbers are those that printf prints in the same kernel, and what it can't show it says."""

import os
import random
import re

import pytest
from raw_client import REAL, Client, Kernel
from test_draw import bundle_of
from test_real import run, text_of

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
            moments[-1][2][cells[1]] = uniform[1] if uniform else text.split()
        elif re.match(r"(line \d+|barrier|at the)", line):
            place, _, source = line.partition(": ")
            moments.append((place, source, {}))
    return moments


@pytest.mark.parametrize("kind", TYPES)
def test_values_are_those_of_printf(client, kind):
    print("seed", SEED)
    drawer = random.Random(f"{SEED} {kind}")
    declaration, update, drawn, form, argument = TYPES[kind]
    facts = {"a": drawer.randrange(2, 60), "b": drawer.randrange(1, 50)}
    name = "k_" + re.sub(r"\W", "_", kind)
    threads, rounds = drawer.randrange(2, 33), 4
    content, _ = run(client, KERNEL.format(name=name, m=drawer.randrange(2, 7), format=form, argument=argument,
                                           declaration=declaration.format(**facts),
                                           update="{" + update.format(**facts) + "}"))
    assert content["status"] == "ok", content
    content, outputs = run(client, f"%%draw values {drawn} --every --moments 1-100\n"
                                   f"{name}<<<1, {threads}>>>(in, {drawer.randrange(100)}, {rounds});\ncudaDeviceSynchronize();")
    assert content["status"] == "ok", content
    printed = {(int(r), int(i)): value for r, i, value in re.findall(r"^(\d+) (\d+) (\S+)$", text_of(outputs), re.M)}
    assert len(printed) == rounds * threads
    shown = [cells[drawn] for _, source, cells in moments_of(bundle_of(outputs)["text/plain"]) if "printf(" in source]
    assert len(shown) == rounds
    for r, cells in enumerate(shown):
        cells = [cells] * threads if isinstance(cells, str) else cells
        assert cells == [printed[r, i] for i in range(threads)], (kind, r)
