"""Programs that a cell's shell builds and runs, as public notebooks do: `!nvcc x.cu -o x && ./x` and its kin just run
on softgpu, and what can't is told what to do."""

import re
import shutil

import pytest
from raw_client import REAL, Client, Kernel, streams

LIMIT = 600  # seconds for a cell, on a slow machine that does other things, too

PROGRAM = r"""#include <cstdio>
__global__ void twice(int *a) { a[threadIdx.x] *= 2; }
int main(int n, char **) {
    int h[4] = {1, 2, 3, 4}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    twice<<<1, n == 1 ? 4 : 5>>>(d);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("answer %d%d%d%d, %s\n", h[0], h[1], h[2], h[3], cudaGetErrorString(e));
}
"""

BLAS = r"""#include <cstdio>
#include <cublas_v2.h>
int main() {
    float host[6] = {2, 2, 2, 5, 5, 5}, *x, dot = 0, sum = 0;
    cudaMalloc(&x, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cublasHandle_t blas;
    cublasCreate(&blas);
    cublasSdot(blas, 3, x, 1, x + 3, 1, &dot);
    cublasSasum(blas, 3, x + 3, 1, &sum);
    printf("dot %g, sum %g\n", dot, sum);
}
"""

DRIVER = r"""#include <cuda.h>
#include <cstdio>
int main() {
    const char *text = "";
    CUresult r = cuInit(0);
    cuGetErrorString(r, &text);
    printf("%d %s\n", r, text);
}
"""

MAKEFILE = "NVCC := $(WARPBOOK_NVCC)\nby_make: a.cu\n\t$(NVCC) -arch=sm_80 -o $@ $<\n"

CMAKE = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CUDA)\nadd_executable(p a.cu)\n"

GOOD = "answer 2468, no error"
TOLD = r"softgpu: {} looks for NVIDIA's driver .* `nvcc -cudart shared`"

# A cell, and what it must show: expressions. What begins with an exclamation mark must not be there.
# Of those that are alike a plain run has a few (GROUPS), for each is a program that is compiled.
CELLS = {
    "plain": ("!nvcc a.cu -o x && ./x", [GOOD]),
    "the static runtime named": ("!nvcc -cudart static a.cu -o x && ./x", [GOOD]),
    "bash, a GPU's code alone": ("%%bash\nnvcc -gencode arch=compute_80,code=sm_80 a.cu -o x\n./x",
                                 [GOOD, "!no kernel image"]),
    "a list of code": ("!nvcc -arch=compute_80 -code=sm_80,sm_86 a.cu -o x && ./x", [GOOD, "!no kernel image"]),
    "an old GPU": ("!nvcc -arch sm_70 a.cu -o x && ./x", [GOOD, "-arch=sm_70 becomes -arch=sm_75"]),
    "this machine's": ("%%sh\nnvcc -arch=native a.cu -o x\n./x", [GOOD, "!warning", "!driver"]),
    "-run": ("!nvcc -run a.cu -o named", [GOOD]),
    "a fault": ("!nvcc a.cu -o x && ./x more",
                [r"softgpu: cudaErrorIllegalAddress: out-of-bounds .*/a\.cu:2 in twice", "illegal memory access"]),
    "code to be linked": ("!nvcc -rdc=true a.cu -o x && ./x", ["softgpu: .*relocatable device code"]),
    "a real GPU's PTX": ("!nvcc -ptx -arch=sm_86 a.cu -o a.ptx && grep target a.ptx", ["sm_86"]),
    "libraries": ("!nvcc blas.cu -lcublas -o x && ./x", ["dot 30, sum 15"]),
    "made static elsewhere": ("!env -u NVCC_APPEND_FLAGS $WARPBOOK_NVCC a.cu -o old && ./old; warpbook exec -- ./old",
                              [f"(?s){TOLD.format('old')}.*{TOLD.format('old')}", "!answer 2468"]),
    "the driver": ("!nvcc driver.cu -lcuda -o asks && ./asks", [TOLD.format("asks"), "100 no CUDA-capable device"]),
    "make": ("!make -s by_make && ./by_make", [GOOD]),
    "cmake": ("!cmake -B b >/dev/null && cmake --build b >/dev/null && b/p", [GOOD]),
    "nvidia-smi": ("!nvidia-smi", ["no NVIDIA GPU here"]),
    "nsys": ("!nvcc a.cu -o x && nsys profile --stats=true -o x --force-overwrite true ./x",
             [GOOD, "nsys needs an NVIDIA GPU; .* runs ./x", r"As modelled for an NVIDIA H200", r"twice +1 "]),
    "ncu": ("!nvcc a.cu -o x && ncu --set full x more", [r"\./x and tells what each kernel moves", "sectors/load", "out-of-bounds"]),
    "compute-sanitizer": ("!nvcc a.cu -o x && compute-sanitizer --tool racecheck ./x", [GOOD, "racecheck: nothing found in 1 kernel launch"]),
    "a profiler's report": ("!nsys stats report.nsys-rep", ["%%counters", "warpbook exec --counters"]),
    "a checker without a program": ("!compute-sanitizer ./none", ["%%memcheck", "warpbook exec --memcheck"]),
}


GROUPS = {2: ["plain", "the static runtime named", "bash, a GPU's code alone", "a list of code", "an old GPU", "this machine's", "-run"],
          1: ["libraries", "the driver", "make", "cmake", "nsys", "ncu", "compute-sanitizer"]}


def marks(name):
    return [pytest.mark.drawn(" ".join(names), n) for n, names in GROUPS.items() if name in names]


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shell")
    kernel = Kernel(argv=["env", "-C", str(folder), str(REAL), "kernel", "-f"],
                    env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    client.ready()
    files = {"a.cu": PROGRAM, "blas.cu": BLAS, "driver.cu": DRIVER, "Makefile": MAKEFILE, "CMakeLists.txt": CMAKE}
    for i, (name, text) in enumerate(files.items()):
        client.execute(f"%%{'file' if i % 2 else 'writefile'} {name}\n{text}", timeout=LIMIT)
        assert (folder / name).read_text().rstrip("\n") == text.rstrip("\n")
    yield client
    client.close()
    kernel.close()


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in CELLS])
def test_programs_just_run(shell, name):
    code, wanted = CELLS[name]
    if name == "cmake" and not shutil.which("cmake"):
        pytest.skip("cmake is not here")
    content, outputs = shell.execute(code, timeout=LIMIT)
    shown = streams(outputs) + streams(outputs, "stderr")
    assert content["status"] == "ok", shown
    for one in wanted:
        there = re.search(one.removeprefix("!"), shown)
        assert bool(there) != one.startswith("!"), (one, shown)
