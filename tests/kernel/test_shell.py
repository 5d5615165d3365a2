"""Programs that a cell's shell builds and runs, as public notebooks do: `!nvcc x.cu -o x && ./x` and its kin just run
on softgpu, and what can't is told what to do."""

import re
import shutil
from pathlib import Path

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

RANDOM = r"""#include <cstdio>
#include <curand.h>
int main() {
    curandGenerator_t g;
    float *x, host[4] = {7};
    cudaMalloc(&x, sizeof host);
    int failed = curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(g, 1234);
    curandGenerateUniform(g, host, 4);
    printf("%d, %.6f\n", failed, host[0]);
}
"""

USES = ("#include <cstdio>\nextern __device__ int other(int x);\n__global__ void k() { printf(\"linked %d\\\\n\", other(41)); }\n"
        "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n")
CDP = ("#include <cstdio>\n__global__ void child(int d) { printf(\"child %d\\\\n\", d); }\n"
       "__global__ void k() { child<<<1, 1>>>(7); }\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n")
HAS = "__device__ int other(int x) { return x + 1; }\n"
OLD = """int main() {
    int *x; cudaMallocManaged(&x, 4);
    cudaThreadSynchronize();
    cudaMemPrefetchAsync(x, 4, 0);
}
"""
WRONG = "__global__ void k() { nothing(); }\n"
MAKEFILE = "NVCC := $(WARPBOOK_NVCC)\nby_make: a.cu\n\t$(NVCC) -arch=sm_80 -o $@ $<\n"

CMAKE = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CUDA)\nadd_executable(p a.cu)\n"

GOOD = "answer 2468, no error"
TOLD = "does not support programs with the static CUDA runtime.* `nvcc -cudart shared`"

# A cell, and what it must show: expressions. What begins with an exclamation mark must not be there.
# A plain run has only a few of those that are alike (GROUPS), because each compiles a program.
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
    "one source that could be linked": ("!nvcc -rdc=true a.cu -o x && ./x && nvcc -dc a.cu -o a.o && nvcc a.o -o y && ./y",
                                        [f"{GOOD}\n{GOOD}", "!relocatable"]),
    "what CUDA has no more": ("!nvcc old.cu -o old", [r"old\.cu\(3\): cudaThreadSynchronize is called cudaDeviceSynchronize today\.",
                                                     r"old\.cu\(4\): .*cudaMemLocationTypeDevice"]),
    "an error in it": ("!nvcc -dc wrong.cu -o w.o", ["wrong.cu.*error.*nothing", r"exit status [12]"]),
    "kernels that launch kernels": ("!nvcc -rdc=true cdp.cu -o x -lcudadevrt && ./x", ["child 7", "!exit status"]),
    "code to be linked": ("!nvcc -rdc=true -gencode arch=compute_80,code=sm_80 uses.cu has.cu -o x && ./x", ["linked 42", "!no kernel image"]),
    "a real GPU's PTX": ("!nvcc -ptx -arch=sm_86 a.cu -o a.ptx && grep target a.ptx", ["sm_86"]),
    "libraries": ("!nvcc blas.cu -lcublas -o x && ./x", ["dot 30, sum 15"]),
    "made static elsewhere": ("!env -u NVCC_APPEND_FLAGS $WARPBOOK_NVCC a.cu -o old && ./old; warpbook exec -- ./old",
                              [f"(?s){TOLD}.*{TOLD}", "!answer 2468"]),
    "the driver": ("!nvcc driver.cu -lcuda -o asks && ./asks", ["does not support the CUDA driver API", "!cudart shared", "100 no CUDA-capable device", "exit status 1"]),
    "a library that needs a GPU": ("!nvcc random.cu -lcurand -o x && ./x",
                                   [r"does not support cuRAND's host API; .*curandCreateGeneratorHost", r"203, 0\.145468", "exit status 1"]),
    "make": ("!make -s by_make && ./by_make", [GOOD]),
    "cmake": ("!cmake -B b >/dev/null && cmake --build b >/dev/null && b/p", [GOOD]),
    "nvidia-smi": ("!nvidia-smi", ["no NVIDIA GPU here"]),
    "nsys": ("!nvcc a.cu -o x && nsys profile --stats=true -o x --force-overwrite true ./x",
             [GOOD, "nsys needs an NVIDIA GPU; .* runs ./x", r"As modelled for an NVIDIA H200", r"twice +1 "]),
    "ncu": ("!nvcc a.cu -o x && ncu --set full x more", [r"\./x and tells what each kernel moves", "sectors/load", "out-of-bounds"]),
    "compute-sanitizer": ("!nvcc a.cu -o x && compute-sanitizer --tool racecheck ./x", [GOOD, "No data race in 1 kernel launch\\."]),
    "a profiler's report": ("!nsys stats report.nsys-rep", ["%%counters", "warpbook exec --counters"]),
    "a checker without a program": ("!compute-sanitizer ./none", ["%%memcheck", "warpbook exec --memcheck"]),
}


GROUPS = {2: ["plain", "the static runtime named", "bash, a GPU's code alone", "a list of code", "an old GPU", "this machine's", "-run"],
          1: ["libraries", "a library that needs a GPU", "the driver", "make", "cmake", "nsys", "ncu", "compute-sanitizer"]}


def marks(name):
    return [pytest.mark.some(" ".join(names), n) for n, names in GROUPS.items() if name in names]


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shell")
    kernel = Kernel(argv=["env", "-C", str(folder), str(REAL), "kernel", "-f"],
                    env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    client.ready()
    files = {"a.cu": PROGRAM, "blas.cu": BLAS, "driver.cu": DRIVER, "random.cu": RANDOM, "uses.cu": USES, "has.cu": HAS, "cdp.cu": CDP, "wrong.cu": WRONG, "old.cu": OLD, "Makefile": MAKEFILE, "CMakeLists.txt": CMAKE}
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
    if "-lcurand" in code and not list(Path("/usr/local/cuda/lib64").glob("libcurand.so")):
        pytest.skip("cuRAND is not here")
    content, outputs = shell.execute(code, timeout=LIMIT)
    shown = streams(outputs) + streams(outputs, "stderr")
    assert content["status"] == "ok", shown
    for one in wanted:
        there = re.search(one.removeprefix("!"), shown)
        assert bool(there) != one.startswith("!"), (one, shown)


def said(shell, code):
    content, outputs = shell.execute(code, timeout=LIMIT)
    return content["status"], streams(outputs) + (content.get("evalue") or "")


def test_cd_moves_cells_and_commands(shell):
    """... and what is started later; a cell that runs already is told with its next one."""
    status, here = said(shell, "%pwd")
    include = "#include <unistd.h>\n#include <cstdlib>\n#include <cstdio>\n"
    assert said(shell, include + 'char at[4096]; puts(getcwd(at, sizeof at));')[1] == here
    below = f"{here.strip()}/deep er"
    assert said(shell, '!mkdir "deep er"\n%cd "deep er"') == ("ok", below + "\n")
    assert said(shell, "%pwd\n!pwd\nputs(getcwd(at, sizeof at));") == ("ok", 3 * (below + "\n"))
    assert said(shell, "%%writefile here.h\nint from_here = 42;")[0] == "ok"
    assert said(shell, '#include "here.h"\nfrom_here')[0] == "ok"
    # what a cell changes itself stays as long as nobody asks for another folder
    assert said(shell, 'chdir("/");')[0] == "ok"
    assert said(shell, "puts(getcwd(at, sizeof at));") == ("ok", "/\n")
    assert said(shell, "%cd -") == ("ok", here) and said(shell, "puts(getcwd(at, sizeof at));") == ("ok", here)
    status, told = said(shell, "%cd nowhere")
    assert status == "error" and "nowhere: No such file or directory" in told
    assert said(shell, "%cd a b")[0] == "error" and said(shell, "%pwd") == ("ok", here)


def test_env_is_the_cells_and_the_commands(shell):
    show = 'puts(getenv("WB_DRAWN") ? getenv("WB_DRAWN") : "none");'
    assert said(shell, "#include <cstdio>\n#include <cstdlib>\n" + show) == ("ok", "none\n")
    assert said(shell, "%env WB_DRAWN=3 and more") == ("ok", "env: WB_DRAWN=3 and more\n")
    assert said(shell, show + "\n!echo $WB_DRAWN\n%env WB_DRAWN") == ("ok", 3 * "3 and more\n")
    assert said(shell, "%set_env WB_DRAWN 4") == ("ok", "env: WB_DRAWN=4\n")
    assert said(shell, show) == ("ok", "4\n")
    assert said(shell, "#include <cstdlib>\n" + 'setenv("WB_DRAWN", "mine", 1);') == ("ok", "") and said(shell, show) == ("ok", "mine\n")
    assert said(shell, "%env")[0] == "error" and said(shell, "%env WB_NOBODY_SET_IT")[0] == "error"


def test_a_colab_notebook_s_head_runs(shell):
    """Comments as Python has them above commands, extensions, and a name that nvcc4jupyter gave a cell."""
    status, told = said(shell, "# Set up\n!echo one\n# and\n%load_ext nvcc4jupyter\n%reload_ext nvcc_plugin\n#!echo two")
    assert status == "ok" and told.startswith("one\n") and "two" not in told
    status, told = said(shell, "# the program\n%%cu\n#include <cstdio>\nint main() { puts(\"ran\"); }")
    assert (status, told) == ("ok", "ran\n")
    status, told = said(shell, "%%cuda --name scan.cu\nint main() { }")
    assert status == "error" and "%%writefile scan.cu" in told


READS = r"""#include <iostream>
int main() {
    int n = 0, m = 0;
    std::cout << "n? " << std::flush;
    std::cin >> n >> m;
    std::cout << n << " and " << m << (std::cin ? "" : ", ended") << std::endl;
}
"""


def asked(shell, code, *answers):
    """Returns the output of a cell whose programs ask for so many lines."""
    msg_id = shell.send(shell.shell, "execute_request", {"code": code, "allow_stdin": True})
    for answer in answers:
        assert shell.receive(shell.stdin, LIMIT)["type"] == "input_request"
        shell.send(shell.stdin, "input_reply", {"value": answer})
    reply = shell.reply_to(shell.shell, msg_id, LIMIT)
    assert reply["content"]["status"] == "ok", reply["content"]
    return streams(shell.outputs_of(msg_id))


def test_programs_of_the_shell_ask(shell):
    assert said(shell, f"%%writefile reads.cpp\n{READS}")[0] == "ok" and said(shell, "!g++ reads.cpp -o reads") == ("ok", "")
    assert asked(shell, "!./reads", "3", "4") == "n? 3 and 4\n"
    assert asked(shell, "%%bash\nread A\nread -r B\necho $B $A; seq 3 | ./reads", "one", "two \\ three") == "two \\ three one\nn? 1 and 2\n"
    # where nobody can be asked, that is told, and stdin ends
    content, outputs = shell.execute("!./reads", timeout=LIMIT)
    assert streams(outputs) == "n? 0 and 0, ended\n" and "asks for input" in streams(outputs, "stderr")
    assert said(shell, "!cat < /dev/null; sleep 0.3; echo x | cat") == ("ok", "x\n")
