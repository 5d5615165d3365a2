"""The protocol tests once more, on a kernel built with the address and undefined-behaviour sanitizers: a
leak or an error there ends the kernel with a status that those tests look at."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from raw_client import BUILD

HERE = Path(__file__).resolve().parent
SANITIZED = BUILD / "san"


@pytest.mark.skipif(BUILD.name == "san", reason="this is the sanitized run")
def test_protocol_under_sanitizers():
    if not (SANITIZED / "tests" / "mock" / "bin" / "warpbook").exists():
        pytest.skip(f"not built: make SAN=1 BUILD={SANITIZED} unit")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    files = [HERE / f"test_{name}.py" for name in ("wire", "protocol", "magics", "channels", "subshell", "debugger")]
    done = subprocess.run([*command, *files], env={**os.environ, "WARPBOOK_BUILD": str(SANITIZED)},
                          capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
