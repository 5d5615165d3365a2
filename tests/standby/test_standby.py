"""warpbook-standby: that what a waiting cudafe++ or cicc makes of a cell is what one makes that is started for it, to the
byte; and that nothing that happens to a standby is seen but in the time it takes."""

import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import draw
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
PROGRAM = BUILD / "lib/warpbook/warpbook-standby"
OUTPUTS = ("--gen_c_file_name", "--gen_device_file_name", "--stub_file_name", "-o")
BY_NOBODY = 98  # the exit status with WARPBOOK_STANDBY=only
SLOW = ("template <int D, int K> struct tree { static constexpr int v = tree<D - 1, 2 * K>::v + tree<D - 1, 2 * K + 1>::v; };\n"
        "template <int K> struct tree<0, K> { static constexpr int v = K; };\nint slow = tree<19, 1>::v;\n")


def nvcc():
    return os.environ.get("NVCC") or shutil.which("nvcc")


class Bench:
    """Steps of nvcc for units of cells, as runtime/compile/steps/steps.c takes them, in folders below `top`."""

    def __init__(self, top):
        self.top, self.serial = top, 0
        self.session = top / "session"
        self.session.mkdir()
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("WARPBOOK_", "NVCC_"))}
        self.env.update(XDG_CACHE_HOME=str(top / "cache"))
        self.outside = dict(self.env)
        self.waiting = top / "cache/warpbook/standby"

    def steps(self, text):
        """The folder, the cell's name, and the commands of cudafe++ and cicc, ready to run."""
        self.serial += 1
        ident = f"{random.getrandbits(64):016x}"
        cell, folder = f"cell_{ident}.cu", self.session / f".nvcc-{self.serial:06d}"
        folder.mkdir()
        unit = text if "cell [" in text else f'#line 1 "cell [ID]"\n{text}'
        unit = '#line 1 "warpbook"\n#include <stdio.h>\n' + unit.replace("ID", ident)
        (self.session / cell).write_text(unit)
        dry = subprocess.run([nvcc(), "--dryrun", "-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-nodlink", "-lineinfo", "-gencode",
                              "arch=compute_90,code=compute_90", "-Xcompiler", "-g1", f"-I{self.top}", "-o", folder / "out", cell],
                             cwd=self.session, env={**self.outside, "TMPDIR": str(folder)}, capture_output=True, text=True, check=True).stderr
        commands = []
        for line in (said.removeprefix("#$ ") for said in dry.splitlines()):
            setting = re.match(r"(PATH|LD_LIBRARY_PATH|CICC_PATH|NVVMIR_LIBRARY_DIR|TOP)=(.*)", line)
            if setting:
                self.env[setting[1]] = setting[2]
            elif " -E " in line:
                done = subprocess.run(line, shell=True, cwd=self.session, env=self.env, capture_output=True, text=True)
                assert done.returncode == 0, done.stderr
            elif line.startswith("cudafe++ ") or '/cicc" ' in line:
                words = subprocess.run(f"printf '%s\\n' {line}", shell=True, env=self.env, capture_output=True, text=True).stdout
                commands.append([w for w in words.splitlines() if w != "--gen_module_id_file"])
        front = commands[0]
        module = Path(front[front.index("--module_id_file_name") + 1])
        module.write_text(f"_{random.getrandbits(32):08x}_24_cell_{ident}_cu_{random.getrandbits(32):08x}")
        assert len(commands) == 2
        return folder, cell, commands

    def run(self, step, mode=None, **more):
        """A step by the program itself (mode None), or by whom warpbook-standby finds. Status, words, and what was made."""
        folder, cell, command = step
        env = dict(self.env, **{"WARPBOOK_STANDBY": mode} if mode else {})
        argv = [PROGRAM, folder, cell, *command] if mode else command
        done = subprocess.run(argv, cwd=self.session, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
        made = {}
        for option, value in zip(command, command[1:]):
            path = Path(value)
            if option in OUTPUTS and path.is_absolute() and path.exists():
                made[path.name] = path.read_bytes().replace(f"{folder}/".encode(), b"")
                path.unlink()
        return done.returncode, done.stdout, made

    def both(self, text, mode="only"):
        """[(by the program, by a copy)] of cudafe++ and cicc."""
        folder, cell, commands = self.steps(text)
        return [(self.run((folder, cell, c)), self.run((folder, cell, c), mode)) for c in commands]

    def copies(self, text):
        """The same where nobody needs to see that the program itself does as well."""
        folder, cell, commands = self.steps(text)
        return [self.run((folder, cell, c), "only") for c in commands]

    def sockets(self):
        return [p for p in self.waiting.glob("?" * 64) if p.is_socket()]

    def await_sockets(self, n, what="standbys"):
        """Waits until n sockets are there; returns them."""
        wait_for(lambda: len(self.sockets()) == n, f"{n} {what}, not {len(self.sockets())}")
        return self.sockets()

    def begin(self, text="int first = 1;\n"):
        """Has standbys begun for the headers of the text, and nothing compiled."""
        before = len(self.sockets())
        self.meet(text, mode="ahead")
        return self.await_sockets(before + 2)

    def meet(self, *texts, mode="1"):
        """Compiles them, as a notebook does."""
        for text in texts:
            folder, cell, commands = self.steps(text)
            for command in commands:
                assert self.run((folder, cell, command), mode)[0] == 0


def wait_for(holds, what, seconds=float(os.environ.get("WAIT_S", 240))):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def called(path):
    """A connection to who listens there."""
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    here = os.open(path.parent, os.O_RDONLY)
    s.connect(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)
    return s


def process_of(path):
    """The process that listens there."""
    with called(path) as s:
        return int.from_bytes(s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], "little")


def children_of(pid):
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def name_of(pid):
    return Path(f"/proc/{pid}/comm").read_text().strip()


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    pids = [process_of(p) for p in made.sockets()]
    shutil.rmtree(made.waiting, ignore_errors=True)
    for pid in pids:  # each goes when its socket's name is gone
        wait_for(lambda pid=pid: is_gone(pid), f"process {pid} is left")


def drawn(rng):
    """Cells with what compilers name by the cell, the module and the line; some wrong, some that warn."""
    a, b, n = (rng.choice("xyzuvw") + str(rng.randrange(100, 999)) for _ in range(3))
    k = rng.randrange(2, 99)
    return rng.choice([
        f"static int {a} = {k}, {b} = {a} + __LINE__;\n",
        f"static __device__ int {a}[{k}];\n__constant__ float {b} = {k};\n__global__ void {n}(int *p) {{ p[{a}[0]] = (int){b}; }}\n",
        f"namespace {{ __device__ int {a}; struct {b} {{ int m; }}; {b} {n}; }}\n__global__ void k{n}() {{ {a} = {k}; }}\n",
        f"template <typename T> __global__ void {a}(T *p, T v) {{ int unused; *p = v + {k}; }}\n"
        f"void {b}() {{ {a}<<<1, {k}>>>((double *)nullptr, 1.0); }}\n",
        f"auto {a} = [](int v) {{ return v * {k}; }};\nconst char *{b} = __FILE__, *{n} = __BASE_FILE__;\n",
        f"\n\nint {a}() {{\n  return {b};\n}}\n",  # an error
        f"__global__ void {a}(int *p) {{ *p = {b}; }}\nint {n} = 3000000000;\n",  # one, and a warning
        f"int {a} = __ldg((const int *)nullptr);\n#warning {b}\n",
        f'#line 7 "warpbook"\nint {a} = {k}; struct;\n#line 3 "cell [ID]"\nint {b} = {a}\n',
        f"__global__ void {a}() {{ __shared__ int s[{k}]; s[threadIdx.x] = clock(); printf(\"%d\\n\", s[0]); }}\nextern int {b};\n",
    ])


def agree(pairs):
    for plain, copy in pairs:
        assert copy[0] != BY_NOBODY, "no standby did it"
        assert copy[:2] == plain[:2]
        assert copy[2].keys() == plain[2].keys()
        for name, text in plain[2].items():
            assert copy[2][name] == text, name


def at_once(bench, texts):
    """[(by the program, by a copy)] for units whose copies are all at work together."""
    steps = [(folder, cell, c) for folder, cell, commands in map(bench.steps, texts) for c in commands]
    plain = [bench.run(step) for step in steps]
    with ThreadPoolExecutor(len(steps)) as pool:
        return list(zip(plain, pool.map(lambda step: bench.run(step, "only"), steps)))


def test_to_the_byte(bench):
    """Bare cells, several at once, and cells with headers of their own, whose standbys read on from the bare ones."""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    rng = random.Random(seed)
    bench.begin()
    headers = "#line 1 \"cell [ID]\"\n" + "".join(f"#include <{h}>\n" for h in rng.sample(["vector", "iostream", "map", "algorithm"], 2))
    for _ in range(4 if draw.ALL else 1):
        agree(at_once(bench, [drawn(rng) for _ in range(3)]))
    bench.begin(headers + "int other = 2;\n")
    for _ in range(12 if draw.ALL else 2):
        agree(bench.both(headers + drawn(rng)))
    assert not any(is_gone(process_of(p)) for p in bench.sockets())


def test_killed(bench):
    """One that dies leaves its name; the cell is compiled as ever, and another takes the name."""
    for path in bench.begin():
        os.kill(process_of(path), signal.SIGKILL)
    assert len(bench.sockets()) == 2  # stale
    assert all(copy[0] == BY_NOBODY for copy in bench.copies("int a = 1;\n"))
    for plain, copy in bench.both("int b = 1;\n", "1"):
        assert copy == plain
    for note in bench.waiting.glob("seen-*"):  # as if it were a minute later
        os.utime(note, (time.time() - 120,) * 2)
    bench.meet("int c = 1;\n")

    def answers():
        try:
            return all(process_of(p) for p in bench.sockets())
        except ConnectionRefusedError:
            return False

    wait_for(answers, "nobody answers")
    assert all(copy[0] == 0 for copy in bench.copies("int d = 1;\n"))


def test_who_is_slow_to_ask(bench):
    """Those who have connected and are kept from asking, by a busy machine or its disk, are waited for, and nobody waits for them."""
    silent = [called(path) for path in bench.begin() for _ in range(6)]
    assert all(copy[0] == 0 for copy in bench.copies("int a = 1;\n"))
    time.sleep(3)
    for s in silent:
        s.setblocking(False)
        with pytest.raises(BlockingIOError):
            s.recv(1)
        s.close()
    assert all(copy[0] == 0 for copy in bench.copies("int b = 1;\n"))


def test_who_asks_dies(bench):
    """The copy at work for somebody who is gone ends; one that dies at its work is as if it had not been; and what who asks may
    take is what the copy may take."""
    front, = [p for p in map(process_of, bench.begin()) if name_of(p) == "cudafe++"]
    folder, cell, commands = bench.steps(SLOW)
    for victim, how in (("asker", signal.SIGKILL), ("copy", signal.SIGKILL), ("copy", signal.SIGSTOP)):
        asker = subprocess.Popen([PROGRAM, folder, cell, *commands[0]], cwd=bench.session, env={**bench.env, "WARPBOOK_STANDBY": "only"})
        wait_for(lambda: children_of(front), "no copy")
        copy, = children_of(front)
        os.kill(asker.pid if victim == "asker" else copy, how)
        assert asker.wait() == (-signal.SIGKILL if victim == "asker" else BY_NOBODY)
        wait_for(lambda: not children_of(front), "the copy goes on")
    for limit, value, text in ((resource.RLIMIT_CPU, 1, SLOW), (resource.RLIMIT_FSIZE, 4096, "int a = 1;\n")):
        folder, cell, commands = bench.steps(text)
        status, _, _ = bench.run((folder, cell, commands[0]), "only", preexec_fn=lambda: resource.setrlimit(limit, (value, value)))
        assert status == BY_NOBODY  # it was ended
    assert all(copy[0] == 0 for copy in bench.copies("int after = 1;\n"))
    os.kill(front, signal.SIGSTOP)  # one that is stopped itself: as if it had not been there, and nobody asks it again
    for plain, copy in bench.both("int stopped = 1;\n", "1"):
        assert copy == plain
    wait_for(lambda: is_gone(front), "the stopped one stays")
    assert len(bench.sockets()) == 1


def test_ahead(bench):
    """They are begun before any cell is met, once, and what one would compile is not."""
    for _ in range(2):
        folder, cell, commands = bench.steps("int soon = 1;\n")
        for command in commands:
            assert bench.run((folder, cell, command), "ahead") == (0, b"", {})
        pids = sorted(process_of(p) for p in bench.await_sockets(2))
    assert [sum(int(line.split()[1]) for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if line.startswith("Anonymous:")) < 100_000
            for pid in pids] == [True, True]  # KB: cudafe++'s table of 128 MB is not held
    agree(bench.both("int first = 1;\n"))
    assert pids == sorted(process_of(p) for p in bench.sockets())


def remove(folder):
    """Whatever is put into it or goes from it meanwhile."""
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=True)


def test_when_they_go(bench):
    """With their folder; when unused; when the program is another one; when all have too much."""
    pids = [process_of(p) for p in bench.begin()]
    remove(bench.waiting)
    for pid in pids:
        wait_for(lambda: is_gone(pid), "it waits on without a socket")

    bench.env["WARPBOOK_STANDBY_IDLE"] = "3"
    bench.meet("int a = 1;\n", mode="ahead")
    wait_for(lambda: len(list(bench.waiting.glob("seen-*"))) == 2, "not met")
    wait_for(lambda: not bench.sockets() and not list(bench.waiting.glob("new-*")), "an unused one stays")
    del bench.env["WARPBOOK_STANDBY_IDLE"]

    remove(bench.waiting)
    bench.env["WARPBOOK_STANDBY_MB"] = "80"  # each has some 55
    bench.meet("int c = 1;\n", mode="ahead")
    wait_for(lambda: len(list(bench.waiting.glob("seen-*"))) == 2 and not list(bench.waiting.glob("new-*-")), "not met")
    wait_for(lambda: len(bench.sockets()) == 1, "both stay")


def test_another_program(bench, tmp_path):
    folder, cell, (command, _) = bench.steps("int a = 1;\n")
    own = tmp_path / "bin" / "cudafe++"
    own.parent.mkdir()
    shutil.copy(shutil.which("cudafe++", path=bench.env["PATH"]), own)
    step = folder, cell, [str(own), *command[1:]]
    plain = bench.run(step)
    for _ in range(2):
        assert bench.run(step, "1") == plain
    path, = bench.await_sockets(1)
    assert bench.run(step, "only") == plain
    pid = process_of(path)
    os.utime(own, (1, 1))
    assert bench.run(step, "only")[0] == BY_NOBODY
    wait_for(lambda: is_gone(pid), "the old one stays")


def test_what_speaks_does_not_wait(bench, tmp_path):
    """What a compiler says of the headers is said of each cell; and a header that changes is another beginning."""
    header = tmp_path / "own.h"
    header.write_text("static int never = 30000000000;\n" + "".join(f"int v{i}();\n" for i in range(4000)))
    cell = '#line 1 "cell [ID]"\n#include "own.h"\n'
    for i in range(2):
        for plain, copy in bench.both(cell + f"int a{i} = 1;\n", "1"):
            assert plain == copy
            assert b"truncation" in plain[1]
        time.sleep(1)
    assert not bench.sockets()
    header.write_text(header.read_text().replace("30000000000", "3"))
    sockets = bench.begin(cell + "int b = 2;\n")
    agree(bench.both(cell + "int c = 3;\n"))
    header.write_text(header.read_text() + "int more = 4;\n")
    assert all(copy[0] == BY_NOBODY for copy in bench.copies(cell + "int d = more;\n"))
    assert bench.sockets() == sockets


def test_never(bench, tmp_path):
    """It is not used where it is turned off, and no folder but one's own."""
    bench.begin()
    before = [p.stat().st_mtime_ns for p in bench.sockets()]
    bench.meet("int a = 1;\n", mode="0")
    assert [p.stat().st_mtime_ns for p in bench.sockets()] == before
    bench.waiting.rename(tmp_path / "elsewhere")
    bench.waiting.symlink_to(tmp_path / "elsewhere")
    assert all(copy[0] == BY_NOBODY for copy in bench.copies("int b = 1;\n"))
    bench.waiting.unlink()
    (tmp_path / "elsewhere").rename(bench.waiting)
    if os.geteuid() == 0:  # who alone may give a folder away
        os.chown(bench.waiting, 65534, 65534)
        assert all(copy[0] == BY_NOBODY for copy in bench.copies("int c = 1;\n"))
        os.chown(bench.waiting, 0, 0)


@pytest.mark.skipif(not draw.ALL, reason="ALL=1 alone")
def test_notebooks_to_the_byte(bench, tmp_path):
    """Notebooks of tests/cells, drawn, each step by both (both.py)."""
    prefix, log = tmp_path / "prefix", tmp_path / "log"
    (prefix / "lib/warpbook").mkdir(parents=True)
    for name in ("bin", "share"):
        (prefix / name).symlink_to(BUILD / name)
    for path in (BUILD / "lib/warpbook").iterdir():
        if path != PROGRAM:
            (prefix / "lib/warpbook" / path.name).symlink_to(path)
    (prefix / "lib/warpbook" / PROGRAM.name).symlink_to(Path(__file__).with_name("both.py"))
    names = random.sample(sorted(p.parent.name for p in (ROOT / "tests/cells").glob("*/1.cu")), 6)
    print(names)
    subprocess.run([BUILD / "tests/session_test", *names], cwd=ROOT, check=True,
                   env={**bench.env, "BOTH_LOG": str(log), "BOTH_STANDBY": str(PROGRAM), "WARPBOOK_PREFIX": str(prefix)})
    said = log.read_text()
    assert "differs" not in said and " same" in said, said
