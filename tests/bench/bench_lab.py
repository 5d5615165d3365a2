#!/usr/bin/env python3
"""How soon answers come in a lab, by the clock: the checks of steps, `%%compare --stage`, and what `%%draw` adds to a cell.

A check: each step's solution with a line that no run had, so that it is compiled. A chart: from the request to its first picture and to
its last, of kernels of the set, and of one's own kernel beside one of them with a number edited. A drawing: the notebooks' cells `%%draw` as they
stand, and the same cells without that line, in turn, compiled before.
"""

import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
from figures import finish, line, options  # noqa: E402
from raw_client import REAL, Client, Kernel  # noqa: E402

LIMIT_S, CHARTS, DRAWINGS = 300, 5, 3
LABS = sorted(path.parent.name for path in (ROOT / "labs").glob("*/steps.json"))
OWN = """%%compare --stage transpose.padded :mine --sizes 1024
__global__ void turn(float *out, const float *in, int rows, int cols) {
    int c = blockIdx.x * @ + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}
cudaError_t mine(float *out, const float *in, int rows, int cols, cudaStream_t stream) {
    turn<<<dim3((cols + @ - 1) / @, (rows + 7) / 8), dim3(@, 8), 0, stream>>>(out, in, rows, cols);
    return cudaGetLastError();
}"""


def notebook(folder):
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"], env={"WARPBOOK_DEVICE": "soft", "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder})
    client = Client(kernel)
    client.ready()
    return kernel, client


def run(client, code):
    """(seconds to the first picture or None, seconds to the reply, what was shown, in words)."""
    began, first, words = time.perf_counter(), None, []
    sent = client.send(client.shell, "execute_request", {"code": code, "silent": False, "store_history": True, "allow_stdin": False})
    while True:
        message = client.receive(client.iopub, LIMIT_S)
        assert message, f"no answer in {LIMIT_S} s:\n{code}"
        if message["parent"].get("msg_id") != sent:
            continue
        if message["type"].endswith("display_data"):
            first = first or time.perf_counter() - began
            words.append(message["content"]["data"].get("text/plain", ""))
        words += message["content"].get("traceback", [])
        if message["type"] == "status" and message["content"]["execution_state"] == "idle":
            seconds = time.perf_counter() - began
            reply = client.reply_to(client.shell, sent, LIMIT_S)
            assert reply["content"]["status"] == "ok", "\n".join(words)
            return first, seconds, "\n".join(words)


def checks(client):
    """Seconds of each step's check."""
    for lab in LABS:
        for step in json.loads((ROOT / f"labs/{lab}/steps.json").read_text())["steps"]:
            if step["kind"] == "try":
                solution = (ROOT / f"labs/{lab}" / step["solution"]).read_text()
                new = f"static const int new_{random.randrange(10**9)} = 0;"
                _, seconds, words = run(client, f"%%try {lab}.{step['name']}\n{solution}\n{new}\n")
                assert "✔" in words, words
                yield seconds


def charts(client):
    """(first, last) pictures of kernels of the set, and of one's own with an edited number, in seconds."""
    ready = [run(client, "%%compare --stage transpose.shared transpose.padded --sizes 1024")[:2] for _ in range(CHARTS + 1)][1:]
    edited = [run(client, OWN.replace("@", str(n)))[:2] for n in random.sample(range(8, 64), CHARTS + 1)][1:]
    return ready, edited


def cells_of(name):
    cells = json.loads((ROOT / f"notebooks/{name}.ipynb").read_text())["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]


def drawings(name, folder):
    """Returns the seconds that each `%%draw` of a notebook adds to its cell."""
    kernel, client = notebook(folder)
    for code in cells_of(name):
        if code.startswith(("%predict", "%%grade", "%step", "%%try", "%%compare", "%%predict")):
            continue
        if not code.startswith("%%draw"):
            client.execute(code, timeout=LIMIT_S)
            continue
        plain = code.split("\n", 1)[1]
        for _ in range(2):  # compiled, and known
            run(client, plain), run(client, code)
        both = [(run(client, code)[1], run(client, plain)[1]) for _ in range(DRAWINGS)]
        yield statistics.median(a for a, _ in both) - statistics.median(b for _, b in both)
    client.close()
    kernel.close()


def main():
    arguments = options(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kernel, client = notebook(folder)
        run(client, "int begun = 1;")
        check = list(checks(client))
        ready, edited = charts(client)
        client.close()
        kernel.close()
        draw = [seconds for name in ("1_coalescing", "10_convolution", "12_jacobi") for seconds in drawings(name, folder)]
    rows = [{"what": "the check of a step, compiled anew", "n": len(check), "median_s": statistics.median(check), "worst_s": max(check)}]
    for what, pictures in (("two kernels of the set", ready), ("one's own kernel, a number edited", edited)):
        for name, seconds in zip(("first", "last"), zip(*pictures)):
            rows.append({"what": f"%%compare --stage, {what}: the {name} picture", "n": len(seconds),
                         "median_s": statistics.median(seconds), "worst_s": max(seconds)})
    rows.append({"what": "what %%draw adds to a cell", "n": len(draw), "median_s": statistics.median(draw), "worst_s": max(draw)})
    for r in rows:
        print("{what:<75} median {median_s:6.3f} s, worst {worst_s:6.3f} s of {n}".format(**r))
    finish(arguments.json, "how soon answers come in a lab", rows, [
        line("seconds to a step's check, at worst", max(check), 2), line("seconds to the first picture on stage, at worst", max(a for a, _ in ready + edited), 0.3),
        line("seconds that %%draw adds, at worst", max(draw), 0.3)])


if __name__ == "__main__":
    main()
