"""Kernels for the tests: `client` talks to a kernel whose session is a mock (tests/mock), so that the
protocol is tested without a compiler."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from raw_client import Client, Kernel  # noqa: E402


@pytest.fixture
def kernel():
    k = Kernel()
    yield k
    k.close()


@pytest.fixture
def client(kernel):
    c = Client(kernel)
    c.ready()
    yield c
    c.close()


@pytest.fixture(scope="module")
def shared_kernel():
    k = Kernel()
    yield k
    k.close()


@pytest.fixture
def shared(shared_kernel):
    """A client of a kernel that this file's tests share: for tests that leave it as it was."""
    c = Client(shared_kernel)
    c.ready()
    yield c
    c.close()
