"""softgpu's libcudart and libcublas under programs that nvcc made, and `warpbook run` and `exec`."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from test_cases import COMPILERS

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
SOURCES = ROOT / "tests" / "softgpu" / "runtime"
LIBRARIES = BUILD / "lib" / "warpbook" / "softgpu"
WARPBOOK = BUILD / "bin" / "warpbook"
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
SOFT = ["-arch=compute_90"]

CASES = {
    "api": ["copies", "frees", "pitches", "directions", "symbols", "launches", "sticky", "recover", "null", "streams", "memories",
            "devices", "errors", "unchecked", "libraries"],
    "blas": ["gemms", "geams", "vectors", "halves", "batches", "refusals"],
    "samples": ["chunks", "histograms", "scans", "products", "sorts", "grids", "bodies", "convolutions",
                "lives", "oddities", "mathematics", "says", "threads"],
}


@pytest.fixture(scope="session")
def build(request, tmp_path_factory):
    """build(source, *flags): the path of what nvcc makes of it, made once."""
    folder, begun = tmp_path_factory.mktemp("runtime"), {}

    def compile_one(out, source, flags):
        subprocess.run([NVCC, "-cudart", "shared", "-lineinfo", *flags, "-o", out, SOURCES / source],
                       check=True, timeout=600)
        return out

    def begin(source, *flags):
        key = (source, flags)
        if key not in begun:
            begun[key] = COMPILERS.submit(compile_one, folder / f"{Path(source).stem}{len(begun)}", source, flags)
        return begun[key]

    if any(name == "test_case" for name in (item.originalname for item in request.session.items
                                            if item.path == Path(__file__))):
        for name in CASES:  # the largest last: the others' tests run meanwhile
            begin(f"{name}.cu", *SOFT, *libraries_of(name))
    return lambda source, *flags: begin(source, *flags).result()


def libraries_of(name):
    return [f"-L{LIBRARIES}", "-l:libcublas.so.13", "-l:libcudart.so.13"] if name in ("blas", "checks") else []


def program(build, name):
    return build(f"{name}.cu", *SOFT, *libraries_of(name))


def run(path, *args, **settings):
    env = dict(os.environ, LD_LIBRARY_PATH=str(LIBRARIES), **settings)
    return subprocess.run([path, *args], env=env, timeout=600, capture_output=True, text=True)


def report_of(tmp_path, path, *args, **settings):
    report = tmp_path / "report.json"
    run(path, *args, WARPBOOK_SOFTGPU_REPORT=str(report), **settings)
    return json.loads(report.read_text())


@pytest.mark.parametrize("name,case", [(name, case) for name in CASES for case in CASES[name]])
def test_case(build, name, case):
    done = run(program(build, name), case)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_case_is_listed(build):
    for name, cases in CASES.items():
        listed = set(run(program(build, name)).stdout.split())
        assert set(cases) == listed - {"asserts"}, name


@pytest.mark.skipif(not os.environ.get("WARPBOOK_TEST_ALL"), reason="other programs are compiled for compute_100, too")
def test_newer_ptx_dialect(build):
    path = build("samples.cu", "-arch=compute_100")
    for case in ("scans", "products", "bodies", "oddities"):
        done = run(path, case)
        assert done.returncode == 0, case + done.stdout + done.stderr


def test_printf_in_order(build):
    lines = run(program(build, "samples"), "says").stdout.splitlines()
    assert lines[0] == "before" and lines[-1] == "after"
    assert lines[2] == "thread 1 of block:  0.50 1099511627776 x"


def test_assert_names_its_line(build, tmp_path):
    path = program(build, "samples")
    assert run(path, "asserts").returncode == 0
    fault = report_of(tmp_path, path, "asserts")["fault"]
    assert fault["error"] == "cudaErrorAssert" and fault["thread"] == [2, 0, 0]


def test_fault_names_line_block_and_allocation(build, tmp_path):
    fault = report_of(tmp_path, program(build, "api"), "sticky")["fault"]
    line = next(i for i, text in enumerate((SOURCES / "api.cu").read_text().splitlines(), 1)
                if text.strip() == "a[i] = 1;")
    assert fault["code"] == 700 and fault["line"] == line and fault["file"].endswith("api.cu")
    assert fault["kernel"] == "store_at(int*, long)" and fault["thread"] == [0, 0, 0]
    assert "400" in fault["text"]


def test_unchecked_error_is_told(build, tmp_path):
    unchecked = report_of(tmp_path, program(build, "api"), "unchecked")["unchecked"]
    assert unchecked["call"] == "cudaMemcpy" and unchecked["error"] == "cudaErrorInvalidValue"
    assert "16 bytes" in unchecked["text"] and "beyond" in unchecked["text"]


def test_report_of_launches(build, tmp_path):
    report = report_of(tmp_path, program(build, "samples"), "sorts", WARPBOOK_SOFTGPU_COUNTERS="1")
    (launch,) = report["launches"]
    assert launch["kernel"] == "bitonic(unsigned int*)" and launch["symbol"] == "_Z7bitonicPj"
    assert launch["grid"] == [1, 1, 1] and launch["block"] == [512, 1, 1]
    assert launch["dynamic_shared"] == 2048 and launch["seconds"] > 0
    counters = launch["counters"]
    assert counters["threads"] == 512 and counters["warps"] == 16
    assert counters["global_load_requests"] == 16 and counters["global_load_sectors"] == 64
    assert counters["global_store_bytes"] == 2048
    assert "counters" not in report_of(tmp_path, program(build, "samples"), "sorts")["launches"][0]


def test_cublas_rows(build, tmp_path):
    report = report_of(tmp_path, program(build, "blas"), "refusals")
    assert report["unchecked"]["call"] == "cublasCgemm"
    rows = report_of(tmp_path, program(build, "blas"), "gemms")["launches"]
    assert rows[0]["kernel"] == "cublasSgemm (reference)" and "counters" not in rows[0]


# Kernels that need few and many registers, by the sums that they keep.
REGISTERS = """
#include <cstdio>
template <int N> __global__ void sums(const float *in, float *out) {
    float kept[N];
    for (int i = 0; i < N; i++) kept[i] = in[threadIdx.x + i * 32];
    for (int r = 0; r < 9; r++)
        for (int i = 0; i < N; i++) kept[i] = kept[i] * kept[(i + 1) % N] + in[r];
    for (int i = 0; i < N; i++) out[threadIdx.x + i * 32] = kept[i];
}
template <int N> void show() {
    cudaFuncAttributes a;
    int blocks;
    cudaFuncGetAttributes(&a, sums<N>);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sums<N>, 256, 0);
    printf("%d %d\\n", a.numRegs, blocks);
}
int main() { show<SIZES>(); show<2>(); show<40>(); show<90>(); }
"""


def test_registers_are_those_of_ptxas(tmp_path):
    size = random.randint(4, 60)
    source = tmp_path / "registers.cu"
    source.write_text(REGISTERS.replace("SIZES", str(size)))
    made = subprocess.run([NVCC, "-arch=sm_90", "-Xptxas", "-v", "-cudart", "shared", "-o", tmp_path / "registers", source],
                          check=True, capture_output=True, text=True, timeout=600)
    allocated = {int(n): int(r) for n, r in re.findall(r"sumsILi(\d+)E.*?Used (\d+) registers", made.stderr, re.DOTALL)}
    env = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARIES), "XDG_CACHE_HOME": str(tmp_path)}
    answers = subprocess.run([tmp_path / "registers"], env=env, check=True, capture_output=True, text=True, timeout=600).stdout
    # a multiprocessor has 65,536 registers and gives a warp 256 at a time; eight warps a block, at most eight blocks
    expected = [f"{allocated[n]} {min(8, 256 // -(-allocated[n] * 32 // 256) // 8)}" for n in (size, 2, 40, 90)]
    assert answers.split("\n")[:4] == expected


def test_libraries_loaded_at_run_time(build):
    one = build("plugin.cu", *SOFT, "-shared", "-Xcompiler=-fPIC", "-DVALUE=1")
    two = build("plugin.cu", *SOFT, "-shared", "-Xcompiler=-fPIC", "-DVALUE=2")
    host = build("host.cpp", "-ldl")
    done = run(host, one, two, one, two)
    assert done.stdout == "11 12\n22 23\n" * 2, done.stdout + done.stderr


def test_machine_code_alone_is_refused_with_the_remedy(build, tmp_path):
    path = build("plugin.cu", "-gencode=arch=compute_90,code=sm_90", "-shared", "-Xcompiler=-fPIC", "-DVALUE=3")
    unchecked = report_of(tmp_path, build("host.cpp", "-ldl"), path)["unchecked"]
    assert unchecked["error"] == "cudaErrorNoKernelImageForDevice"
    assert "sm_90" in unchecked["text"] and "-gencode arch=compute_90,code=compute_90" in unchecked["text"]


@pytest.mark.parametrize("library", ["libcudart.so.13", "libcublas.so.13"])
def test_symbols_are_nvidias(library):
    """Every symbol of NVIDIA's library, under NVIDIA's version, and no other. The build takes them from the toolkit's library, too."""
    def symbols(path):
        table = subprocess.run(["nm", "-D", "--defined-only", path], check=True, text=True, capture_output=True).stdout
        return {line.split()[-1] for line in table.splitlines() if line.split()[-2] != "A" and " softgpu_" not in line}
    real = [path for path in Path(NVCC).resolve().parents[1].glob(f"**/{library}") if LIBRARIES not in path.parents]
    found = symbols(LIBRARIES / library)
    assert found == symbols(real[0].resolve())
    assert len(found) > 400


def test_per_thread_streams_have_the_same_functions():
    """Streams run in order, so a name of --default-stream per-thread is another name of the function."""
    table = subprocess.run(["nm", "-D", "--defined-only", LIBRARIES / "libcudart.so.13"], check=True, text=True, capture_output=True).stdout
    at = {line.split()[2].split("@")[0]: line.split()[0] for line in table.splitlines()}
    names = [name for name in at if re.search("_pt(sz|ds)$", name)]
    assert len(names) > 60 and all(at[name] == at[name.rsplit("_", 1)[0]] for name in names)


# ---- warpbook run and exec ---------------------------------------------------------------------

def warpbook(*args, **options):
    return subprocess.run([WARPBOOK, *args], timeout=600, capture_output=True, text=True, **options)


def test_exec_reports_a_fault(build):
    done = warpbook("exec", "--device", "soft", "--", program(build, "api"), "sticky")
    assert done.returncode == 1 and "out-of-bounds write" in done.stderr and "api.cu" in done.stderr


# How a program ends after a kernel's fault, by its argument, and what exec says of the end.
ENDS = {"a": "signal 6", "b": "signal 6", "t": "signal 6", "x": "signal 6", "e": "exit status 3", "_": "exit status 4", "q": "exit status 5",
        "k": "signal 9", "s": "signal 11", "f": "signal 15", "z": None, "o": None}


def test_a_fault_comes_before_the_end_of_its_program(build):
    fault = r"out-of-bounds write: .* at \S*faults\.cu:\d+ in twice\(int\*, int\), block \(3, 0, 0\), thread \(232, 0, 0\)"
    path = program(build, "faults")
    for way, end in ENDS.items():
        done = warpbook("exec", "--device", "soft", "--", path, way)
        assert done.returncode == 1 and re.search(f"(?s){fault}.*{end or ''}", done.stderr), (way, done.stderr)
        assert ("ended" in done.stderr) == bool(end), (way, done.stderr)
        assert re.search(fault, run(path, way, WARPBOOK_SOFTGPU_REPORT="-").stderr), way # as a shell of the notebook


def test_exec_counters(build):
    done = warpbook("exec", "--counters", "--", program(build, "samples"), "sorts")
    assert done.returncode == 0
    row = next(line for line in done.stderr.splitlines() if line.startswith("bitonic"))
    assert "4.00" in row and "100 %" in row
    assert re.search(r"\(samples\.cu, line \d+\)", done.stderr) and re.search(r"^ *218 +data\[i\] = s\[i\];  ", done.stderr, re.M)


@pytest.mark.parametrize("flag,case,words", [
    ("--memcheck", "half_set", "uninitialised read"), ("--memcheck", "all_set", None),
    ("--memcheck", "vectors_half_set", "uninitialised read"), ("--memcheck", "vectors_set", None),
    ("--racecheck", "no_barrier", "__syncthreads() is missing"), ("--racecheck", "barrier", None)])
def test_exec_checks(build, flag, case, words):
    path = program(build, "checks")
    assert warpbook("exec", "--device", "soft", "--", path, case).returncode == 0
    done = warpbook("exec", flag, "--", path, case)
    assert done.returncode == (1 if words else 0), done.stderr
    assert words is None or (words in done.stderr and "checks.cu" in done.stderr)


def test_host_code_on_device_memory_crashes_and_is_told_why(build):
    path = program(build, "checks")
    done = warpbook("exec", "--device", "soft", "--", path, "host_read")
    assert done.returncode == 1 and "byte 36 of an allocation of 400 bytes" in done.stderr
    done = run(path, "host_read")
    assert done.returncode == -11 and "follows a device pointer" in done.stderr
    assert run(path, "host_read", WARPBOOK_SOFTGPU_GUARD="0").stdout == "0.000000\n"


def test_free_of_device_memory_is_told_from_other_crashes(build):
    done = warpbook("exec", "--device", "soft", "--", program(build, "checks"), "host_free")
    assert done.returncode == 1 and "400 bytes of cudaMalloc to free() or delete; use cudaFree" in done.stderr


def test_a_program_that_checks_and_exits_is_told_what_failed(build):
    done = warpbook("exec", "--device", "soft", "--", program(build, "checks"), "asked")
    assert done.returncode == 1 and "2048 threads; at most 1024" in done.stderr


# A use of softgpu, and the kinds that it refuses.
REFUSED = {
    "array": ("cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(); cudaArray_t a; cudaMallocArray(&a, &f, 1, 1, cudaArraySparse);", ["texture_features"]),
    "array, looked at": ("cudaArrayGetPlane(nullptr, nullptr, 0); cudaGetLastError();", ["texture_features"]),
    "textures, asked": ("query<<<1, 1>>>(0, nullptr); query<<<1, 2>>>(0, nullptr); cudaArrayGetPlane(nullptr, nullptr, 0);", ["texture_features"]),
    "cluster barrier": ("joins<<<1, 1>>>(); cudaGetLastError();", ["clusters"]),
    "two kinds": ("joins<<<1, 1>>>(); cudaGetLastError(); cudaIpcGetMemHandle(nullptr, nullptr);", ["clusters", "ipc"]),
    "two functions": ("for (int i = 0; i < 2; i++) cudaLogsCurrent(nullptr, 0), cudaMemRangeGetAttribute(nullptr, 0, cudaMemRangeAttributeReadMostly, nullptr, 0);",
                      ["function", "function"]),
    "driver": ("void *f; cudaDriverEntryPointQueryResult r; cudaGetDriverEntryPointByVersion(\"cuInit\", &f, 13000, 0, &r);", ["driver_api"]),
    "event": ("cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming);", ["ipc"]),
    "no array": ("cudaMemcpy3DParms p = {}; p.srcArray = (cudaArray_t)16; cudaMemcpy3D(&p);", []),
    "conditional node": ("cudaGraph_t g; cudaGraphNode_t n; cudaGraphNodeParams p = {}; p.type = cudaGraphNodeTypeConditional;"
                         "cudaGraphCreate(&g, 0); cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p);", ["conditional_nodes"]),
    "required cluster": ("cudaFuncSetAttribute(nothing, cudaFuncAttributeRequiredClusterWidth, 2);", ["clusters"]),
    "cluster": ("cudaLaunchConfig_t c = {}; c.gridDim = 2; c.blockDim = 1; cudaLaunchAttribute a[1];"
                "a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = 2;"
                "a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = 1;"
                "cudaLaunchKernelEx(&c, nothing); cudaGetLastError();", ["clusters"]),
    "reset": ("cudaIpcGetMemHandle(nullptr, nullptr); cudaGetLastError(); cudaDeviceReset();", ["ipc"]),
    "a failure of the program's own": ("cudaMalloc((void **)nullptr, 4); nothing<<<1, 2000>>>(); cudaGetLastError();", []),
    "a channel's description": ("cudaCreateChannelDesc<float>();", []),
    "nothing": ("nothing<<<1, 1>>>(); cudaDeviceSynchronize();", []),
}
KINDS = {kind: (name, what) for kind, name, what in
         re.findall(r'^REFUSED\((\w+), "(\w+)", (?:N_\("([^"]*)"\)|NULL)', (ROOT / "runtime/softgpu/machine/refused.inc").read_text(), re.M)}
WORDS = {name: what for name, what in KINDS.values()}


def compiled(source, out, *flags):
    out.with_suffix(".cu").write_text(source)
    subprocess.run([NVCC, "-cudart", "shared", "-arch=sm_90", "-o", out, out.with_suffix(".cu"), *flags], check=True, timeout=600)
    return out


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    cases = "".join(f"    if (which == {i}) {{ {code} }}\n" for i, (code, _) in enumerate(REFUSED.values()))
    return compiled(
        "#include <cstdio>\n#include <cstdlib>\n__global__ void nothing() {}\n"
        "__global__ void joins() { asm volatile(\"barrier.cluster.arrive;\"); }\n"
        "__global__ void query(cudaTextureObject_t t, int *x) { asm(\"txq.width.b32 %0, [%1];\" : \"=r\"(*x) : \"l\"(t)); }\n"
        f"int main(int, char **argv) {{\n    int which = atoi(argv[1]);\n    printf(\"begins\\n\");\n{cases}}}\n",
        tmp_path_factory.mktemp("refused") / "refused", "-gencode=arch=compute_90,code=compute_90")


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_fails_and_is_named_once(refused, name):
    kinds, number = REFUSED[name][1], str(list(REFUSED).index(name))
    done = warpbook("exec", "--json", "--device", "soft", "--", refused, number)
    found = json.loads(done.stdout)["refused"]
    assert (done.returncode, [r["kind"] for r in found]) == (int(bool(kinds)), kinds), done.stderr
    for done in warpbook("exec", "--device", "soft", "--", refused, number), run(refused, number, WARPBOOK_SOFTGPU_REPORT="-"):
        assert done.returncode == int(bool(kinds)) and done.stdout == "begins\n", done.stderr
        assert all(done.stderr.count(WORDS[kind]) == 1 for kind in kinds if WORDS[kind]), done.stderr
        for r in found:
            assert done.stderr.count(r["text"].split("/")[-1]) == 1, (r, done.stderr)


def test_each_refused_function_names_its_kind():
    """Each function that softgpu's libcudart lacks returns cudaErrorNotSupported, and the report has the listed kind."""
    listed, kind = {}, None
    for line in (SOURCES / "refused.txt").read_text().splitlines()[1:]:
        if line.startswith(" "):
            listed[line.strip()] = kind
        else:
            kind = line
    table = subprocess.run(["nm", "-D", LIBRARIES / "libcudart.so.13"], check=True, text=True, capture_output=True).stdout
    lacks = {line.split()[-1].split("@")[0] for line in table.splitlines() if line.split()[-2] == "W" and "@@libcudart" in line}
    assert lacks == {name for name in listed if "_pt" not in name} # these are other names of the same
    code = ("import ctypes, json, sys\nlibrary = ctypes.CDLL(sys.argv[1])\nlibrary.softgpu_report.restype = ctypes.c_char_p\n"
            "for name in sys.argv[2:]:\n    code = getattr(library, name)()\n"
            "    print(json.dumps([name, code, json.loads(library.softgpu_report(1))['refused']]))\n")
    done = subprocess.run([sys.executable, "-c", code, LIBRARIES / "libcudart.so.13", *listed], check=True, text=True, capture_output=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(listed)
    for name, status, found in rows:
        kind, what = KINDS[listed[name]]
        assert status == 801 and [r["kind"] for r in found] == [kind], name
        assert (what or name.split("_pt")[0]) in found[0]["text"], (name, found)


DRIVER = "extern \"C\" int cuInit(unsigned);\nint main() { cudaFree(nullptr); cuInit(0); cuInit(0); }\n"


@pytest.mark.parametrize("source,flags,kind", [
    (DRIVER, ["-lcuda"], "driver_api"),
    ("int main() { cudaFree(nullptr); cudaFree(nullptr); }\n", ["-cudart", "static"], "static_runtime"),
    ("__global__ void k() { cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming); }\nint main() { k<<<1, 1>>>(); cudaGetLastError(); }\n",
     ["-rdc=true", "-lcudadevrt"], "dynamic_parallelism")])
def test_what_a_program_was_built_with(tmp_path, source, flags, kind):
    path = compiled(source, tmp_path / "program", *flags)
    done = warpbook("exec", "--device", "soft", "--", path)
    assert done.returncode == 1 and done.stderr.count("does not support " + WORDS[kind]) == 1, done.stderr
    assert kind == "static_runtime" or "-cudart shared" not in done.stderr
    report = json.loads(warpbook("exec", "--json", "--device", "soft", "--", path).stdout)
    assert [r["kind"] for r in report["refused"]] == [kind]


TWICE = "__device__ int twice(int x) { return 2 * x; }\n"
KERNEL = """#include <cstdio>
#ifndef TWICE
extern __device__ int twice(int x);
#endif
__constant__ int one = 1;
static __device__ int last;
__global__ void k(int *x) { last = *x = twice(*x) + one; }
int main() {
    int *x, y = 21;
    cudaMallocManaged(&x, 4);
    *x = y;
    k<<<1, 1>>>(x);
    cudaMemcpyFromSymbol(&y, last, sizeof y);
    printf("%d %d\\n", *x, y);
}
"""


def test_relocatable_code_of_one_file_runs(tmp_path):
    path = compiled("#define TWICE\n" + TWICE + KERNEL, tmp_path / "one", "-rdc=true")
    done = warpbook("exec", "--device", "soft", "--", path)
    assert (done.returncode, done.stdout) == (0, "43 43\n"), done.stderr


def test_relocatable_code_of_two_files_runs(tmp_path):
    (tmp_path / "twice.cu").write_text(TWICE)
    path = compiled(KERNEL, tmp_path / "two", "-rdc=true", tmp_path / "twice.cu")
    done = warpbook("exec", "--device", "soft", "--", path)
    assert (done.returncode, done.stdout) == (0, "43 43\n"), done.stderr


LINKED = {
    "both.h": """#include <cstdio>
template <class T> __device__ __noinline__ T ten(T x) { static __device__ int calls; return x * 10 + atomicAdd(&calls, 1); }
""",
    "one.cu": """#include "both.h"
static __device__ int own = 5;
static __device__ __noinline__ int add(int x) { return x + own; }
__device__ int everyones = 11;
__constant__ int table[4] = {1, 2, 3, 4};
extern __device__ int twice(int x);
__global__ void first(int *o) { o[0] = twice(21); o[1] = add(1); o[2] = ten(3); o[3] = table[2]; printf("first %d\\n", o[0]); }
void start_second(int *o);
int main() {
    int *o, r[7] = {}, n;
    cudaMalloc(&o, sizeof r);
    first<<<1, 1>>>(o);
    start_second(o);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&n, everyones, sizeof n);
    for (int x : r) printf("%d ", x);
    printf("%d\\n", n);
    return cudaGetLastError();
}
""",
    "two.cu": """#include "both.h"
extern __device__ int everyones;
extern __constant__ int table[4];
static __device__ int own = 7;
static __device__ __noinline__ int add(int x) { return x + own; }
__device__ int twice(int x) { return 2 * x; }
__device__ int (*chosen)(int) = twice;
__global__ void second(int *o) { everyones++; o[4] = add(1) + table[3]; o[5] = ten(4); o[6] = chosen(4); printf("second %d\\n", o[4]); }
void start_second(int *o) { second<<<1, 1>>>(o); }
"""}


def test_sources_share_what_they_name_and_no_more(tmp_path):
    """Functions, variables, constants, function pointers, a weak variable; each source has a static variable, a static function
    and a string of its own."""
    for name, text in LINKED.items():
        (tmp_path / name).write_text(text)
    nvcc = [NVCC, "-cudart", "shared", "-arch=sm_80"]
    for name in ("one", "two"):
        subprocess.run([*nvcc, "-dc", f"{name}.cu", "-o", f"{name}.o"], cwd=tmp_path, check=True)
    subprocess.run(["ar", "rc", "libtwo.a", "two.o"], cwd=tmp_path, check=True)
    subprocess.run([*nvcc, "one.o", "-L.", "-ltwo", "-o", "all"], cwd=tmp_path, check=True)
    done = warpbook("exec", "--device", "soft", "--", tmp_path / "all")
    assert (done.returncode, done.stdout) == (0, "first 42\nsecond 12\n42 6 30 3 12 41 8 12\n"), done.stderr


NESTED = """#include <cstdio>
__global__ void child(int *o, int v) {
    atomicAdd(&o[threadIdx.x], v);
    if (threadIdx.x == 0 && v < 4)
        child<<<1, 4>>>(o, v + 1);
}
__global__ void after(int *o) { o[5] = o[0] * 100; }
__global__ void again(int *o) { if (++o[6] < 50) again<<<1, 1, 0, cudaStreamTailLaunch>>>(o); }
__global__ void parent(int *o) {
    again<<<1, 1, 0, cudaStreamTailLaunch>>>(o);
    after<<<1, 1, 0, cudaStreamTailLaunch>>>(o);
    child<<<2, 4, 16>>>(o, 1);
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(o, 9);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    child<<<1, 1, 0, s>>>(o, 9);
    cudaMemcpyAsync(&o[4], &o[1], 4, cudaMemcpyDeviceToDevice, s);
    int *mine;
    if (cudaMalloc(&mine, 4) || cudaFree(mine) || cudaGetLastError())
        printf("%s\\n", cudaGetErrorString(cudaGetLastError()));
}
__global__ void endless(int depth) { endless<<<1, 1>>>(depth + 1); }
int main(int n, char **) {
    int *o, r[7];
    cudaMalloc(&o, sizeof r);
    cudaMemset(o, 0, sizeof r);
    if (n > 1)
        endless<<<1, 1>>>(0);
    else
        parent<<<1, 1>>>(o);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    for (int x : r)
        printf("%d ", x);
    puts(cudaGetErrorName(cudaGetLastError()));
}
"""


def test_kernels_launch_kernels(tmp_path):
    """Two blocks of a child add 1 to 4 in four lanes, two single threads add 9; then o[0] * 100, and 50 tail launches in a row."""
    path = compiled(NESTED, tmp_path / "nested", "-rdc=true", "-lcudadevrt")
    done = warpbook("exec", "--device", "soft", "--", path)
    assert (done.returncode, done.stdout) == (0, "38 20 20 20 20 3800 50 cudaSuccess\n"), done.stdout + done.stderr
    report = json.loads(warpbook("exec", "--json", "--device", "soft", "--counters", "--", path).stdout)
    names = [launch["kernel"].split("(")[0] for launch in report["launches"]]
    assert names == ["parent"] + ["child"] * 9 + ["again"] * 50 + ["after"], names
    deep = warpbook("exec", "--device", "soft", "--", path, "deep")
    assert "a depth of more than 24" in deep.stderr and "cudaErrorLaunchFailure" in deep.stdout, deep.stdout + deep.stderr


def test_a_fault_in_another_source_has_its_line(tmp_path):
    (tmp_path / "reads.cu").write_text("// one\n// two\n__device__ int at(const int *x, int i) { return x[i]; }\n")
    path = compiled("extern __device__ int at(const int *x, int i);\n__global__ void k(int *x) { *x = at(x, 8); }\n"
                    "int main() { int *x; cudaMalloc(&x, 32); k<<<1, 1>>>(x); return cudaDeviceSynchronize(); }\n",
                    tmp_path / "faulty", "-rdc=true", "-lineinfo", tmp_path / "reads.cu")
    done = warpbook("exec", "--device", "soft", "--", path)
    assert done.returncode != 0 and "reads.cu:3 in k" in done.stderr, done.stderr


def test_each_library_is_named_once(tmp_path):
    """Libraries that call the driver, as NVIDIA's do: they contain the static runtime."""
    names = {"libcufft.so.12": "cufft", "libcufftw.so.12": "cufft", "libcurand.so.10": "curand", "libcusolver.so.12": "cusolver",
             "libcusolverMg.so.12": "cusolver", "libcusparse.so.12": "cusparse", "libcublasLt.so.13": "cublaslt", "libcudnn_ops.so.9": "cudnn",
             "libnccl.so.2": "nccl", "libnppial.so.13": "npp", "libnvjpeg.so.13": "nvjpeg", "libcutensor.so.2": "cutensor",
             "libmine.so": "library", "libother.so": "library"}
    first = tmp_path / "first.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", first, f"-L{LIBRARIES}", "-l:libcuda.so.1"], check=True, text=True,
                   input="int cuInit(unsigned);\nint ask(void) { return cuInit(0); }\n")
    for name in names:
        shutil.copy(first, tmp_path / name)
    code = "import ctypes, sys\nfor name in 2 * sys.argv[1:]:\n    assert ctypes.CDLL(name).ask() == 100\n"
    done = warpbook("exec", "--json", "--device", "soft", "--", sys.executable, "-c", code, *(tmp_path / name for name in names))
    found = [(r["kind"], r["call"]) for r in json.loads(done.stdout)["refused"]]
    assert done.returncode == 1 and [kind for kind, _ in found] == list(dict.fromkeys(k for k in names.values() if k != "library")) + ["library"] * 2
    assert found[-2:] == [("library", "libmine.so"), ("library", "libother.so")]


def test_exec_json_is_one_document(build):
    done = warpbook("exec", "--json", "--", program(build, "samples"), "says")
    assert json.loads(done.stdout)["device"] == "softgpu" and "before" in done.stderr


def test_exec_says_what_is_wrong_with_usage(build):
    assert warpbook("exec").returncode == 2
    done = warpbook("exec", "--countres", "--", "true")
    assert done.returncode == 2 and "--countres" in done.stderr
    assert warpbook("exec", "--counters", "--device", "gpu", "--", "true").returncode == 2
    for words, says in [(["--device"], "--device needs a value"), (["--device=tpu", "--", "true"], "not 'tpu'"),
                        (["--countres", "--", "true"], "did you mean --counters?"),
                        (["--json=1", "--", "true"], "--json takes no value")]:
        done = warpbook("exec", *words)
        assert done.returncode == 2 and says in done.stderr and "usage: warpbook exec" in done.stderr
    done = warpbook("exec", "--device=soft", "--", "/bin/echo", "--device", "--seed=7", "--device=x")
    assert done.stdout == "--device --seed=7 --device=x\n"
    assert "usage: warpbook run" in warpbook("run", "--counters", "--help").stdout
    assert "nvcc -cudart shared" in warpbook("exec", "--device", "soft", "--", "true").stderr
    assert warpbook("exec", "--device", "soft", "--", "false").returncode == 1


def test_run_compiles_and_runs(tmp_path):
    """With nvcc's flags behind the file, a value in the same word or in the next."""
    source = tmp_path / "hello.cu"
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "from.h").write_text('#include <cstdio>\n#define FROM ORIGIN " %d\\n"\n')
    source.write_text('#include "from.h"\n__global__ void hello() { printf(FROM, threadIdx.x + BASE); }\n'
                      "int main(int argc, char **) { hello<<<1, argc>>>(); cudaDeviceSynchronize(); return argc; }\n")
    done = warpbook("run", "--device", "soft", source, "-I", tmp_path / "own", "-DBASE=4", "-D", 'ORIGIN="from"', "--", "a", "b")
    assert done.stdout == "from 4\nfrom 5\nfrom 6\n" and done.returncode == 1
    assert "exit status 3" in done.stderr
    source.write_text("int main() { return undeclared; }\n")
    done = warpbook("run", "--device", "soft", source)
    assert done.returncode == 1 and "undeclared" in done.stderr and "hello.cu" in done.stderr
    assert warpbook("run", "--device", "soft", tmp_path / "none.cu").returncode == 1
