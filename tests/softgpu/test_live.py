"""What a kernel prints arrives while it runs, also through a pipe."""
import os
import subprocess
import time

from test_cases import HERE, SOFTGPU, compiled


def test_printf_is_live():
    program = compiled(HERE / "cases/live/main.cu", "90", [])
    child = subprocess.Popen([str(program)], stdout=subprocess.PIPE,
                             env=dict(os.environ, LD_LIBRARY_PATH=str(SOFTGPU)))
    try:
        assert child.stdout.readline() == b"begun\n"
        seen = time.monotonic()
        assert child.stdout.readline() == b"ended\n"
        assert time.monotonic() - seen > 0.5, "both lines came together, at the kernel's end"
        assert child.wait(timeout=20) == 0
    finally:
        child.kill()
