"""jupyter_kernel_test, every attribute that applies filled in, on the installed kernel with its compiler
and worker."""

import os
import shutil
import subprocess
import tempfile
import unittest

import jupyter_kernel_test
from raw_client import REAL

jupyter_kernel_test.TIMEOUT = 600  # for a slow machine that does other things, too
FOLDER = tempfile.mkdtemp(prefix="warpbook-jkt-")


def setUpModule():
    subprocess.run([REAL, "install", "--prefix", FOLDER], check=True, capture_output=True, timeout=600)
    os.environ["JUPYTER_PATH"] = FOLDER + "/share/jupyter"
    os.environ["WARPBOOK_HISTORY"] = ":memory:"


def tearDownModule():
    shutil.rmtree(FOLDER)


class WarpbookTests(jupyter_kernel_test.KernelTests):
    kernel_name = "warpbook"
    language_name = "cuda"
    file_extension = ".cu"
    code_hello_world = '#include <cstdio>\nprintf("hello, world\\n");'
    code_stderr = '#include <cstdio>\nfprintf(stderr, "to stderr\\n");'
    code_page_something = "cudaMalloc?"
    code_generate_error = "int *nowhere = nullptr; *nowhere = 1;"
    code_execute_result = [{"code": "6 * 7", "result": "42"}]
    code_display_data = [{"code": 'wb::html("<b>bold</b>");', "mime": "text/html"}]
    code_history_pattern = "6 ? 7"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "cudaMemcpy"
    code_clear_output = "wb::clear();"
    completion_samples = [
        {"text": "cudaMemcpyHostTo", "matches": ["cudaMemcpyHostToDevice", "cudaMemcpyHostToHost"]},
        {"text": "%devi", "matches": ["%device"]}, {"text": "threadIdx.", "matches": ["x", "y", "z"]}]
    complete_code_samples = ["int a = 1;", "6 * 7", "%time f()", "__global__ void k() { }", "#include <vector>"]
    incomplete_code_samples = ["void f() {", "int a[] = {1,", "printf(", "%%time\nf();", "/* open"]
    invalid_code_samples = ["int a = 1; }", "f(]"]


del jupyter_kernel_test.KernelTests  # the base class is no test of its own


if __name__ == "__main__":
    unittest.main()
