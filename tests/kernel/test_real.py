"""The kernel with its compiler and worker: what only real cells can show. One kernel for most tests, since
each new cell is a compile."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from raw_client import REAL, Client, Kernel, gone, streams, types

LIMIT = 600  # seconds for a cell, on a slow machine that does other things, too


def text_of(outputs):
    shown = [m["content"]["data"].get("text/plain", "") for m in outputs
             if m["type"] in ("display_data", "update_display_data", "execute_result")]
    return "\n".join([streams(outputs), *shown])


@pytest.fixture(scope="module")
def real_kernel(tmp_path_factory):
    k = Kernel(argv=[str(REAL), "kernel", "-f"],
               env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "WARPBOOK_DEVICE": "soft"})
    yield k
    k.close()


@pytest.fixture
def real(real_kernel):
    c = Client(real_kernel)
    c.ready()
    yield c
    c.close()


def run(client, code, **more):
    return client.execute(code, timeout=LIMIT, **more)


def worker_of(client):
    return client.ask("usage_request", sock=client.control)[0]["gpu"]["worker_pid"]


def test_state_values_and_redefinition(real):
    """A cell's definitions replace those of another; an overload by another cell stands beside it, by the same replaces it."""
    def value(code, cell):
        content, outputs = run(real, code, cell=cell)
        assert content["status"] == "ok", content
        return outputs[-2]["content"]["data"]["text/plain"]
    assert value("int state = 40;\n__global__ void add(int *p) { *p += 1; }\nint over(int x) { return 1; }\n"
                 "int *p; cudaMallocManaged(&p, 4); *p = state;\n"
                 "add<<<1, 1>>>(p); cudaDeviceSynchronize(); *p * 10 + over(1.0)", "a") == "411"
    assert value("__global__ void add(int *p) { *p += 2; }\nint state = 41;\nint over(double x) { return 2; }\n"
                 "add<<<1, 1>>>(p); cudaDeviceSynchronize(); (*p + state) * 100 + over(1) * 10 + over(1.0)", "b") == "8412"
    assert value("int over(float x) { return 3; }\nover(1) * 10 + over(1.0f)", "b") == "13"


def test_names_are_known(real):
    """To expressions of who asks, to Tab, to Shift-Tab and to %who."""
    content, _ = run(real, "float wombat_weight = 30.5;", user_expressions={"a": "wombat_weight * 2", "b": "no_such_name"})
    answers = content["user_expressions"]
    assert answers["a"]["data"]["text/plain"] == "61.0" and answers["b"]["status"] == "error"
    content, _ = real.ask("complete_request", {"code": "x = wombat_", "cursor_pos": 11})
    assert content["matches"] == ["wombat_weight"]
    content, _ = real.ask("inspect_request", {"code": "wombat_weight", "cursor_pos": 3})
    assert content["found"] and "float" in content["data"]["text/plain"]
    assert "wombat_weight" in text_of(run(real, "%who variable")[1])


def page_of(client, code):
    content, _ = client.execute(code)
    assert content["status"] == "ok", (code, content)
    return content["payload"][0]["data"]["text/markdown"]


def test_every_kernel_of_the_set_shows_its_source(real):
    """name?? its file, the head as prose before the code; name? its row; the launcher's name? the declaration."""
    listed = json.loads(subprocess.run([REAL, "labs", "--json"], check=True, capture_output=True, text=True).stdout)
    names = [k["name"] for k in listed["kernels"] if not k["reference"]]
    assert len(names) > 50 and "??" not in page_of(real, "cuda.memcpy?")
    for name in names:
        head, code = page_of(real, name + "??").split("```cpp\n", 1)
        assert head.startswith(f"**{name}**, kernels/") and len(head) > 150 and "/*" not in head, name
        launcher = re.search(r"`(wbk_\w+)` ", page_of(real, name + "?"))[1]
        assert launcher + "(" in code, name
        declared = page_of(real, launcher + "?")
        assert re.search(rf"^cudaError_t {launcher}\(.*, cudaStream_t stream\);$", declared, re.M), declared


def test_compile_error_has_the_cells_line(real):
    content, outputs = run(real, "int fine = 1;\n\nint broken = fine +;")
    assert content["status"] == "error" and types(outputs)[-2] == "error"
    assert outputs[-2]["content"]["ename"] == content["ename"]
    assert "line 3" in "\n".join(content["traceback"]) or ":3" in "\n".join(content["traceback"])
    assert streams(outputs, "stderr") == ""


def test_lines_below_a_magic_are_counted(real):
    content, _ = run(real, "%time 1 + 1\n\nint broken = ;")
    assert "3" in "\n".join(content["traceback"]) and content["status"] == "error"


def test_input(real):
    msg_id = real.send(real.shell, "execute_request",
                       {"code": '#include <cstdio>\nint n = 0; scanf("%d", &n); printf("read %d\\n", n);',
                        "allow_stdin": True})
    assert real.receive(real.stdin, LIMIT)["type"] == "input_request"
    real.send(real.stdin, "input_reply", {"value": "17"})
    assert real.reply_to(real.shell, msg_id, LIMIT)["content"]["status"] == "ok"
    assert "read 17" in streams(real.outputs_of(msg_id))


def test_a_flood_is_interrupted_at_once(real):
    code = '#include <cstdio>\nfor (;;) puts("a line of a flood that never ends, as they do");'
    msg_id = real.send(real.shell, "execute_request", {"code": code})
    while (m := real.receive(real.iopub, LIMIT)) and m["type"] != "stream":
        pass
    real.send(real.control, "interrupt_request")
    content = real.reply_to(real.shell, msg_id, LIMIT)["content"]
    assert content["status"] == "error"
    assert content["evalue"].endswith("its variables are kept")
    real.outputs_of(msg_id)


def test_nothing_is_lost_below_the_cap(real):
    _, outputs = run(real, '#include <cstdio>\nfor (int i = 0; i < 100000; i++) printf("%d\\n", i);')
    assert streams(outputs) == "".join(f"{i}\n" for i in range(100000))


def test_a_killed_worker(real):
    msg_id = real.begin('#include <unistd.h>\nputs("on"); sleep(600);')
    os.kill(worker_of(real), signal.SIGKILL)
    content = real.reply_to(real.shell, msg_id)["content"]
    assert content["status"] == "error"
    real.outputs_of(msg_id)
    assert run(real, "1 + 1")[0]["status"] == "ok"


def test_counters_and_checks(real):
    kernel = ("__global__ void strided(float *a) { a[threadIdx.x * 32] += 1; }\n"
              "float *a; cudaMalloc(&a, 4 * 32 * 32); cudaMemset(a, 0, 4 * 32 * 32);\n"
              "strided<<<1, 32>>>(a); cudaDeviceSynchronize();")
    content, outputs = run(real, "%%counters\n" + kernel)
    assert content["status"] == "ok" and "strided" in text_of(outputs) and "32" in text_of(outputs)
    assert "passes/shared" not in text_of(outputs) and "atomics" not in text_of(outputs) # columns without a number
    content, outputs = run(real, "%%counters\n__global__ void meet(float *a) { __shared__ float s[32]; s[threadIdx.x] = 1; "
                                 "atomicAdd(a, s[31 - threadIdx.x]); }\nmeet<<<2, 32>>>(a); cudaDeviceSynchronize();")
    assert "passes/shared" in text_of(outputs) and "64 (64)" in text_of(outputs)
    content, outputs = run(real, "%%memcheck\nfloat *small; cudaMalloc(&small, 4 * 32 * 31); cudaMemset(small, 0, 4 * 32 * 31);\n"
                                 "strided<<<1, 32>>>(a);\nstrided<<<1, 32>>>(small); cudaDeviceSynchronize();")
    assert content["status"] == "error" and "strided" in "\n".join(content["traceback"])
    # The verdict is first, and one sentence.
    assert re.fullmatch(r"1 fault in 2 kernel launches: out-of-bounds read in strided, cell \[\d+\], line \d+\.\n", streams(outputs)), outputs
    content, outputs = run(real, "%%memcheck\nstrided<<<1, 32>>>(small);\n"
                                 "if (cudaError_t e = cudaDeviceSynchronize()) printf(\"%s\\n\", cudaGetErrorString(e));")
    assert content["status"] == "ok" and "1 fault in 1 kernel launch: out-of-bounds read in strided" in streams(outputs), outputs
    content, outputs = run(real, "%%racecheck\nint unused = 1;")
    assert content["status"] == "ok" and streams(outputs) == "Nothing was checked: no kernel was launched.\n", outputs


@pytest.mark.some("magic", 2)
def test_timeit(real):
    content, outputs = run(real, "int timed = 0;\n%timeit -n 3 -r 4 timed++\ntimed")
    assert content["status"] == "ok", content
    assert re.search(r"\d [mun]?s ± .* per loop \(mean ± std\. dev\. of 4 runs, 3 loops each\)",
                     text_of(outputs)), outputs
    assert text_of(outputs).rstrip().endswith("12"), outputs  # no other call, as in IPython
    content, outputs = run(real, "%%timeit -r 1 timespec once{0, 30000000};\nnanosleep(&once, nullptr);")
    assert re.search(r"(3\d|[4-9]\d|\d{3})(\.\d)? ms ± 0 ns per loop \(mean .* of 1 run, 10? loops? each", text_of(outputs)), outputs


@pytest.mark.some("magic", 2)
def test_bench(real):
    # names that cells like to take; they would stay for the tests below
    content, outputs = run(real, "#define min(a, b) ((a) < (b) ? (a) : (b))\n#define max(a, b) ((a) > (b) ? (a) : (b))\n#define d 3\n"
                                 "__global__ void benched(int *a) { *a = 1; }\n%bench -n 3 min(d, 2) + max(1, d)\n"
                                 "%bench -n 3 cudaDeviceSynchronize()\n#undef min\n#undef max\n#undef d")
    assert content["status"] == "ok", content
    said = streams(outputs)
    assert said.count("median") == 2 and said.count("(3 runs)") == 2 and said.count("on softgpu") == 2, said
    content, _ = run(real, "int a_line_above = 1;\n%bench -n 3 benched_not()")
    assert content["status"] == "error" and "  benched_not()" in content["traceback"], content
    for statement in ("benched<<<1, 2048>>>(nullptr)", "benched<<<1, 1>>>(nullptr)"):
        content, outputs = run(real, "%bench " + statement)
        assert content["ename"] == "CudaError" and "median" not in streams(outputs), outputs


@pytest.mark.some("magic", 2)
def test_program(real):
    content, outputs = run(real, "%%program one two\n#include <cstdio>\n"
                                 "int main(int argc, char **argv) { printf(\"%d %s\\n\", argc, argv[2]); }")
    assert content["status"] == "ok" and streams(outputs) == "3 two\n"


@pytest.mark.some("magic", 2)
def test_ptx_names_what_is_near(real):
    run(real, "__global__ void transpose_it(float *x) { x[0] = 1; }\n"
              "template <class T> __global__ void scale_all(T *x) { x[0] *= 2; }")
    for word, near in (("transpos_it", "transpose_it"), ("scale_al", "scale_all")):
        content, _ = run(real, f"%ptx {word}")
        assert content["status"] == "error" and f"did you mean {near}?" in content["evalue"], content
    content, _ = run(real, "%ptx zzzzzz")
    assert content["status"] == "error" and "did you mean" not in content["evalue"], content


def test_grade_and_compare(real):
    from raw_client import ROOT
    best = sorted((ROOT / "labs" / "transpose" / "solutions").glob("*.cu"))[-1].read_text()
    content, outputs = real.execute("%%grade transpose\n" + best, timeout=LIMIT)
    assert content["status"] == "ok"
    assert outputs[-2]["type"] == "execute_result"
    data = outputs[-2]["content"]["data"]  # nbgrader reads the points off text/plain; a notebook shows text/html
    assert data["text/plain"] == "100" and re.fullmatch(r"<p>The same inputs again: %%grade transpose --seed \w+</p>\n", data["text/html"]), data
    assert sum("inputs again" in m["content"]["data"].get("text/html", "") for m in outputs if m["type"].endswith(("display_data", "execute_result"))) == 1
    assert streams(outputs) == "" and "100 of 100" in text_of(outputs)
    content, _ = real.execute("%%grade transpoze\n" + best, timeout=LIMIT)
    assert content["status"] == "error" and "transpose" in content["evalue"]
    content, outputs = real.execute("// mine\n%%grade --seed=3 transpose\nvoid solve() { printf(); former(); }",
                                    timeout=LIMIT)
    assert content["status"] == "ok" and outputs[-2]["content"]["data"]["text/plain"] == "0"
    assert re.search(r"cell \[\d+\]:3: .*former", text_of(outputs)) and "graded by itself" in text_of(outputs)
    cell = "%%compare transpose.padded --sizes 33 --rounds 1\nvoid solve(const float *in, float *out, int rows, int cols) {"
    content, _ = real.execute(cell + "\n  printf(\"in solve\"); missing();\n}", timeout=LIMIT)
    assert content["status"] == "error" and "/" not in content["evalue"], content
    assert re.search(r"cell.cu does not compile:\ncell \[\d+\]:3: identifier \"missing\" is undefined$", content["evalue"])
    content, outputs = real.execute("%compare transpose.padded --sizes 256", timeout=LIMIT)
    assert content["status"] == "ok" and "update_display_data" in types(outputs)
    assert "image/svg+xml" in outputs[2]["content"]["data"]


def test_a_gpus_times_beside_the_counts(real):
    """%%counters tells an H200's time; %device another GPU, which cells are compiled for and which is described."""
    define = "__global__ void squares(float *x, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" \
             "    if (i < n) x[i] *= x[i];\n}\nfloat *x; cudaMallocManaged(&x, 4 << 20);"
    describe = "__global__ void arch(int *out) {\n#ifdef __CUDA_ARCH__\n    *out = __CUDA_ARCH__;\n#endif\n}\n" \
               "int *a; cudaMallocManaged(&a, 4); arch<<<1, 1>>>(a); cudaDeviceSynchronize();\n" \
               "cudaDeviceProp its; cudaGetDeviceProperties(&its, 0);\n" \
               "(its.multiProcessorCount * 100 + its.major * 10 + its.minor) * 10000 + a[0]"
    counted = "%%counters\nsquares<<<4096, 256>>>(x, 1 << 20); cudaDeviceSynchronize();"
    run(real, "%device soft")
    assert run(real, define)[0]["status"] == "ok"
    content, outputs = run(real, counted)
    text = text_of(outputs)
    assert content["status"] == "ok" and "As modelled for an NVIDIA H200, with empty caches" in text and "bound by" in text
    assert re.search(r"\(squares, cell \[\d+\], line 3\)\.", text) and "if (i < n)" not in text
    [page] = [m["content"]["data"]["text/html"] for m in outputs if m["type"] == "display_data" and "text/html" in m["content"]["data"]]
    assert page.index("line 3") < page.index("<details>") < page.index("if (i &lt; n) x[i] *= x[i];") < page.index("</details>")
    content, outputs = run(real, "%device rtx409")
    assert content["status"] == "error" and "did you mean rtx4090?" in content["evalue"]  # and nothing is lost over it
    content, outputs = run(real, counted.replace("counters", "counters --source --lines"))
    text, page = text_of(outputs), "".join(m["content"]["data"].get("text/html", "") for m in outputs if m["type"] == "display_data")
    assert content["status"] == "ok" and re.search(r"1\s+__global__ void squares\(float \*x, int n\) \{\n", text)
    sectors = (1 << 20) * 4 // 32  # the line reads and writes each element once
    assert re.search(rf"3 .*\d %      if \(i < n\) x\[i\] \*= x\[i\]; +{2 * sectors:,} +4 / 4 +100 / 100 %", text)
    assert re.search(rf" 3 .*\d % +if \(i < n\) x\[i\] \*= x\[i\]; +{2 * sectors:,} +4 / 4 ", text)  # --lines has it, too
    content, outputs = run(real, counted.replace("counters", "counters sectors"))
    text = text_of(outputs)
    assert content["status"] == "ok" and re.search(r"squares +4\.00 +4\.00\n", text) and "modelled" not in text
    assert re.search(r"cell \[\d+\], line 3  if \(i < n\) x\[i\] \*= x\[i\]; +4\.00 +4\.00\n", text)
    content, outputs = run(real, counted.replace("counters", "counters passes"))
    assert "No launch has any of that" in text_of(outputs)
    assert "white-space:pre;font-family:monospace;background-color:rgba(213,94,0" in page
    content, outputs = run(real, counted.replace("counters", "counters --sauce"))
    assert content["status"] == "error" and "there is no option --sauce, did you mean --source?" in content["evalue"]
    content, outputs = run(real, "%device t4")
    assert content["status"] == "ok" and re.search("forgotten with the change: [1-9]", streams(outputs))
    assert "NVIDIA T4 (softgpu)" in streams(outputs) and "not measured by us" in streams(outputs)
    assert "undefined" in run(real, "x")[0]["evalue"]
    assert text_of(run(real, define + "\n" + describe)[1]).strip() == "40750750"
    content, outputs = run(real, counted)
    assert "As modelled for an NVIDIA T4 (from published figures, not measured by us)" in text_of(outputs)
    content, outputs = run(real, "%compare transpose.copy --sizes 64 --rounds 1")
    assert "as modelled for an NVIDIA T4" in outputs[-2]["content"]["data"]["text/plain"] + text_of(outputs)
    content, outputs = run(real, "%device none")
    assert "softgpu:" in streams(outputs) and "NVIDIA H200" in streams(outputs)
    run(real, "%device soft")


TURN = """#define TILE 32
struct Place { int r, c; };
__constant__ int shift;
int host_side = 8;
__global__ void turn(float *out, const float *in, int rows, int cols);
__device__ Place place() { return {int(blockIdx.y * TILE + threadIdx.y), int(blockIdx.x * TILE + threadIdx.x)}; }
__global__ void turn(float *out, const float *in, int rows, int cols) {
    Place p = place();
    if (p.r < rows && p.c < cols) out[p.c * rows + p.r] = in[p.r * cols + p.c];
}
int blocks(int n) { return (n + TILE - 1) / TILE; }
void theirs(const float *in, float *out, int rows, int cols) {
    turn<<<dim3(blocks(cols), blocks(rows)), dim3(TILE, TILE)>>>(out, in, rows, cols);
}"""
MINE = """
void mine(const float *in, float *out, int rows, int cols) {
    turn<<<dim3(blocks(cols), %s), dim3(TILE, TILE)>>>(out, in, rows, cols);
}"""


def compared(outputs):
    """The chart's rows: their names, and which are the student's own."""
    charts = [o["content"]["data"] for o in outputs if "image/svg+xml" in o["content"].get("data", "")]
    times = [c["text/plain"] for c in charts if "throughput" in c["text/markdown"]][-1]
    rows = re.findall(r"^  (\S+) +[█-▏·●]+ .*GB/s(.*)", times, re.M)
    return [name for name, _ in rows], [name for name, words in rows if "· yours" in words], times


@pytest.mark.some("comparison", 2)
@pytest.mark.parametrize("words", ["transpose.copy :mine cublas.sgeam", ":mine transpose.copy cublas.sgeam"])
def test_own_code_is_judged_by_the_task_and_stands_where_it_is_named(real, words):
    """Right whatever kernel comes first, with what it needs from another cell of the notebook."""
    assert real.execute(TURN, timeout=LIMIT)[0]["status"] == "ok"
    content, outputs = real.execute(f"%%compare {words} --sizes 64 --rounds 2" + MINE % "blocks(rows)", timeout=LIMIT)
    assert content["status"] == "ok", content
    names, yours, text = compared(outputs)
    assert names == words.replace(":", "").split() and yours == ["mine"]
    assert "· yours" in text and "wrong" not in text
    content, outputs = real.execute("%compare transpose.padded :theirs --sizes 64 --rounds 2", timeout=LIMIT)
    assert content["status"] == "ok", content
    assert compared(outputs)[1] == ["theirs"] and "wrong" not in compared(outputs)[2]


@pytest.mark.some("comparison", 2)
def test_a_comparison_on_stage(real):
    """At once a picture of what is to come; names as given; an arrow at the second run; wrong is said, and why."""
    assert real.execute(TURN, timeout=LIMIT)[0]["status"] == "ok"
    line = '%%compare transpose.read_coalesced=First \\\n  :mine="My own" --stage --sizes 2048'
    content, outputs = real.execute(line + MINE % "blocks(rows)", timeout=LIMIT)
    assert content["status"] == "ok", content
    pictures = [m["content"] for m in outputs if "image/svg+xml" in m["content"].get("data", {})]
    assert len({p["transient"]["display_id"] for p in pictures}) == 1 and len(pictures) > 3
    assert "compiling" in pictures[0]["data"]["text/plain"]
    said = [p["data"]["text/plain"] for p in pictures]
    assert any("measuring 2 of 2: My own" in text for text in said)
    assert re.search(r"My own +\S+ +[\d,]+ GB/s\nFirst +\S+ +[\d,]+ GB/s\n", said[-1]) and "last run" not in said[-1]
    assert re.search(r"cublas.sgeam: [\d,]+ GB/s", said[-1])
    content, outputs = real.execute(line + MINE % "blocks(rows) / 2", timeout=LIMIT)
    assert content["status"] == "ok", content
    assert "My own" in (text := text_of(outputs)) and "wrong result" in text and "My own at 256 × 256: element" in text
    content, _ = real.execute("%compare transpose --stage", timeout=LIMIT)
    assert content["status"] == "error" and "--stage shows 8 kernels at most" in content["evalue"]


@pytest.mark.some("comparison", 2)
def test_a_comparison_says_what_it_can_not_have(real):
    assert real.execute(TURN, timeout=LIMIT)[0]["status"] == "ok"
    content, _ = real.execute("%%compare transpose.copy :mine --sizes 64" + MINE % "host_side", timeout=LIMIT)
    assert content["status"] == "error"
    assert re.search(r"host_side is a variable of cell \[\d+\]\. A comparison is a program of its own", content["evalue"])
    content, outputs = real.execute("%%compare transpose.copy --sizes 64 --stage" + MINE % "1", timeout=LIMIT)
    assert content["status"] == "error"
    assert re.search(r"no host function named solve; write one that fits: (:theirs, )?:mine\b", content["evalue"])
    assert [m["content"]["data"]["text/plain"] for m in outputs if m["type"] == "update_display_data"][-1] == ""  # no empty chart stays
    content, _ = real.execute("%%compare coalescing.row_sums coalescing.column_sums :mine" + MINE % "1", timeout=LIMIT)
    assert content["status"] == "error" and "have different tasks" in content["evalue"]
    assert "--like coalescing.row_sums, or --like coalescing.column_sums" in content["evalue"]


@pytest.mark.some("comparison", 2)
def test_a_comparison_does_as_it_is_told_of_device_variables(real):
    """Kernels of other cells are not known there. Those declared below the line belong to the comparison."""
    there = "__constant__ int none[2];\n__device__ unsigned turned;\n"
    cell = "%%compare transpose.copy :mine --sizes 33 --rounds 1\n"
    code = """__global__ void flip(float *out, const float *in, int rows, int cols) {
    int r = blockIdx.x, c = threadIdx.x + none[1];
    if (c < cols) out[c * rows + r] = in[r * cols + c];
    atomicAdd(&turned, 1u);
}
void mine(const float *in, float *out, int rows, int cols) { flip<<<rows, 1024>>>(out, in, rows, cols); }"""
    assert real.execute(there, timeout=LIMIT)[0]["status"] == "ok"
    content, _ = real.execute(cell + code, timeout=LIMIT)
    assert content["status"] == "error"
    for name in ["none", "turned"]:
        assert re.search(rf"{name} is a variable of cell \[\d+\]\..* Declare it below the %%compare line", content["evalue"])
    content, outputs = real.execute(cell + there + code, timeout=LIMIT)
    assert content["status"] == "ok", content
    assert compared(outputs)[1] == ["mine"] and "wrong" not in compared(outputs)[2]


@pytest.mark.parametrize("end", ["shutdown", "kill"])
def test_no_worker_is_left_behind(end):
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"], env={"WARPBOOK_DEVICE": "soft"})
    client = Client(kernel)
    client.ready()
    began = time.monotonic()
    while not (worker := client.ask("usage_request", sock=client.control)[0].get("gpu", {})
               .get("worker_pid")) and time.monotonic() - began < LIMIT:
        time.sleep(0.05)  # it is started in the background
    assert worker
    if end == "kill":
        kernel.process.kill()
    else:
        client.send(client.control, "shutdown_request", {"restart": False})
    kernel.process.wait(LIMIT)
    assert gone(worker)
    client.close()
    kernel.close()


def test_what_an_interrupted_cell_did_not_come_to(real):
    assert run(real, "int kept = 5;")[0]["status"] == "ok"
    msg_id = real.send(real.shell, "execute_request",
                       {"code": "int reached = 1;\nputs(\"running\");\nfor (;;)\n    ;\nint unreached = 2;"})
    while real.receive(real.iopub, LIMIT)["type"] != "stream":
        pass
    real.send(real.control, "interrupt_request")
    content = real.reply_to(real.shell, msg_id, LIMIT)["content"]
    real.outputs_of(msg_id, LIMIT)
    assert content["ename"] == "Interrupted"
    assert "not created, since the cell ended before: unreached" in "\n".join(content["traceback"])
    content, outputs = run(real, "kept + reached")
    assert content["status"] == "ok" and outputs[-2]["content"]["data"]["text/plain"] == "6"
    content, _ = run(real, "unreached")
    assert content["status"] == "error" and "run that cell again" in "\n".join(content["traceback"])


def descendants(pid):
    """Processes below one, as {pid: name}."""
    children = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, tail = entry.read_text().rsplit(")", 1)
        except OSError:
            continue
        children.setdefault(int(tail.split()[1]), []).append((int(entry.parent.name), head.split("(", 1)[1]))
    found, todo = {}, [pid]
    while todo:
        for child, name in children.get(todo.pop(), []):
            found[child] = name
            todo.append(child)
    return found


def compiler_of(kernel):
    names = ("nvcc", "cicc", "cudafe++", "cc1plus", "gcc", "g++", "sh", "ptxas", "clang")
    return {p: n for p, n in descendants(kernel.process.pid).items() if n in names}


# A tree of templates with 2^60 leaves.
ENDLESS_TO_COMPILE = """template <int DEPTH, unsigned long PATH> struct grow {
    static const long value = grow<DEPTH - 1, 2 * PATH>::value + grow<DEPTH - 1, 2 * PATH + 1>::value;
};
template <unsigned long PATH> struct grow<0, PATH> { static const long value = 1; };
"""


def test_interrupt_while_it_compiles(real, real_kernel):
    """The compiler and all it started are gone, though it would have gone on for ever; what was defined before is still there."""
    assert run(real, "int before = 5;")[0]["status"] == "ok"
    for i in range(3):
        msg_id = real.send(real.shell, "execute_request", {"code": ENDLESS_TO_COMPILE + f"int v{i} = grow<60, 1>::value;"})
        end = time.monotonic() + LIMIT
        while not {"cicc", "cudafe++", "cc1plus"} & set((processes := compiler_of(real_kernel)).values()):
            assert time.monotonic() < end, "no compiler runs"
            time.sleep(0.01)
        real.send(real.control, "interrupt_request")
        content = real.reply_to(real.shell, msg_id, LIMIT)["content"]
        assert content["status"] == "error" and content["ename"] == "Interrupted", content
        assert "while it was compiled" in content["evalue"]
        real.outputs_of(msg_id, LIMIT)
        assert processes and all(gone(p) for p in processes)
        assert not compiler_of(real_kernel)
    content, outputs = run(real, "before + 1")
    assert content["status"] == "ok" and outputs[-2]["content"]["data"]["text/plain"] == "6"


@pytest.mark.parametrize("launch, says", [
    ("put<7><<<1, 32>>>(nullptr);", "cell [{n}], line 1 in put<7>(float*), block (0, 0, 0)"),
    ("put<7><<<1, 2000>>>(nullptr);", ": kernel put<7>: the block is 2000 x 1 x 1"),
])
def test_a_template_kernel_has_no_result_type_in_front(real, launch, says):
    """The demangler writes void in front of names of templates only."""
    content, _ = run(real, "template <int N> __global__ void put(float *to) { to[N] = 1; }")
    cell = content["execution_count"]
    content, _ = run(real, f"{launch}\ncudaDeviceSynchronize();")
    assert says.format(n=cell) in content["evalue"] and "void" not in content["evalue"], content
