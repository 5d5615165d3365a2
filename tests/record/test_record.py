"""The recording libcudart: plans of solve(), and the sentences for what can't be recorded."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
LIBRARIES = BUILD / "lib" / "warpbook" / "record"
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
DEVICE = {"name": "Test device", "multiProcessorCount": 7, "maxThreadsPerMultiProcessor": 1024}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    out = tmp_path_factory.mktemp("record") / "solve"
    subprocess.run(
        [NVCC, "-arch=compute_90", "-cudart", "shared", f"-I{ROOT}", "-o", out,
         ROOT / "tests" / "record" / "solve.cu", f"-L{LIBRARIES}", "-l:libcudart.so.13", "-l:libcublas.so.13"],
        check=True, timeout=600)
    return out


def record(program, tmp_path, *args):
    plan = tmp_path / "plan.json"
    env = dict(os.environ, LD_LIBRARY_PATH=str(LIBRARIES), WARPBOOK_RECORD_PLAN=str(plan),
               WARPBOOK_RECORD_DEVICE=json.dumps(DEVICE))
    done = subprocess.run([program, *args], env=env, timeout=600, capture_output=True, text=True)
    return json.loads(plan.read_text()), done


def test_plan(program, tmp_path):
    plan, done = record(program, tmp_path, "plain")
    assert done.returncode == 0 and plan["complete"] and plan["error"] is None
    assert plan["buffers"] == [
        {"id": 0, "name": "x", "kind": "argument", "bytes": 4000},
        {"id": 1, "name": "y", "kind": "argument", "bytes": 4000},
        {"id": 2, "name": "", "kind": "temporary", "bytes": 4000}]
    steps = plan["steps"]
    assert steps[0] == {"op": "memset", "buffer": 2, "offset": 0, "value": 255, "bytes": 4000}
    assert steps[1] == {"op": "memset2d", "buffer": 2, "offset": 0, "value": 7, "pitch": 64, "width": 16,
                        "height": 3}
    assert steps[2] == {"op": "symbol", "name": "coeff", "offset": 4, "data": "0000004000004040", "pointers": []}
    axpy, pair, ints, upload, copy, last = steps[3:]
    assert axpy["kernel"] == "_Z4axpyfPKfPfi" and axpy["grid"] == [4, 1, 1] and axpy["block"] == [256, 1, 1]
    assert axpy["pointers"] == [{"at": 8, "buffer": 0, "offset": 0}, {"at": 16, "buffer": 2, "offset": 4}]
    assert len(axpy["params"]) == 2 * 28 and axpy["params"].startswith("00000040")
    assert axpy["params"].endswith("e8030000")
    assert pair["pointers"] == [{"at": 0, "buffer": 1, "offset": 0}, {"at": 16, "buffer": 2, "offset": 20}]
    # The two ints are not taken for a pointer; one element before a buffer is still that buffer.
    assert ints["pointers"] == [{"at": 8, "buffer": 1, "offset": -4}]
    assert ints["shared"] == 65536 and ints["max_dynamic_shared"] == 65536
    assert upload == {"op": "upload", "buffer": 2, "offset": 0, "data": "0000803f000000400000404000008040",
                      "pointers": []}
    assert copy == {"op": "copy", "dst": 1, "dst_offset": 0, "src": 2, "src_offset": 4, "bytes": 8}
    assert last["op"] == "launch" and len(steps) == 9


def test_copies_between_variables_and_memory(program, tmp_path):
    plan, _ = record(program, tmp_path, "symbol_copies")
    assert plan["complete"] and plan["error"] is None
    assert plan["steps"] == [
        {"op": "symbol_copy", "name": "coeff", "offset": 4, "buffer": 1, "buffer_offset": 8, "bytes": 12,
         "to_symbol": False},
        {"op": "symbol_copy", "name": "coeff", "offset": 0, "buffer": 0, "buffer_offset": 0, "bytes": 8,
         "to_symbol": True}]


CAPTURED = ["memset y+0", "symbol coeff+8", "copy tmp+0", "launch tmp,y"]
# what solve() does with a graph: the steps of its plan
GRAPHS = {
    "graph": CAPTURED,
    "graph_twice": CAPTURED * 2,
    "graph_never": [],
    "graph_nodes": ["launch x,y", "memset y+16", "copy y+0"],
}


@pytest.mark.parametrize("what", GRAPHS)
def test_graphs_are_recorded_when_they_are_launched(program, tmp_path, what):
    plan, _ = record(program, tmp_path, what)
    assert plan["complete"] and plan["error"] is None, plan["error"]
    name = ["x", "y", "tmp"]

    def said(step):
        if step["op"] == "launch":
            return "launch " + ",".join(name[p["buffer"]] for p in step["pointers"])
        to = step["name"] if "name" in step else name[step.get("dst", step.get("buffer"))]
        return f"{step['op']} {to}+{step.get('dst_offset', step.get('offset'))}"

    assert [said(step) for step in plan["steps"]] == GRAPHS[what]


# what solve() does: whether the plan is complete, the call, and words of the sentence
ERRORS = {
    "readback": (False, "cudaMemcpy", "reads a result back from the device"),
    "symbol_readback": (False, "cudaMemcpyFromSymbol", "reads a variable back"),
    "argument_up": (False, "cudaMemcpy", "copies its array x as if it were host memory (cudaMemcpy host to device)"),
    "argument_down": (False, "cudaMemcpyAsync", "array y as if it were host memory (cudaMemcpyAsync device to host)"),
    "symbol_beyond": (True, "cudaMemcpyFromSymbol", "8 bytes at offset 12 go beyond them"),
    "into_argument": (False, "cudaMemcpy", "into its argument y"),
    "large_upload": (False, "cudaMemcpy", "1048576 bytes from the host"),
    "threads": (True, "a kernel launch", "2048 threads"),
    "shared": (True, "a kernel launch", "cudaFuncAttributeMaxDynamicSharedMemorySize"),
    "beyond": (True, "cudaMemset", "are not within the argument y of 4000 bytes"),
    "graph_host": (False, "cudaGraphAddHostNode", "a host function in a graph"),
    "graph_pattern": (False, "cudaGraphAddMemsetNode", "different bytes (0x3f800000)"),
    "managed": (False, "__managed__", "use cudaMalloc"),
    "malloc_managed": (False, "cudaMallocManaged", "use cudaMalloc"),
    "pinned": (False, "a kernel launch", "pointer to host memory"),
    "freed": (False, "a kernel launch", "freed before"),
    "free_argument": (True, "cudaFree", "frees its argument y"),
    "host_function": (False, "cudaLaunchHostFunc", "leave it out"),
    "clock": (False, "cudaEventElapsedTime", "the grader does the timing"),
    "cublas": (False, "cublasCreate_v2", "write the kernel"),
    "reset": (False, "cudaDeviceReset", "leave it out"),
    "exit": (False, "exit", "instead of returning"),
    "touch": (False, "solve", "reads or writes device memory"),
    "abort": (False, "solve", "abort()"),
    "endless": (False, "cudaMemset", "more than 65536"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_error(program, tmp_path, what):
    complete, call, words = ERRORS[what]
    plan, done = record(program, tmp_path, what)
    assert plan["complete"] is complete
    assert plan["error"]["call"] == call and words in plan["error"]["text"], plan["error"]
    if not complete and what not in ("exit", "touch", "abort"):
        assert done.returncode == 4


def test_error_that_was_asked_for_is_no_error(program, tmp_path):
    plan, _ = record(program, tmp_path, "checked")
    assert plan["complete"] and plan["error"] is None and plan["steps"] == []


def test_launch_outside_solve(program, tmp_path):
    plan, done = record(program, tmp_path, "plain", "outside")
    assert done.returncode == 4 and "before solve()" in plan["error"]["text"]


def test_device(program, tmp_path):
    _, done = record(program, tmp_path, "device")
    assert done.stdout == "Test device 7 7 4\n"
