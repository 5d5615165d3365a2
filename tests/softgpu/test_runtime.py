"""softgpu's libcudart and libcublas under programs that nvcc made, and `warpbook run` and `exec`."""

import json
import os
import re
import shutil
import subprocess
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


def test_symbols_are_nvidias():
    """Every symbol of the lists taken from NVIDIA's libraries, under NVIDIA's version, no other."""
    for folder, library, own in (("cudart", "libcudart.so.13", "softgpu_"), ("cublas", "libcublas.so.13", "-")):
        text = (ROOT / "runtime" / "softgpu" / folder / "exports.inc").read_text()
        wanted = set(re.findall(r"(?:EXPORT|TEXTURE)\((\w+)\)", text))
        table = subprocess.run(["nm", "-D", "--defined-only", LIBRARIES / library], check=True, text=True,
                               capture_output=True).stdout
        found = {line.split()[-1] for line in table.splitlines() if line.split()[-2] != "A"}
        found = {name for name in found if not name.startswith(own)}
        assert found == {f"{name}@@{library}" for name in wanted}


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
    assert re.search(r"samples\.cu:\d+ ", done.stderr)


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
    assert done.returncode == 1 and "400 bytes of cudaMalloc to free() or delete; cudaFree" in done.stderr


def test_a_program_that_checks_and_exits_is_told_what_failed(build):
    done = warpbook("exec", "--device", "soft", "--", program(build, "checks"), "asked")
    assert done.returncode == 1 and "2048 threads; at most 1024" in done.stderr


# A use of softgpu, its exit status under `warpbook exec`, and whether the report says that it was refused.
REFUSED = {
    "texture": ("cudaTextureObject_t t; cudaCreateTextureObject(&t, nullptr, nullptr, nullptr);", True),
    "texture, looked at": ("cudaTextureObject_t t; cudaCreateTextureObject(&t, nullptr, nullptr, nullptr); cudaGetLastError();", True),
    "fp8": ("f8<<<1, 1>>>(nullptr); cudaGetLastError();", True),
    "cluster": ("cudaLaunchConfig_t c = {}; c.gridDim = 2; c.blockDim = 1; cudaLaunchAttribute a[1];"
                "a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = 2;"
                "a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = 1;"
                "cudaLaunchKernelEx(&c, nothing); cudaGetLastError();", True),
    "a failure of the program's own": ("cudaMalloc((void **)nullptr, 4); nothing<<<1, 2000>>>(); cudaGetLastError();", False),
    "nothing": ("nothing<<<1, 1>>>(); cudaDeviceSynchronize();", False),
}


def test_exec_fails_if_softgpu_refused_something(tmp_path):
    cases = "".join(f"    if (which == {i}) {{ {code} }}\n" for i, (code, _) in enumerate(REFUSED.values()))
    (tmp_path / "refused.cu").write_text(
        "#include <cuda_fp8.h>\n#include <cstdlib>\n__global__ void nothing() {}\n"
        "__global__ void f8(float *x) { *x = float(__nv_fp8_e4m3(*x)); }\n"
        f"int main(int, char **argv) {{\n    int which = atoi(argv[1]);\n{cases}}}\n")
    subprocess.run([NVCC, "-cudart", "shared", "-arch=compute_90", "-o", tmp_path / "refused", tmp_path / "refused.cu"],
                   check=True, timeout=600)
    for i, (name, (_, refused)) in enumerate(REFUSED.items()):
        done = warpbook("exec", "--json", "--device", "soft", "--", tmp_path / "refused", str(i))
        assert (done.returncode, json.loads(done.stdout)["refused"]) == (int(refused), refused), (name, done.stderr)
        assert ("softgpu refused part of" in done.stderr) == refused, name
        assert ("textures, surfaces" in done.stderr + done.stdout) == name.startswith("texture"), name


def test_exec_fails_if_the_driver_was_called(tmp_path):
    (tmp_path / "driver.cu").write_text("extern \"C\" int cuInit(unsigned);\nint main() { cudaFree(nullptr); cuInit(0); }\n")
    subprocess.run([NVCC, "-cudart", "shared", "-o", tmp_path / "driver", tmp_path / "driver.cu", "-lcuda"], check=True, timeout=600)
    done = warpbook("exec", "--device", "soft", "--", tmp_path / "driver")
    assert done.returncode == 1 and "softgpu refused part of" in done.stderr
    assert "calls the CUDA driver API" in done.stderr and "-cudart shared" not in done.stderr


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
