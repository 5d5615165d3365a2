"""Magics: what they do, and what they say when they are used in a wrong way."""

import re

import pytest
from raw_client import PATIENCE, Client, gone, streams, types


def text_of(outputs):
    """All that a cell shows, as plain text."""
    shown = [m["content"]["data"].get("text/plain", "") for m in outputs
             if m["type"] in ("display_data", "execute_result")]
    return "\n".join([streams(outputs), *shown])


@pytest.fixture(scope="module", autouse=True)
def session(shared_kernel):
    """The session is there before a magic is asked about it."""
    client = Client(shared_kernel)
    client.ready()
    client.execute("print x")
    client.close()


@pytest.mark.parametrize("code, says", [
    ("%wibble", "There is no magic %wibble"),
    ("%devise soft", "did you mean device?"),
    ("%%conters\nprint x", "did you mean counters?"),
    ("%counters", "%counters does not exist; %%counters does"),
    ("%%who\nprint x", "%%who does not exist; %who does"),
    ("%device quantum", "usage: %device [auto|gpu|soft|"),
    ("%device soft gpu", "usage: %device"),
    ("%device gpu", "no usable GPU"),
    ("%who cares", "usage: %who [variable|"),
    ("%flags O3", "a flag begins with -"),
    ("%flags -bad", "nvcc does not know the flag -bad"),
    ("%reset now", "'now' is not known here"),
    ("%time", "there is nothing to time"),
    ("%timeit", "there is no statement"),
    ("%timeit -r 0 print x", "-r takes a whole number from 1 to 1000000, not '0'"),
    ("%%capture\nprint x", "%%capture is IPython's, and not here: leave the line out"),
    ("%%cuda --profile\nprint x", "it takes no --profile here: %%counters shows"),
    ("%%cuda -c \"-O3 -lcublas\"\nprint x", "it takes no -c here: the line %flags OPTIONS"),
    ("%%cuda -t\nprint x", "it takes no -t here: %timeit"),
    ("%%cuda -n scan.cu\nprint x", "%%writefile scan.cu does so here"),
    ("%%cuda wibble\nprint x", "%flags sets the compiler's"),
    ("%%cuda_group_save -n a.cu -g x\nprint x", "%%writefile FILE keeps a source"),
    ("%%cuda_group_delete -g x", "!rm FILE... removes"),
    ("%%compare mine reduce\nvoid mine(float *p, int n) { }", "mine is a function of this notebook: write :mine"),
    ("%%compare --stage --seed 7 transpose mine\n__global__ void mine_kernel() {}\nvoid\nmine (float *p) { mine_kernel<<<1, 1>>>(); }",
     "mine is a function of this notebook: write :mine"),
    ("%load_ext autotime", "only nvcc4jupyter"),
    ("%bench -n 0 print x", "-n takes a whole number from 1 to 1000000, not '0'"),
    ("%bench -n 5", "there is no statement"),
    ("%bench -n1e9 print x", "-n takes a whole number"),
    ("%%memcheck\n\n%%racecheck\nprint x", "%%memcheck: a cell has one magic of this kind; %%racecheck begins"),
    ("%%time\n%%grade reduce\nprint x", "%%grade begins another"),
    ("%who kernels", "did you mean kernel?"),
    ("%compare transpose --json", "--json is for the shell: a line that begins with !warpbook"),
    ("%%bench fast\nprint x", "'fast' is not known here"),
    ("%ptx a b", "one kernel's name"),
    ("%help wibble", "there is no magic 'wibble'"),
    ("%help grad", "did you mean grade?"),
    ("%%counters --all\nprint x", "there is no option --all"),
    ("%%counters", "the cell is empty"),
    ("%%counters sector\nprint x", "'sector' is no quantity, did you mean sectors?"),
    ("%%counters sectors passes\nprint x", "one quantity is shown"),
    ("%%counters sectors --lines\nprint x", "leave out --lines"),
    ("%%predict", "the cell is empty"),
    ("%predict --sizes 64", "%%predict, with two signs, models a cell's times on a GPU"),
    ("%%predict 64\nprint n", "'64' is not known here"),
    ("%%predict --sizes\nprint n", "--sizes needs a value"),
    ("%%predict --sizes 64,4k\nprint n", "'4k' is no size: whole numbers with commas between"),
    ("%%predict --sizes 64,\nprint n", "'' is no size"),
    ("%%predict --sizes 0\nprint n", "'0' is no size"),
    ("%%predict --sizes -3\nprint n", "'-3' is no size"),
    ("%%predict --sizes 2.5\nprint n", "'2.5' is no size"),
    ("%%predict --sizes nan\nprint n", "'nan' is no size"),
    ("%%predict --sizes 1e400\nprint n", "'1e400' is no size"),
    ("%%predict --sizes 64x64\nprint n", "'64x64' is no size"),
    ("%%predict --sizes 64,2^6\nprint n", "the size 64 is there twice"),
    ("%%predict --sizes 1,2,3,4,5,6,7\nprint n", "6 sizes at once are enough"),
    ("%%predict --sizes 64 --name 3d\nprint n", "--name takes a variable's name, not '3d'"),
    ("%%predict --sizes 64 --name rows\nprint n", "nothing in the cell uses rows"),
    ("%%predict --sizes 64\nprint nn n1 _n", "nothing in the cell uses n,"),
    ("%%predict --sizes 64\nint n = 3;", "the cell declares n itself"),
    ("%%predict --sizes 64\n%%counters\nprint n", "%%counters begins another"),
    ("%%memcheck hard\nprint x", "'hard' is not known here"),
    ("%%program\n", "the cell is empty"),
    ("%%writefile\nx", "which file?"),
    ("%%writefile a b\nx", "one file, please"),
    ("%%writefile /no/such/folder/x\nx", "/no/such/folder"),
    ("%%grade\nx", "which lab?"),
    ("%%grade --seed 3\nx", "which lab?"),
    ("%%grade reduce gemm\nx", "one lab at a time, not reduce and gemm"),
    ("%%grade reduce --csv\nx", "--csv is for the shell"),
    ("%%grade reduce --seed\nx", "--seed needs a value"),
    ("%%grade reduce\n \n", "the cell is empty"),
    ("%compare", "which kernels?"),
    ("%%bash\nexit 3", "exit status 3"),
    ("wibble_wobble?", "Nothing is known about 'wibble_wobble'"),
])
def test_misuse(shared, code, says):
    content, outputs = shared.execute(code)
    assert content["status"] == "error" and says in content["evalue"]
    assert types(outputs)[-2] == "error" and streams(outputs, "stderr") == ""
    assert not any("\n" in line for line in content["traceback"])


def test_lsmagic(shared):
    _, outputs = shared.execute("%lsmagic")
    data = outputs[2]["content"]["data"]
    for name in ("%device", "%%counters", "%%grade", "%time", "%%time"):
        assert name in data["text/plain"] and name in data["text/html"]


def test_help(shared):
    for code in ("%help bench", "%bench?", "%help %bench"):
        content, _ = shared.execute(code)
        assert "[-n RUNS]" in content["payload"][0]["data"]["text/plain"]
    assert "CUDA C++17" in shared.execute("%help")[0]["payload"][0]["data"]["text/plain"]


def test_device(client):
    _, outputs = client.execute("%device soft")
    assert "softgpu" in streams(outputs) and "times are the CPU's" in streams(outputs)


def test_flags(client):
    client.execute("print x")
    assert "no extra flags" in streams(client.execute("%flags")[1])
    assert streams(client.execute("%flags -O3 '-DA=\"a b\"'")[1]) == '-O3 -DA="a b"\n'
    assert client.execute("%flags -bad")[0]["status"] == "error"
    assert "-O3" in streams(client.execute("%flags")[1])
    assert "no extra flags" in streams(client.execute("%flags --clear")[1])


def test_who_and_reset(client):
    assert "nothing is defined" in streams(client.execute("%who")[1])
    client.execute("define wobble")
    assert re.search(r"wobble .*\[\d+\]", text_of(client.execute("%who")[1]))  # and the cell that defined it
    assert "no kernel is defined" in streams(client.execute("%who kernel")[1])
    client.execute("%reset")
    assert "nothing is defined" in streams(client.execute("%who")[1])


def test_order_of_parts(shared):
    _, outputs = shared.execute("print a;\n!echo b\nprint c;\n%time print d\nvalue 5")
    lines = streams(outputs).splitlines()
    assert lines[:4] == ["a", "b", "c", "d"] and "compile" in lines[4]
    assert outputs[-2]["type"] == "execute_result"


def test_a_failed_part_ends_the_cell(shared):
    content, outputs = shared.execute("print a;\n%wibble\nprint b;")
    assert content["status"] == "error" and streams(outputs) == "a\n"


def test_time(shared):
    _, outputs = shared.execute("%%time\nprint x")
    assert streams(outputs).startswith("x\ncompile 1.00 ms, run 2.00 ms")


def test_shell(shared):
    _, outputs = shared.execute("!echo out; echo err >&2; printf 'no newline \u00fc'; exit 4")
    assert streams(outputs) == "out\nno newline \u00fc[exit status 4]\n"
    assert streams(outputs, "stderr") == "err\n"


def test_shell_invalid_utf8(shared):
    _, outputs = shared.execute(r"!printf 'a\xffb'")
    assert streams(outputs) == "a\ufffdb"


def test_bash_arguments(shared):
    _, outputs = shared.execute("%%bash one 'two three'\necho \"$2\"\ncat")
    assert streams(outputs) == "two three\n"


def test_what_notebooks_for_python_have(shared, tmp_path):
    path = tmp_path / "a.h"
    assert "Wrote" in streams(shared.execute(f"%%file '{path}'\nint a;\n")[1])
    assert streams(shared.execute(f"%cat {path}\n%ls {tmp_path}")[1]) == "int a;\na.h\n"
    assert streams(shared.execute("%pwd")[1]).startswith("/")
    for shell in ("sh", "shell", "bash"):
        assert streams(shared.execute(f"%%{shell} two\necho one $1")[1]) == "one two\n"
    content, outputs = shared.execute("%load_ext nvcc4jupyter")
    assert content["status"] == "ok" and "not needed" in streams(outputs)


def test_writefile(shared, tmp_path):
    path = tmp_path / "a file.cu"
    assert "Wrote" in streams(shared.execute(f"%%writefile '{path}'\nint a;\n// %x\n")[1])
    assert "Overwrote" in streams(shared.execute(f"%%writefile '{path}'\nint b;\n")[1])
    assert "Appended" in streams(shared.execute(f"%%writefile -a '{path}'\nint c;")[1])
    assert path.read_text() == "int b;\nint c;"


def test_counters(shared):
    _, outputs = shared.execute("%%counters\nprint x")
    bundle = [m for m in outputs if m["type"] == "display_data"][0]["content"]["data"]
    for form in ("text/plain", "text/html"):
        assert "twice" in bundle[form] and "32" in bundle[form]
    assert "<script" not in bundle["text/html"]
    # One table and one sentence. The rest is folded away, and a console says how to get it.
    assert bundle["text/html"].index("<table") < bundle["text/html"].index("Stores of twice use only") < \
        bundle["text/html"].index("<details><summary>")
    assert bundle["text/plain"].count("twice") == 2 and "--source" in bundle["text/plain"] and "warp instructions" not in bundle["text/plain"]
    _, outputs = shared.execute("%%counters sectors\nprint x")
    bundle = [m for m in outputs if m["type"] == "display_data"][0]["content"]["data"]
    assert bundle["text/plain"] .splitlines()[::2] == ["kernel  sectors/load  sectors/store", "twice           4.00          32.00"]
    assert bundle["text/html"].count("font-size:2em") == 2


def test_checks(shared):
    for name, verdict in (("memcheck", "No out-of-bounds, misaligned or uninitialised access in 1 kernel launch.\n"),
                          ("racecheck", "No data race in 1 kernel launch.\n")):
        content, outputs = shared.execute(f"%%{name}\nprint x")
        assert content["status"] == "ok" and streams(outputs).endswith(verdict), streams(outputs)
        assert shared.execute(f"%%{name}\nerror broken")[0]["status"] == "error"


def test_ptx(shared):
    shared.execute("print x")
    assert ".version" in streams(shared.execute("%ptx")[1])
    assert "MOV" in streams(shared.execute("%sass")[1])
    assert "no kernel 'k'" in shared.execute("%ptx k")[0]["evalue"]


def test_a_child_is_gone_with_its_children(shared):
    _, outputs = shared.execute("!(sleep 1000 & echo $!)", timeout=PATIENCE)
    assert gone(int(streams(outputs).split()[0]))
