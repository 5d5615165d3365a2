"""Processes that outlive their cell, end between cells, or are interrupted as a cell begins."""

import os
import random
import signal
import subprocess
import time

import pytest
from raw_client import REAL, Client, Kernel, streams

LIMIT = 600  # seconds for a cell, on a slow machine that does other things, too
ALL = bool(os.environ.get("WARPBOOK_TEST_ALL"))


@pytest.fixture
def client(tmp_path):
    kernel = Kernel(argv=[str(REAL), "kernel", "-f"], env={"XDG_CACHE_HOME": str(tmp_path), "WARPBOOK_DEVICE": "soft"})
    c = Client(kernel)
    c.ready()
    yield c
    c.close()
    kernel.close()


def run(client, code, **more):
    content, outputs = client.execute(code, timeout=LIMIT, **more)
    shown = [m["content"]["data"]["text/plain"] for m in outputs if m["type"] == "execute_result"]
    return content, streams(outputs) + streams(outputs, "stderr"), shown


def worker_of(client):
    return client.ask("usage_request", sock=client.control)[0]["gpu"]["worker_pid"]


def test_a_forked_child_ends_with_its_cell(client):
    """A child that returns from its cell would take the next message that is meant for the worker."""
    run(client, "int keep = 5;")
    for end in ("", "throw 1;", "exit(3);", "return;"):
        content, text, _ = run(client, '#include <unistd.h>\n#include <sys/wait.h>\n'
                                       f'if (!fork()) {{ printf("child\\n"); {end} }} else {{ wait(0); printf("parent\\n"); }}')
        assert content["status"] == "ok", content
        assert "child" in text and "parent" in text
    assert run(client, "keep")[2] == ["5"]


def test_a_crash_is_reported_while_a_daemon_holds_the_pipes(client):
    """The daemon ends after ten minutes: a kernel that waited for it would run into the limit of CPU-less time."""
    _, text, _ = run(client, '#include <unistd.h>\nint pid = fork();\n'
                             'if (pid == 0) { setsid(); sleep(600); _exit(0); }\nprintf("daemon %d\\n", pid);')
    daemon = int(text.split("daemon ")[1].split()[0])
    try:
        content, _, _ = run(client, "abort();")
        assert content["status"] == "error" and content["ename"] == "Aborted", content
        assert os.path.exists(f"/proc/{daemon}")
        assert run(client, "1 + 1")[2] == ["2"]
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_a_cell_runs_though_the_worker_was_killed_while_idle(client):
    run(client, "int kept = 5; int twice(int x) { return 2 * x; }")
    os.kill(worker_of(client), signal.SIGKILL)
    content, text, shown = run(client, "twice(21)")
    assert (content["status"], shown) == ("ok", ["42"]), content
    assert "was killed while no cell ran" in text and "kept" in text
    content, text, _ = run(client, "kept")
    assert content["status"] == "error" and "killed while" not in text
    assert any("kept (int, from cell [1]) was lost" in line for line in content["traceback"]), content
    run(client, "int again = 1;")
    time.sleep(0.5)
    os.kill(worker_of(client), signal.SIGKILL)
    content, text, _ = run(client, "again + 1")
    assert content["status"] == "error" and "again" in text


def test_interrupts_at_any_moment_stop_the_cell_and_keep_the_variables(client):
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    print(f"seed {seed}")
    draw = random.Random(seed)
    assert run(client, "int keep = 5;")[0]["status"] == "ok"
    for i in range(1000 if ALL else 25):
        after = draw.choice([draw.uniform(0, 0.2), draw.uniform(0, 0.01)])
        body = draw.choice(["for (;;);", 'for (;;) printf("x\\n");', "for (;;) usleep(10);"])
        fresh = f"int fresh{i} = {i};" if draw.random() < 0.2 else ""  # compiled anew
        msg_id = client.send(client.shell, "execute_request", {"code": f"#include <unistd.h>\n{fresh}\n{body}"})
        client.until("execute_input", msg_id, LIMIT)
        time.sleep(after)
        os.kill(client.kernel.process.pid, signal.SIGINT)
        content = client.reply_to(client.shell, msg_id, LIMIT)["content"]
        client.outputs_of(msg_id, LIMIT)
        assert content["status"] == "error" and content["ename"] == "Interrupted", (i, after, body, content)
        content, _, shown = run(client, "keep")
        assert shown == ["5"], (i, after, body, content)


LIMITS = """#include <sys/resource.h>
#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
using which_limit = __rlimit_resource;
int keep = 5;
void lower(which_limit which, rlim_t to) {
    rlimit l{to, to}, now;
    int failed = setrlimit(which, &l);
    getrlimit(which, &now);
    printf("%d %d %d\\n", failed, now.rlim_cur == to, now.rlim_max == to);
}"""


def test_a_limit_that_a_cell_lowers_ends_with_the_cell(client):
    assert run(client, LIMITS)[0]["status"] == "ok"
    for name, to in [("NOFILE", 0), ("NOFILE", 3), ("AS", 1 << 20), ("FSIZE", 0), ("NPROC", 0), ("STACK", 1 << 14), ("DATA", 4096),
                     ("MEMLOCK", 0), ("CORE", 0)]:
        content, text, _ = run(client, f"lower(RLIMIT_{name}, {to});")
        assert (content["status"], text) == ("ok", "0 1 1\n"), name
        content, _, shown = run(client, "__global__ void add(int *p) { *p += 2; }\nint *p; cudaMallocManaged(&p, 4); *p = keep;\n"
                                        "add<<<1, 1>>>(p); cudaDeviceSynchronize(); *p")
        assert (content["status"], shown) == ("ok", ["7"]), (name, content)


def test_a_cell_keeps_to_its_limits_and_a_hard_one_stays_while_it_runs(client):
    run(client, LIMITS)
    _, text, _ = run(client, "lower(RLIMIT_NOFILE, 20); lower(RLIMIT_NOFILE, 30); rlimit more{30, 20};\n"
                             'int r = setrlimit(RLIMIT_NOFILE, &more); printf("%d %d ", r, errno == EINVAL);\n'
                             'int n = 0; while (open("/dev/null", 0) >= 0) n++; printf("%d", n < 20 && errno == EMFILE);')
    assert text == "0 1 1\n-1 0 0\n-1 1 1"


def test_files_that_a_cell_left_open_do_not_keep_the_next_from_loading(client):
    run(client, LIMITS)
    _, _, shown = run(client, 'int n = 0; while (open("/dev/null", 0) >= 0) n++; n > 100 && errno == EMFILE')
    assert shown == ["true"]
    _, _, shown = run(client, 'int again = open("/dev/null", 0); again + keep')
    assert shown == ["4"]
    _, _, shown = run(client, "rlimit more; getrlimit(RLIMIT_NOFILE, &more); more.rlim_cur += 10; setrlimit(RLIMIT_NOFILE, &more);\n"
                              'open("/dev/null", 0) > 0')
    assert shown == ["true"]


def test_many_cells_need_few_mappings_and_old_ones_still_work(client):
    run(client, 'int total = 0; const char *word = "abc"; void spin() { for (;;); }\nvoid parse() { for (;;) strtod("1.5e-300", 0); }\nint fail() { throw 7; }\n'
                "__global__ void add(int *p) { *p += 2; }")
    counts = []
    with open(f"/proc/{worker_of(client)}/maps") as maps:
        for i in range(330):
            content, _, _ = run(client, "int n = 2; total += n;")
            assert content["status"] == "ok", (i, content)
            if i in (290, 329):
                maps.seek(0)
                counts.append(len(maps.readlines()))
    assert counts[1] <= counts[0] + 10
    _, text, shown = run(client, 'try { fail(); } catch (int e) { printf("%d ", e); }\nint *p; cudaMallocManaged(&p, 4); *p = 1;\n'
                                 'add<<<1, 1>>>(p); cudaDeviceSynchronize(); printf("%d %s", *p, word);\ntotal')
    assert (text, shown) == ("7 3 abc", ["660"])
    for code in ("spin();", "parse();", "parse();"):  # an interrupt in a library plants a breakpoint in the cell's code
        msg_id = client.send(client.shell, "execute_request", {"code": code})
        client.until("execute_input", msg_id, LIMIT)
        time.sleep(0.5)
        os.kill(client.kernel.process.pid, signal.SIGINT)
        assert client.reply_to(client.shell, msg_id, LIMIT)["content"]["ename"] == "Interrupted"
        client.outputs_of(msg_id, LIMIT)
    assert run(client, "total + n")[2] == ["662"]
    content, _, _ = run(client, "char *text = (char *)\"abc\"; text[0] = 'x';")
    assert content["ename"] == "SegmentationFault", content


# Code whose tables name a stack where none is, as some assembly's do in part.
LOST = """.globl lost
.type lost,@function
lost:
.cfi_startproc
 mov $2000,%ecx
 movabs $0xdead000000000000,%rax
.cfi_def_cfa rax, 8
1: dec %ecx
 jnz 1b
 ret
.cfi_endproc
.section .note.GNU-stack,"",@progbits
"""


def test_an_interrupt_where_no_stack_can_be_read_keeps_the_variables(client, tmp_path):
    (tmp_path / "lost.s").write_text(LOST)
    subprocess.run(["gcc", "-shared", "-o", tmp_path / "lost.so", tmp_path / "lost.s"], check=True)
    run(client, f'#include <dlfcn.h>\nauto lost = (void (*)())dlsym(dlopen("{tmp_path}/lost.so", RTLD_NOW), "lost");\nint kept = 5;')
    for _ in range(5):
        msg_id = client.send(client.shell, "execute_request", {"code": 'printf("on\\n"); fflush(stdout); for (;;) lost();'})
        client.until("stream", msg_id, LIMIT)
        os.kill(client.kernel.process.pid, signal.SIGINT)
        assert client.reply_to(client.shell, msg_id, LIMIT)["content"]["ename"] == "Interrupted"
    assert run(client, "kept")[2] == ["5"]
