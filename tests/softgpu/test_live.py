"""A kernel's output arrives while it runs, also through a pipe."""
import os
import subprocess

from test_cases import HERE, SOFTGPU, compiled


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        user, system = stat.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def test_printf_is_live():
    program = compiled(HERE / "cases/live/main.cu", "90", [])
    child = subprocess.Popen([str(program), "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             env=dict(os.environ, LD_LIBRARY_PATH=str(SOFTGPU), WARPBOOK_SOFTGPU_WATCHDOG="600"))
    try:
        assert child.stdout.readline() == b"begun\n"
        assert cpu_seconds(child.pid) < 3, "the line came late: 0.05 s are promised"
        child.stdin.write(b"go\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"ended\n"
        assert child.wait() == 0
    finally:
        child.kill()
