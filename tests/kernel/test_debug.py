"""The debugger as JupyterLab drives it, with softgpu's engine: cells that stop, are looked into, and go on."""

import json
import re

import pytest
from debug_lab import Lab
from raw_client import PATIENCE, REAL, ROOT, Client, Kernel, alive

KERNEL = """__device__ int square(int v) {
    int s = v * v;
    return s;
}
__global__ void k(int *out, int n) {
    __shared__ int tile[64];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    tile[threadIdx.x] = i;
    __syncthreads();
    int left = tile[(threadIdx.x + 1) % 64];
    if (i < n)
        out[i] = square(left);
}
int *p;
cudaMallocManaged(&p, 256 * 4);"""
LAUNCH = "k<<<4, 64>>>(p, 256);\ncudaDeviceSynchronize();\np[1]"


class Notebook(Lab):
    def __init__(self, client):
        super().__init__(client)
        assert client.execute(KERNEL)[0]["status"] == "ok"  # before the debugger is on
        self.begin()
        self.path = self.dump(KERNEL)

    def start(self, code):
        return self.client.send(self.client.shell, "execute_request", {"code": code})

    def stop(self, reason="breakpoint"):
        while (event := self.client.until("debug_event")["content"])["event"] != "stopped":
            assert event["event"] in ("thread", "continued", "breakpoint", "output"), event
        assert event["body"]["reason"] == reason, event
        return self.ask("stackTrace", threadId=1)["body"]["stackFrames"]

    def scopes(self, frame=1):
        scopes = self.ask("scopes", frameId=frame)["body"]["scopes"]
        return {s["name"]: {v["name"]: v["value"] for v in self.ask("variables", variablesReference=s["variablesReference"])["body"]["variables"]}
                for s in scopes}

    def resume(self, command="continue"):
        assert self.ask(command, threadId=1)["success"]

    def end(self, msg_id):
        reply = self.client.reply_to(self.client.shell, msg_id)["content"]
        assert not self.ask("debugInfo")["body"]["stoppedThreads"]
        return reply

    def value(self):
        return self.client.execute("p[1]")[1][-2]["content"]["data"]["text/plain"]


@pytest.fixture(scope="module")
def soft():
    k = Kernel([str(REAL), "kernel", "-f"], env={"WARPBOOK_DEVICE": "soft"})
    yield k
    k.close()


@pytest.fixture
def book(soft):
    client = Client(soft)
    client.ready()
    notebook = Notebook(client)
    yield notebook
    notebook.ask("disconnect")
    client.close()


def test_a_cell_stops_steps_and_goes_on(book):
    marks = book.set(book.path, 8, 15)
    assert [m["verified"] for m in marks] == [True, False]
    cell = book.start(LAUNCH)
    frames = book.stop()
    assert (frames[0]["name"], frames[0]["line"], frames[0]["source"]["path"]) == ("k", 8, book.path) and "source" in frames[-1]
    scopes = book.scopes()
    assert scopes["Thread"]["i"] == "0" and scopes["Thread"]["n"] == "256"
    assert scopes["Block and grid"]["gridDim"] == "(4, 1, 1)"
    for line in (9, 10, 11):
        book.resume("next")
        assert book.stop("step")[0]["line"] == line
    assert book.scopes()["Thread"]["left"] == "1"
    assert book.ask("evaluate", expression="left + n", frameId=1)["body"]["result"] == "257"
    assert book.ask("richInspectVariables", variableName="left", frameId=1)["body"]["data"]["text/plain"] == "1"
    book.resume("next")
    assert book.stop("step")[0]["line"] == 12
    book.resume("stepIn")
    frames = book.stop("step")
    assert [f["name"] for f in frames[:2]] == ["square", "k"] and frames[1]["line"] == 12
    book.resume("stepOut")
    assert book.stop("step")[0]["name"] == "k"
    book.set(book.path)
    book.resume()
    assert book.end(cell)["status"] == "ok" and book.value() == "4"


def test_debug_chooses_the_thread(book):
    book.set(book.path, 10)
    cell = book.start(f"%%debug --block 2 --thread 37\n{LAUNCH}")
    book.stop()
    assert book.scopes()["Thread"]["i"] == str(2 * 64 + 37)
    book.resume()
    assert book.end(cell)["status"] == "ok"
    cell = book.start(LAUNCH)
    book.stop()
    assert book.scopes()["Thread"]["i"] == "0"
    book.resume()
    assert book.end(cell)["status"] == "ok"


def test_globals_of_another_cell(book):
    """The kernel's cell reaches them through pointers. They have their own names and values here."""
    cell = """struct spot { int x; float y; };
__device__ spot here = {3, 4.5f};
__device__ int grid_of[2][3] = {{1, 2, 3}, {4, 5, 6}};
__constant__ double third = 1 / 3.0;
__managed__ long long total = -7;"""
    kernel = "__global__ void uses(int *x) {\n    here.x += grid_of[1][2] + (int)total;\n    *x = (int)(here.y * third);\n}"
    assert book.client.execute(cell)[0]["status"] == book.client.execute(kernel)[0]["status"] == "ok"
    book.set(book.dump(kernel), 3)
    cell = book.start("uses<<<1, 1>>>(p);\ncudaDeviceSynchronize();")
    book.stop()
    assert book.scopes()["Globals"] == {"here": ".x = 2, .y = 4.5", "grid_of": "1, 2, 3, 4, 5, 6", "third": "0.333333", "total": "-7"}
    assert book.ask("evaluate", expression="grid_of[1][1] + here.y * 2", frameId=1)["body"]["result"] == "14"
    book.resume()
    assert book.end(cell)["status"] == "ok"


def test_two_cells_with_one_text(book):
    """Both have the breakpoint. The second replaces the first's kernel, under the same path."""
    text = "__global__ void twin(int *x) {\n    *x += 1;\n}\ntwin<<<1, 1>>>(p);"
    path = book.dump(text)
    book.set(path, 2)
    for _ in range(2):
        cell = book.start(text)
        frames = book.stop()
        assert (frames[0]["line"], frames[0]["source"]["path"]) == (2, path)
        book.resume()
        assert book.end(cell)["status"] == "ok"


def test_a_fault_stops_where_it_happens(book):
    cell = book.start("__global__ void far(int *x) {\n    int i = 1 << 20;\n    x[i] = 1;\n}\nfar<<<1, 1>>>(p);\ncudaDeviceSynchronize();")
    assert re.match(r"out-of-bounds write: .* at line 3 in far\(int\*\)", book.client.until("stream", cell)["content"]["text"])
    frames = book.ask("stackTrace", threadId=1)["body"]["stackFrames"]
    assert frames[0]["line"] == 3 and book.scopes()["Thread"]["i"] == str(1 << 20)
    book.resume()
    assert book.end(cell)["status"] == "error"
    assert book.client.execute("1 + 1")[0]["status"] == "ok"


@pytest.mark.parametrize("way", ["interrupt", "disconnect", "next"])
def test_a_stop_is_left(book, way):
    book.client.execute("p[1] = 7;")
    book.set(book.path, 8)
    cell = book.start(LAUNCH)
    book.stop()
    if way == "interrupt":
        book.client.ask("interrupt_request", sock=book.client.control)
    elif way == "disconnect":
        book.ask("disconnect", restart=False, terminateDebuggee=False)
    else:
        book.set(book.path)
        for _ in range(5):
            book.resume("next")
            book.stop("step")
        book.resume("next")  # the last line: nothing is left to stop at
    reply = book.end(cell)
    assert (reply["status"], reply.get("ename")) == (("error", "Interrupted") if way == "interrupt" else ("ok", None))
    assert book.value() == ("7" if way == "interrupt" else "4"), "the notebook has its variables"


def test_a_browser_that_comes_back(book, soft):
    """It vanishes while a kernel is stopped, and another page asks how things stand."""
    book.set(book.path, 8)
    cell = book.start(LAUNCH)
    book.stop()
    page = Client(soft)
    page.welcome(PATIENCE)
    other = Lab(page)
    info = other.ask("debugInfo")["body"]
    assert info["isStarted"] and info["stoppedThreads"] == [1] and info["breakpoints"][0]["source"] == book.path
    assert other.ask("stackTrace", threadId=1)["body"]["stackFrames"][0]["line"] == 8
    assert other.ask("continue", threadId=1)["success"]
    page.close()
    assert book.end(cell)["status"] == "ok"


def test_a_crash_a_program_and_a_reset(book):
    """The next process stops at the breakpoints of the one before."""
    book.set(book.path, 8)
    program = f"%%program\n{KERNEL.split('int *p;')[0]}int main() {{\n    int *p;\n    cudaMallocManaged(&p, 1024);\n    k<<<1, 64>>>(p, 64);\n" \
              "    return cudaDeviceSynchronize();\n}"
    path = book.dump(program)
    book.set(path, 9)
    for before in (None, "*(volatile int *)0 = 1;", "%reset"):
        if before:
            book.client.execute(before)
            assert book.client.execute(KERNEL)[0]["status"] == "ok"
        for code, line in ((LAUNCH, 8), (program, 9)):
            cell = book.start(code)
            assert book.stop()[0]["line"] == line
            book.resume()
            assert book.end(cell)["status"] == "ok"


def test_requests_out_of_order(book):
    for command in ("stackTrace", "continue", "next", "pause", "scopes", "variables", "evaluate", "nonsense"):
        assert not book.ask(command, threadId=1)["success"] or command == "pause"
    book.set(book.path, 8)
    cell = book.start(LAUNCH)
    book.stop()
    for command, arguments in (("scopes", {"frameId": 99}), ("variables", {"variablesReference": 9999}), ("evaluate", {"expression": "missing"}),
                               ("evaluate", {"expression": "1 +"}), ("nonsense", {})):
        reply = book.ask(command, **arguments)
        assert not reply["success"] and reply["message"], command
    assert book.ask("initialize")["success"] and book.ask("attach")["success"]
    assert book.ask("stackTrace", threadId=7)["body"]["stackFrames"][0]["line"] == 8
    book.resume()
    assert book.end(cell)["status"] == "ok"


def test_a_stopped_kernel_can_be_shut_down():
    k = Kernel([str(REAL), "kernel", "-f"], env={"WARPBOOK_DEVICE": "soft"})
    client = Client(k)
    client.ready()
    book = Notebook(client)
    worker = client.ask("usage_request", sock=client.control)[0]["pid"]
    book.set(book.path, 8)
    book.start(LAUNCH)
    book.stop()
    client.ask("shutdown_request", {"restart": True}, sock=client.control)
    assert k.process.wait(240) == 0 and not alive(worker)
    client.close()
    k.close()


PAGE = {c["id"]: "".join(c["source"]) for c in json.loads((ROOT / "notebooks/13_debugger.ipynb").read_text())["cells"]}


def test_the_three_faults_of_the_page_for_newcomers(book):
    """Does what notebooks/13_debugger tells a newcomer to do, and finds what it says."""
    assert book.client.execute(PAGE["invert"])[0]["status"] == book.client.execute(PAGE["invert-check"])[0]["status"] == "ok"
    book.set(book.dump(PAGE["invert"]), 5)
    cell = book.start(PAGE["invert-debug"])
    assert book.stop()[0]["line"] == 5
    assert {"x": "0", "y": "1", "from": "16", "width": "48"}.items() <= book.scopes()["Thread"].items()
    book.resume()
    assert book.end(cell)["status"] == "ok"
    for name, line, words, scope, shown in (
        ("digits", 8, "race at line 8 in count_digits(", "Thread", {"old": "0"}),
        ("mirror", 5, "uninitialised read at line 5 in mirror(", "Shared memory", {"tile": "100, 101, 102, 103, 104, 105, 106, 107, ..."}),
    ):
        assert book.client.execute(PAGE[name])[0]["status"] == "ok"
        cell = book.start(PAGE[f"{name}-check"])
        assert book.client.until("stream", cell)["content"]["text"].startswith(words)
        assert book.ask("stackTrace", threadId=1)["body"]["stackFrames"][0]["line"] == line
        assert shown.items() <= book.scopes()[scope].items()
        book.resume()
        assert book.end(cell)["ename"] == "CudaError"
