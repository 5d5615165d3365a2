"""Cells by g++ (runtime/compile/direct) and by nvcc: the same output, exported symbols and PTX.

The pieces below are joined into cells in an order drawn from a printed seed; two kernels run the same cells."""

import glob
import os
import random
import re
import shutil
import subprocess
import sys
import time

import draw

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "conformance"))
from raw_client import REAL, Client, Kernel, streams  # noqa: E402

SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 30))

HEADERS = "#include <vector>\n#include <algorithm>\n#include <cstdio>\n#include <cuda_fp16.h>\n#include <cooperative_groups.h>"

# Each is a list of cells; @ becomes a number of its own.
PIECES = [
    ["int a@ = 3; const int b@ = a@ + 1; b@ * 2"],
    ["std::vector<int> v@{3, 1, 2}; std::sort(v@.begin(), v@.end()); v@"],
    ["int twice@(int x) { return 2 * x; } twice@(4)", "int twice@(int x) { return 3 * x; } twice@(4)"],
    ["struct P@ { int x; int get() const { return x; } }; P@ p@{5}; p@.get()"],
    ["template <class T> T top@(T a, T b) { return a < b ? b : a; } top@(2, 7) + top@(1.5, 2.5)"],
    ["""__host__ __device__ int side@() {
#ifdef __CUDA_ARCH__
    return threadIdx.x;
#else
    return -1;
#endif
}
__global__ void sides@(int *p) { p[threadIdx.x] = side@(); }
int *e@; cudaMallocManaged(&e@, 128); sides@<<<1, 32>>>(e@); cudaDeviceSynchronize(); e@[9] + side@()"""],
    ["auto f@ = [](int x) { return x * x; }; f@(9)"],
    ["""__global__ void fill@(int *p, int n) {  // "k<<<1, 2>>>(3)" is text
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i * i; /* } */ }
int *d@; cudaMallocManaged(&d@, 400);
fill@<<<4, 32>>>(d@, 100); cudaDeviceSynchronize(); d@[99]""",
     "fill@<<<dim3(2), dim3(64), 0, 0>>>(d@, 50); cudaDeviceSynchronize(); d@[7]"],
    ["""__device__ int count@ = 5; __constant__ float table@[2][2] = {{1, 2}, {3, 4}};
__global__ void add@(float *out) { atomicAdd(&count@, 2); out[threadIdx.x] = table@[threadIdx.x & 1][1]; }
float *o@; cudaMallocManaged(&o@, 128); add@<<<1, 4>>>(o@);
int c@; cudaMemcpyFromSymbol(&c@, count@, sizeof c@); c@""",
     "float w@[4] = {9, 8, 7, 6}; cudaMemcpyToSymbol(table@, w@, sizeof w@); add@<<<1, 2>>>(o@); cudaDeviceSynchronize(); o@[1]",
     "__global__ void more@() { atomicAdd(&count@, 10); } more@<<<1, 3>>>(); cudaMemcpyFromSymbol(&c@, count@, sizeof c@); c@"],
    ["""template <typename T, int N = 2> __global__ void scale@(T *p, T f) { p[threadIdx.x] *= f * N; }
float *s@; cudaMallocManaged(&s@, 128); for (int i = 0; i < 8; i++) s@[i] = i;
scale@<float, 3><<<1, 8>>>(s@, 2.f); scale@<float><<<1, 8>>>(s@, 1.f); cudaDeviceSynchronize(); s@[3]"""],
    ["""const int W@ = 16; constexpr float half@(float x) { return x / 2; } constexpr float H@ = half@(3); enum Mode@ { UP@, DOWN@ = 4 }; using real@ = float;
__global__ void uses@(real@ *p) { __shared__ real@ t[W@]; t[threadIdx.x] = H@ + DOWN@; __syncthreads(); p[threadIdx.x] = t[W@ - 1 - threadIdx.x]; }
real@ *u@; cudaMallocManaged(&u@, 64); uses@<<<1, W@>>>(u@); cudaDeviceSynchronize(); u@[2]"""],
    ["""struct V@ { float x, y; __host__ __device__ float dot(V@ o) const { return x * o.x + y * o.y; } };
__host__ __device__ V@ operator+(V@ a, V@ b) { return {a.x + b.x, a.y + b.y}; }
__device__ float norm@(V@ v) { return sqrtf(v.dot(v)); }
__global__ void use@(V@ a, V@ b, float *r) { *r = norm@(a + b); }
float *n@; cudaMallocManaged(&n@, 4); use@<<<1, 1>>>(V@{1, 2}, V@{2, 2}, n@); cudaDeviceSynchronize(); *n@"""],
    ["""namespace geo@ { __constant__ int k = 4; __device__ int f(int x) { return x + k; } __global__ void g(int *p) { *p = f(3); } }
int *g@; cudaMallocManaged(&g@, 4); geo@::g<<<1, 1>>>(g@); cudaDeviceSynchronize(); *g@"""],
    ["""__global__ void sum@(const int *in, int *out, int n) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
    for (int h = blockDim.x / 2; h; h /= 2) { __syncthreads(); if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h]; }
    if (!threadIdx.x) { *out = s[0]; printf("sum %d\\n", s[0]); }
}
int *in@, *r@; cudaMallocManaged(&in@, 512); cudaMallocManaged(&r@, 4); for (int i = 0; i < 128; i++) in@[i] = i;
for (int turn = 0; turn < 2; turn++) { if (turn) sum@<<<1, 128, 128 * sizeof(int)>>>(in@, r@, 128); else { sum@<<<1, 64, 256>>>(in@, r@, 64); } }
cudaDeviceSynchronize(); *r@"""],
    ["""__global__ void halves@(const __half *x, float *y) { *y = __half2float(__hadd(x[0], x[1])); }
__half *h@; float *y@; cudaMallocManaged(&h@, 4); cudaMallocManaged(&y@, 4); h@[0] = __float2half(1.5f); h@[1] = __float2half(2.f);
halves@<<<1, 1>>>(h@, y@); cudaDeviceSynchronize(); *y@"""],
    ["""__global__ void warp@(int *p) { auto w = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    int v = threadIdx.x; for (int k = 16; k; k /= 2) v += w.shfl_down(v, k); if (w.thread_rank() == 0) *p = v; }
int *q@; cudaMallocManaged(&q@, 4); warp@<<<1, 32>>>(q@); cudaDeviceSynchronize(); *q@"""],
    ["""#define SIDE@ 8
__global__ __launch_bounds__(64) void tile@(int (*m)[SIDE@]) { m[threadIdx.y][threadIdx.x] = threadIdx.y * SIDE@ + threadIdx.x; assert(m != nullptr); }
int (*m@)[SIDE@]; cudaMallocManaged(&m@, sizeof *m@ * SIDE@); auto go@ = [&](dim3 b) { tile@<<<1, b>>>(m@); };
go@(dim3(8, 8)); cudaDeviceSynchronize(); m@[7][6]"""],
]


def drawn():
    """Cells of all pieces, those of one piece in order, pieces interleaved."""
    rng = random.Random(SEED)
    pieces = draw.few(PIECES, 4)
    queues = [[cell.replace("@", str(rng.randrange(10, 10**6))) for cell in ["\0".join(p)]] for p in pieces]
    queues = [q[0].split("\0") for q in queues]
    cells = []
    while queues:
        q = rng.choice(queues)
        cells.append(q.pop(0))
        queues = [q for q in queues if q]
    return cells


def run(cells, folder, nvcc_only):
    """Returns each cell's outputs and its library."""
    shutil.rmtree(folder / "tmp", ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"],
                    env={"WARPBOOK_DEVICE": "soft", "WARPBOOK_NVCC_ONLY": "1" if nvcc_only else "0", "TMPDIR": str(folder / "tmp"),
                         "XDG_CACHE_HOME": str(folder / "cache")})
    client = Client(kernel)
    try:
        client.ready()
        client.execute("%flags -no-compress")
        shown = []
        for i, cell in enumerate([HEADERS] + cells):
            reply, outputs = client.execute(cell, cell=f"cell-{i}")
            values = [m["content"]["data"]["text/plain"] for m in outputs if m["type"] == "execute_result"]
            shown.append((reply["status"], streams(outputs), values))
        libraries = glob.glob(str(folder / "tmp" / "*" / "cell_*.so"))
        for made in libraries + glob.glob(str(folder / "tmp" / "*" / "cell_*.ptx")):
            shutil.copy(made, folder)
        return shown, sorted(os.path.basename(library) for library in libraries)
    finally:
        client.close()
        kernel.close()


def make_ready(cells, folder):
    """A first run, in which the headers are made ready in the background; what it compiled is forgotten."""
    run(cells, folder, False)
    until = time.time() + 900
    while list(folder.glob("cache/warpbook/prelude/new-*")):
        assert time.time() < until, "a prelude is not ready"
        time.sleep(0.2)
    shutil.rmtree(folder / "cache" / "warpbook" / "compile")


def is_direct(library):
    """nvcc's libraries have its registration in them, with or without kernels."""
    names = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
    return "__sti____cudaRegisterAll" not in names and "__nv_cudaEntityRegisterCallback" not in names


def exports(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()
    names = {tuple(line.split()[1:]) for line in lines}
    return {n for n in names if "__device_stub__" not in n[1] and n[1] not in ("__bss_start", "_edata", "_end")}


def ptx(library):
    """The instructions of each kernel, without the places that they come from."""
    data = open(library, "rb").read()
    at = data.find(b".version ")
    text = data[at:].partition(b"\0")[0].decode() if at >= 0 else ""
    text = re.sub(r"\.section\s+\.debug_str\s*\{[^}]*\}", "", text)
    text = re.sub(r"_ZN\d+_INTERNAL_\w+", "DEVICE", text)  # a static variable, which nvcc names by its file
    text = re.sub(r"__wb_device_\w+", "DEVICE", text)
    text = text.replace(".weak ", ".visible ")
    kernels = re.findall(r"\.visible \.entry (\w+)\((.*?)\n\}", text, flags=re.S)
    return {name: [line.strip() for line in body.splitlines()
                   if line.strip() and not line.strip().startswith(("//", ".loc", ".file"))] for name, body in kernels}


def test_both_routes_give_the_same(tmp_path):
    print(f"SEED={SEED}")
    cells = drawn()
    make_ready(cells, tmp_path / "direct")
    direct, libraries = run(cells, tmp_path / "direct", False)
    by_nvcc, others = run(cells, tmp_path / "nvcc", True)
    assert direct == by_nvcc
    assert libraries == others
    taken = [name for name in libraries if is_direct(tmp_path / "direct" / name)]
    left = [name for name in libraries if name not in taken]
    assert not left, "left to nvcc"
    assert not any(is_direct(tmp_path / "nvcc" / name) for name in others)
    kernels = 0
    for name in taken:
        here, there = tmp_path / "direct" / name, tmp_path / "nvcc" / name
        assert exports(here) == exports(there), name
        kernels += len(ptx(there))
        assert ptx(here) == ptx(there), name
    assert kernels >= sum(cell.count("__global__") for cell in cells)


def test_both_routes_give_the_same_twin(tmp_path):
    """PTX with debug information, for %%draw values and the debugger."""
    cells = ["""__device__ float scaled(float v, int n) {
    float w = v * n;
    return w + 1;
}
__global__ void work(float *p, int n) {
    __shared__ float part[32];
    int i = threadIdx.x;
    part[i] = scaled(i, n);
    __syncthreads();
    p[i] = part[31 - i];
}
float *p;
cudaMallocManaged(&p, 128);""", "%%draw values part\nwork<<<1, 32>>>(p, 3);\ncudaDeviceSynchronize();"]
    make_ready(cells, tmp_path / "direct")
    direct, _ = run(cells, tmp_path / "direct", False)
    by_nvcc, _ = run(cells, tmp_path / "nvcc", True)
    assert direct == by_nvcc
    here, there = (sorted((tmp_path / route).glob("cell_*.ptx")) for route in ("direct", "nvcc"))
    assert [p.name for p in here] == [p.name for p in there]
    kernels = 0
    for mine, nvccs in zip(here, there):
        texts = [path.read_text() for path in (mine, nvccs)]
        if ".debug_info" not in texts[0]:
            assert texts[0] == "// no device code\n" and not ptx(nvccs)
            continue
        bytes_of = [bytes(int(n) for row in re.findall(r"\.b8 ([\d,]+)", text) for n in row.split(",")) for text in texts]
        assert [b"device.cu" in b for b in bytes_of] == [True, False], "not the route that was asked for"
        assert ptx(mine) == ptx(nvccs)
        kernels += len(ptx(mine))
    assert kernels == 1
