"""The kernel with its compiler and worker; the client is that of tests/conformance."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "conformance"))
