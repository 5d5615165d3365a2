"""The kernel set and `warpbook compare`, on softgpu: every kernel right at sizes that hurt (no race,
no read of what nothing wrote, no access out of bounds), its memory accesses as theory says, wrong kernels found out, and every form of output well formed."""
import json
import re
import os
import random
import subprocess
import xml.etree.ElementTree
from pathlib import Path

import pytest

import draw

HERE = Path(__file__).parent
WARPBOOK = Path(os.environ.get("WARPBOOK_BUILD", "build")).resolve() / "bin/warpbook"
WRONG = HERE / "wrong.cu"


def warpbook(*args, timeout=600):
    return subprocess.run([WARPBOOK, *map(str, args)], capture_output=True, text=True,
                          timeout=timeout, stdin=subprocess.DEVNULL)


def compare(*args):
    """The document of `warpbook compare ARGS --json`, and the exit status."""
    done = warpbook("compare", *args, "--device", "soft", "--json")
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def kernels(document):
    return [k for size in document["sizes"] for k in size["kernels"]]


LISTED = json.loads(warpbook("labs", "--json").stdout)["kernels"]
NO_LIBRARY = {"cublas.gemm_fp8", "cublas.gemm_fp8_fast"}  # softgpu has no cuBLASLt
HOPPER = {k["name"] for k in LISTED if k["needs"] == "compute capability 9.0"}  # softgpu has none of its instructions

# The sizes that each group of kernels must pass: odd, tiny, empty, non-square, no multiple of a tile.
LINES = "0,1,31,33,257,1000,65537,100003"
MATRICES = "0,1,1x77,77x1,33,31x65,64,130x68,136x68,257x100"
SUMS = "0,1,0x5,5x0,1x77,77x1,2x3,33,130x68,257x100,1000x7,30x193,7x513,3x9001,2x20004,5000x6,70x1300,400x1026,300x1025,530x16390"
PRODUCTS = "1,2x3x1,5x4x0,33x17x65,64,130x129x7,127x131x250"
GROUPS = [
    (["coalescing"], "float", LINES),
    (["coalescing.row_sums", "coalescing.row_sums_warp", "coalescing.row_sums_group",
      "coalescing.row_sums_packed"], "float", SUMS),
    (["coalescing.column_sums", "coalescing.column_sums_slices", "coalescing.column_sums_clusters",
      "coalescing.column_sums_lines"], "float", SUMS),
    (["transpose"], "float", MATRICES),
    (["transpose"], "double", MATRICES),
    (["transpose.two_streams"], "float", "68x32768,588x32768,132x65536"), # rows that it does not pass on
    (["transpose.two_streams"], "double", "66x16384,578x16384"),
    (["transpose.any_shape"], "float", "13331x67,40003x5"), # so high that tiles are narrow, in bands
    (["transpose.any_shape"], "double", "13331x35,40003x3"),
    (["reduce"], "float", LINES),
    (["reduce"], "double", LINES),
    (["reduce.maximum"], "float", LINES),
    (["reduce.maximum"], "double", LINES),
    (["scan"], "float", LINES),
    (["scan.look_back", "scan.groups", "scan.ahead", "scan.by_size"], "float", "1200007"), # groups of tiles
    (["histogram"], "byte", LINES),
    (["softmax"], "float", "0,1,0x5,5x0,1x77,77x1,2x3,33,130x68,257x20,40x260,7x513,5x1300,3x9001,2x20004,2x70001"),
    (["softmax.quads", "softmax.by_length"], "float", "140x5001,2x40004"), # a block a row; segments; twice
    (["gemm"], "float", PRODUCTS),
    (["gemm.stream_k"], "float", "33x260x520,129x130x600"), # deep enough for tiles to be shared out
    (["gemm.parts", "gemm.best"], "float", "64x64x1024,8x300x500,301x7x333"), # flat, narrow, k in parts
    (["gemm.column_tiles", "gemm.tensor_columns", "cublas.dgemm"], "double", PRODUCTS),
    (["gemm.tensor_double", "cublas.dgemm_rows"], "double", PRODUCTS),
    (["gemm"], "fp16", PRODUCTS),
    (["gemm.tensor_parts"], "bf16", "64x64x1024,8x72x512,65x7x333"), # flat, narrow, k in parts
    (["gemm.by_size"], "fp16", "300x1001x10,65x1500x33,17x2003x64,9x130x40"), # shallow, rows that start anywhere
    (["gemm.direct"], "bf16", "33x40x24,17x8x2048,65x7x333,100x136x264"), # one, four and sixteen warps
    (["gemm"], "bf16", PRODUCTS),
    (["gemm"], "tf32", PRODUCTS),
    (["gemm", "cublas.gemm_fp8_fast"], "fp8", PRODUCTS),
    (["gemm.batched"], "bf16", "0x5x6x7,1x33x17x65,3x64x72x40,5x7x24x512"),
    (["gemm.batched"], "fp16", "2x33x17x65,3x64x72x40"),
    (["gemm.batched"], "tf32", "2x33x17x65,3x64x72x40"),
]


def chosen(groups):
    """A third of them in a plain run, each at half of its sizes."""
    return [(names, type_, ",".join(draw.share(sizes.split(","), 2))) for names, type_, sizes in draw.share(groups, 3)]


@pytest.mark.parametrize("names,type_,sizes", chosen(GROUPS), ids=lambda v: str(v)[:40])
def test_right_at_every_size(names, type_, sizes):
    document, status = compare(*names, "--type", type_, "--sizes", sizes, "--check")
    run = [k for k in kernels(document) if k["name"] not in HOPPER | NO_LIBRARY]
    assert all(k["status"] in ("refused", "unavailable") for k in kernels(document) if k["name"] in NO_LIBRARY)
    bad = [(k["name"], k["text"]) for k in run if k["status"] != "right"]
    assert not bad and status == 0
    assert len(document["sizes"]) == sizes.count(",") + 1
    assert all(k["checks"] >= 2 for k in run)
    assert all(k["status"] == "unavailable" and "this device is softgpu" in k["text"]
               for k in kernels(document) if k["name"] in HOPPER)


def test_every_kernel_of_the_registry_was_held_to_it():
    def covered(kernel, type_):
        return any(type_ == t and (kernel["name"] in names or kernel["lab"] in names)
                   for names, t, _ in GROUPS)
    missing = [(k["name"], t) for k in LISTED for t in k["types"] if not covered(k, t)]
    assert not missing
    assert len([k for k in LISTED if not k["reference"]]) >= 36


COUNTS = json.loads((HERE / "counts.json").read_text())


@pytest.mark.parametrize("size,type_", sorted({(c["size"], c.get("type", "float")) for c in COUNTS}))
def test_counts_are_theorys(size, type_):
    cases = [c for c in COUNTS if (c["size"], c.get("type", "float")) == (size, type_)]
    for lab in sorted({c["kernel"].split(".")[0] for c in cases}):
        mine = [c for c in cases if c["kernel"].startswith(lab)]
        document, _ = compare(*[c["kernel"] for c in mine], "--type", type_, "--sizes", size,
                              "--rounds", 1, "--reference", "none")
        found = {k["name"]: k for k in kernels(document)}
        for case in mine:
            counters = found[case["kernel"]]["counters"]
            for kind, unit in (("load", "sectors"), ("store", "sectors"),
                               ("shared_load", "wavefronts"), ("shared_store", "wavefronts")):
                if kind not in case:
                    continue
                name = kind if kind.startswith("shared") else "global_" + kind
                counted = [counters[f"{name}_requests"], counters[f"{name}_{unit}"]]
                assert counted == case[kind], f"{case['kernel']} {kind}: {case['why']}"
            if "coalescing" in case:
                assert found[case["kernel"]]["coalescing"] == pytest.approx(case["coalescing"], abs=1e-12)


@pytest.mark.parametrize("function,words", [
    ("beyond_the_edge", "out-of-bounds"), ("last_left_out", "should have"), ("arithmetic", "bits"),
    ("not_turned", "bits"), ("does_nothing", "bits"), ("too_many_threads", "cudaError")])
def test_wrong_transposes_are_found_out(function, words):
    document, status = compare("transpose.padded", f"{WRONG}:good", f"{WRONG}:{function}",
                               "--sizes", "70x50", "--rounds", 2)
    rows = {k["name"]: k for k in kernels(document)}
    assert status == 1
    assert rows[f"wrong.cu:{function}"]["status"] == "wrong"
    assert words in rows[f"wrong.cu:{function}"]["text"]
    assert "time" not in rows[f"wrong.cu:{function}"]
    assert rows["wrong.cu:good"]["status"] == rows["transpose.padded"]["status"] == "timed"


def test_a_number_of_rounds_may_have_an_exponent():
    document, status = compare("transpose.padded", "--sizes", "64", "--rounds", "1e1", "--seed", "0x7", "--reference", "none")
    assert status == 0 and [k["time"]["runs"] for k in kernels(document)] == [10]


def test_a_race_is_found_out():
    document, status = compare("transpose.padded", f"{WRONG}:race", "--sizes", "64", "--check")
    rows = {k["name"]: k for k in kernels(document)}
    assert status == 1 and rows["transpose.padded"]["status"] == "right"
    assert "__syncthreads() is missing" in rows["wrong.cu:race"]["text"]


def test_sums_beside_what_only_moves_get_numbers_that_add_up():
    for names, size in ((["transpose.padded", "coalescing.row_sums_warp"], "40x60"),
                        (["coalescing.aligned", "reduce.shared"], "1000")):
        document, status = compare(*names, "--sizes", size, "--rounds", 1, "--reference", "none")
        assert status == 0, document
        assert [k["status"] for k in kernels(document)] == ["timed", "timed"]


@pytest.mark.parametrize("like,good,bad,size", [
    ("reduce.shared", "sum_good", ["sum_last_left_out", "sum_half"], "1000,20001"),
    ("gemm.naive", "gemm_good", ["gemm_half", "gemm_no_beta"], "33x40x50")])
def test_wrong_sums_and_products_are_found_out(like, good, bad, size):
    document, status = compare(like, *[f"{WRONG}:{f}" for f in [good, *bad]], "--sizes", size, "--check")
    rows = {k["name"]: k for k in document["sizes"][-1]["kernels"]}
    assert status == 1
    assert {name: row["status"] for name, row in rows.items() if name.startswith("wrong")} == \
        {f"wrong.cu:{good}": "right", **{f"wrong.cu:{f}": "wrong" for f in bad}}


@pytest.mark.parametrize("args,status,words", [
    (["transpose.pading"], 2, "did you mean transpose.padded?"),
    ([], 2, "which kernels"),
    (["gemm", "--sizes", "12x"], 2, "MxNxK"),
    (["gemm", "--sizes", "-4"], 2, "is not a size"),
    (["gemm", "--sizes=12x"], 2, "MxNxK"),
    (["gemm.batched", "--type", "bf16", "--sizes", "1x2x3"], 2, "BATCHxMxNxK"),
    (["gemm.batched", f"{WRONG}:gemm_good", "--type", "bf16"], 1, "functions of one's own are not compared with gemm.batched"),
    (["gemm", "--sizes="], 2, "--sizes is empty"),
    (["gemm", "--typ=float"], 2, "there is no option --typ=float, did you mean --type?"),
    (["gemm", "--rounds", "many"], 2, "--rounds takes a number from 1 to 1000000000, not 'many'"),
    (["gemm", "--offset", "-1"], 2, "--offset takes a number from 0 to 1024"),
    (["gemm", "--offset", "5000"], 2, "not '5000'"),
    (["gemm", "--share", "0"], 2, "--share takes a number from 0.001"),
    (["gemm", "--type", "int"], 2, "--type takes float, double, bf16, tf32, fp16, fp8 or byte, not 'int'"),
    (["gemm", "--values", "odd"], 2, "--values takes one of even, skewed, not 'odd'"),
    (["gemm", "--typ", "float"], 2, "there is no option --typ, did you mean --type?"),
    (["gemm", "--check=1"], 2, "--check takes no value"),
    (["gemm.naive", "--type", "double"], 2, "no version for double"),
    ([f"{WRONG}:good"], 2, "--like"),
    (["transpose.padded", "reduce.shared"], 2, "transpose.padded and reduce.shared have different tasks"),
    (["gemm.naive", "transpose"], 2, "have different tasks"),
    (["transpose.padded", "--like", "gemm"], 2, "have different tasks"),
    (["transpose.padded", "--reference", "gemm.naive"], 2, "have different tasks"),
    (["transpose.padded", "--reference", "transpose.pading"], 2, "did you mean transpose.padded?"),
    (["transpose.copy", "nowhere.cu:solve"], 2, "no such file"),
    (["transpose.padded", f"{WRONG}:sum_good"], 1, "const T *in, T *out, int rows, int cols"),
    (["transpose.padded", f"{WRONG}:missing"], 1, "no host function named missing"),
    (["gemm.naive", f"{WRONG}:gemm_unscaled", "--beta", "2"], 2, "takes no alpha and beta")])
def test_refusals_say_what_to_do(args, status, words):
    done = warpbook("compare", *args, "--device", "soft")
    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr


@pytest.mark.parametrize("name", sorted(HOPPER))
def test_a_kernel_that_softgpu_lacks_the_hardware_for_is_refused(name):
    type_ = next(k["types"][0] for k in LISTED if k["name"] == name)
    beside = {"float": "gemm.best", "fp8": "gemm.fp8"}.get(type_, "gemm.wmma")
    done = warpbook("compare", beside, name, "--device", "soft", "--type", type_)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"{name} needs Hopper's own instructions (wgmma, setmaxnreg), so a GPU of compute capability 9.0" in done.stderr
    assert "this device is softgpu" in done.stderr


def test_stream_is_a_live_chart_then_a_table():
    done = warpbook("compare", "transpose.copy", "transpose.padded", "--sizes", "256,512",
                    "--rounds", "3", "--device", "soft", "--stream")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    charts = [e for e in events if e["event"] == "chart" and e["id"] == "times"]
    traffic = [e for e in events if e["event"] == "chart" and e["id"] == "traffic"]
    assert done.returncode == 0 and charts
    assert [e["update"] for e in charts] == [False] + [True] * (len(charts) - 1)
    data = charts[-1]["data"]
    picture = xml.etree.ElementTree.fromstring(data["image/svg+xml"])
    drawn = [(e.get("class"), e.text) for e in picture.iter() if e.get("class")]
    assert [text for kind, text in drawn if kind == "head"] == ["256 × 256", "512 × 512"]
    rows = [text for kind, text in drawn if kind == "words"]
    assert [row.split()[0] for row in rows] == ["transpose.copy", "transpose.padded", "cublas.sgeam"] * 2
    assert all(re.search(r" [\d.,]+ GB/s", row) for row in rows)
    moved = re.findall(r"^  (\S+) +█+ ([\d.]+) ×$", traffic[0]["data"]["text/plain"], re.M)
    assert [(name, float(value)) for name, value in moved] == [("transpose.copy", 1), ("transpose.padded", 1)] * 2
    assert "as modelled for an NVIDIA H200" in data["text/plain"]
    assert sum(kind == "whisker" for kind, _ in drawn) == 3 * 4  # the interval of each kernel but the reference
    assert events[-1]["event"] == "result" and events[-1]["document"]["times_of"] == "CPU"
    table = next(e for e in events if e["event"] == "table")["data"]
    assert "used" in table["text/plain"] and "<table" in table["text/html"]
    assert all(words in table["text/plain"] for words in ("CPU's time", "likely", "bound by", "measured on an NVIDIA H200"))


def test_without_a_model_the_times_are_the_cpus():
    done = warpbook("compare", "transpose.copy", "--sizes", "100", "--rounds", "2", "--device", "soft", "--model", "none")
    assert "median (CPU)" in done.stdout and "the CPU's times" in done.stdout and "H200" not in done.stdout
    assert "model" not in compare("transpose.copy", "--sizes", 50, "--rounds", 1, "--model", "none")[0]["sizes"][0]["kernels"][0]


def test_a_comparison_leads_with_a_gpus_time():
    """Bank conflicts and scattered sectors cost what they do on a GPU, whatever the CPU makes of them."""
    side = 64 * random.randrange(20, 30)  # between 1024 and 2048, which were measured
    document, status = compare("transpose.read_coalesced", "transpose.padded_8", "transpose.copy", "cuda.memcpy",
                               "--sizes", side, "--rounds", 1)
    models = {k["name"]: k["model"] for k in kernels(document)}
    assert status == 0 and all(m["gpu"] == "h200" for m in models.values())
    assert models["transpose.read_coalesced"]["seconds"] > 2 * models["transpose.padded_8"]["seconds"]
    reference = models["cublas.sgeam"]
    assert reference["measured"].startswith("near ") and "low" not in reference and 7.2e-6 < reference["seconds"] < 1.1e-5
    assert models["cuda.memcpy"]["measured"].startswith("near ")
    for name in ("transpose.read_coalesced", "transpose.padded_8", "transpose.copy"):
        m = models[name]
        assert m["low"] < m["seconds"] < m["high"] and m["bound"] in m["limits"] and m["unit"] == "GB/s"
        assert m["rate"] == pytest.approx(8 * side * side / m["seconds"] * 1e-9)
        assert m["speedup"]["value"] == pytest.approx(reference["seconds"] / m["seconds"])
        assert m["speedup"]["low"] < m["speedup"]["value"] < m["speedup"]["high"]
    assert all(k["time"]["median"] > 0 for k in kernels(document))  # the CPU's, beside


def test_a_gpus_sizes_by_some_blocks():
    """Long launches run as a sample: modelled times as in a whole run, no checks and no CPU time."""
    side = 64 * random.randrange(132, 200)  # more than 2^28 bytes
    document, status = compare("transpose.read_coalesced", "transpose.padded_8", "--sizes", f"{side // 4},{side}")
    small, large = (dict((k["name"], k) for k in size["kernels"]) for size in document["sizes"])
    assert status == 0 and document["error"] is None
    for name in ("transpose.read_coalesced", "transpose.padded_8"):
        assert small[name]["status"] == "timed" and small[name]["checks"] == 1
        assert large[name]["status"] == "sampled" and large[name]["checks"] == 0
        assert "time" not in large[name] and "counters" not in large[name] and "rate" not in large[name]
        # Sixteen times the work; of the small one the launch is a part, and L2 keeps what it leaves.
        assert 12 < large[name]["model"]["seconds"] / small[name]["model"]["seconds"] < 40
    assert large["cublas.sgeam"]["status"] == "sampled" and "measured" in large["cublas.sgeam"]["model"]
    assert large["transpose.padded_8"]["model"]["speedup"]["value"] > 0
    if draw.ALL:  # who asks for rounds has them: a hundred million elements
        whole = compare("transpose.padded_8", "--sizes", side, "--rounds", 1)[0]["sizes"][0]["kernels"][0]
        assert whole["status"] == "timed" and whole["checks"] == 1
        assert whole["model"]["seconds"] == pytest.approx(large["transpose.padded_8"]["model"]["seconds"], rel=0.05)
    done = warpbook("compare", "gemm.naive", "gemm.shared", "--sizes", 2048, "--device", "soft")
    assert done.returncode == 0 and done.stdout.count("not run") == 3 and "no result was checked" in done.stdout
    assert "The counts are exact" not in done.stdout and "Memory traffic" not in done.stdout


def test_what_falls_at_a_gpus_size_is_told_so(tmp_path):
    mine = tmp_path / "mine.cu"
    mine.write_text("__global__ void far(float *out) { out[1ull << 40] = 0; }\n"
                    "void solve(const float *in, float *out, int rows, int cols) { far<<<1, 32>>>(out); }\n")
    done = warpbook("compare", "transpose.padded_8", f"{mine}:solve", "--sizes", 9000, "--device", "soft")
    assert done.returncode == 1 and "WRONG" in done.stdout and "out-of-bounds write" in done.stdout
    assert "transpose.padded_8" in done.stdout and "not run" in done.stdout  # the others go on


def test_what_gets_no_time_says_why():
    done = warpbook("compare", "reduce.host_final", "coalescing.aligned", "--sizes", "5000", "--rounds", 1, "--device", "soft")
    assert "No time for reduce.host_final at 5000: the host does part of its work" in done.stdout
    rows = {k["name"]: k["model"] for k in kernels(compare("coalescing.column_sums", "coalescing.column_sums_lines", "--sizes", 300, "--rounds", 1)[0])}
    assert "clusters" in rows["coalescing.column_sums_lines"]["why"] and "speedup" not in rows["coalescing.column_sums"]
    rows = {k["name"]: k["model"] for k in kernels(compare("transpose.padded", "--sizes", "3x5000", "--rounds", 1)[0])}
    assert "was not measured near 3 x 5000" in rows["cublas.sgeam"]["why"] and "speedup" not in rows["transpose.padded"]


def test_other_gpus_have_no_measured_libraries():
    document, _ = compare("transpose.copy", "--sizes", 128, "--rounds", 1, "--model", "t4")
    copy, library = (k["model"] for k in kernels(document))
    assert copy["gpu"] == "t4" and copy["seconds"] > 0 and "speedup" not in copy
    assert library == {"gpu": "t4", "why": "it was not measured on an NVIDIA T4"}
    done = warpbook("compare", "transpose.copy", "--sizes", 64, "--rounds", 1, "--device", "A100")
    assert "modelled for an NVIDIA A100 (from published figures, not measured by us)" in done.stdout
    done = warpbook("compare", "transpose.copy", "--sizes", 64, "--model", "h300")
    assert done.returncode == 3 and "did you mean h100?" in done.stderr
    done = warpbook("compare", "gemm.mma", "--type", "bf16", "--sizes", 64, "--model", "t4")
    assert done.returncode == 3 and "this device is NVIDIA T4 (softgpu), of compute capability 7.5" in done.stderr


def test_a_size_of_nothing_is_checked_and_not_timed():
    done = warpbook("compare", "transpose.padded", "--sizes=0,7x0,16", "--rounds=1", "--device=soft")
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert sum(line.split()[-1:] == ["right"] for line in lines) == 4, done.stdout
    assert [line for line in lines if "nothing to do" in line] == [
        f"At {size} there is nothing to do: checked, not timed." for size in ("0 × 0", "7 × 0")]
    assert not any(" ns " in line for line in lines)  # which a call that does nothing takes


def test_times_have_the_statistics_asked_for():
    document, _ = compare("reduce.shared", "reduce.vector", "--sizes", "2^16", "--rounds", 12)
    size = document["sizes"][0]
    assert (size["size"], size["n"]) == ("2^16", 65536)
    for kernel in size["kernels"]:
        time = kernel["time"]
        assert time["runs"] == 12
        assert 0 < time["min"] <= time["q1"] <= time["median"] <= time["q3"]
        assert kernel["rate"] == pytest.approx(65537 * 4e-9 / time["median"], rel=1e-6)
    slow = next(k for k in size["kernels"] if k["name"] == "reduce.shared")["speedup"]
    assert slow["low"] <= slow["value"] <= slow["high"]
    assert slow["verdict"] in ("faster", "slower", "too close to tell")


def run_program(folder, text):
    """Compiles a program that calls the set, runs it on softgpu: (exit status, stdout), stderr."""
    source = folder / "calls.cu"
    source.write_text(text)
    build = WARPBOOK.parent.parent
    lib, program = build / "lib/warpbook", folder / "calls"
    nvcc = (build / "share/warpbook/toolkit").read_text().strip()
    subprocess.run([nvcc, "-cudart", "shared", "-arch=compute_90", "-code=compute_90", "-I",
                    build / "share/warpbook/include", "-o", program, source, "-L", lib,
                    "-lwarpbook_kernels"], check=True, timeout=600)
    ran = subprocess.run([program], capture_output=True, text=True, timeout=600,
                         env={"LD_LIBRARY_PATH": f"{lib}/softgpu:{lib}", "PATH": os.environ["PATH"]})
    return (ran.returncode, ran.stdout), ran.stderr


def test_a_maximum_leaves_nan_out(tmp_path):
    ran, complaint = run_program(tmp_path, """
#include <cmath>
#include <cstdio>
#include <vector>
#include <warpbook.h>
static float maximum(std::vector<float> in, size_t skip = 0) {
    float *a, *out, *work, result = 7;
    cudaMalloc(&a, in.size() * 4 + 4);
    cudaMalloc(&out, 4);
    cudaMalloc(&work, WBK_REDUCE_WORK(in.size()) * 4);
    cudaMemcpy(a, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    if (wbk_reduce_maximum_f32(a + skip, out, work, in.size() - skip) != cudaSuccess) return 8;
    cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);
    return result;
}
int main() {
    std::vector<float> all(70001, -5), nans(5000, NAN);
    all[0] = 4; all[1] = NAN; all[69000] = -2; all[70000] = NAN;
    printf("%g %g %g %g ", maximum(all), maximum(all, 1), maximum(nans), maximum({}));
    printf("%g %g %g\\n", maximum({-0.0f, 0.0f}), maximum({0.0f, -0.0f}), maximum({NAN, -INFINITY, -1e30f}));
}
""")
    assert ran == (0, "4 -2 -inf -inf 0 0 -1e+30\n"), complaint


def test_scales_and_distances_are_kept(tmp_path):
    """Calls that compare never makes: scales of fp8, results of fp32, batches with gaps or with one A or B for all."""
    seed = random.randrange(10**6)
    print("seed", seed)
    ran, complaint = run_program(tmp_path, f"""
#define SEED {seed}
""" + r"""
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>
#include <warpbook.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
static std::mt19937 chance(SEED);
static int upto(int n) { return 1 + (int)(chance() % n); }
template <class T> static std::vector<T> drawn(size_t n) {
    std::vector<T> v(n);
    for (auto &x : v) x = T((float)(chance() % 2001) / 1000 - 1);
    return v;
}
template <class T> static T *sent(const std::vector<T> &v) {
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T) + 1);
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
template <class T> static std::vector<T> back(const T *p, size_t n) {
    std::vector<T> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}
static int off(double got, double want, double size, double unit) { return !(fabs(got - want) <= unit * (size + fabs(want)) + 1e-6); }
template <class Out, class Call> static int fp8(Call call, double unit) {
    int m = upto(70), n = upto(70), k = upto(150), wrong = 0;
    auto a = drawn<__nv_fp8_e4m3>(m * k), b = drawn<__nv_fp8_e4m3>(n * k);
    auto c = drawn<Out>(m * n);
    std::vector<float> scales = {0.25f + (float)upto(100), 1.0f / (float)upto(100)};
    auto *A = sent(a), *B = sent(b);
    Out *C = sent(c);
    float *s = sent(scales);
    if (call(A, B, C, m, n, k, 0.5f, -1.5f, s, s + 1, 0) != cudaSuccess) return 1000000;
    auto got = back(C, m * n);
    for (int r = 0; r < m; r++)
        for (int j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int i = 0; i < k; i++) {
                double x = (double)float(a[r * k + i]) * (double)float(b[j * k + i]);
                sum += x, size += fabs(x);
            }
            double factor = 0.5 * scales[0] * scales[1];
            wrong += off(float(got[r * n + j]), factor * sum - 1.5 * float(c[r * n + j]), factor * size * 1e-3, unit);
        }
    return wrong;
}
typedef __nv_bfloat16 bf16;
static int batch(bool one_a, bool one_b, int gap) {
    int m = upto(60), n = upto(60), k = upto(60), count = 1 + upto(4), wrong = 0;
    long long sa = one_a ? 0 : m * k + gap, sb = one_b ? 0 : k * n + gap, sc = m * n + gap;
    auto a = drawn<bf16>(sa * (count - 1) + m * k), b = drawn<bf16>(sb * (count - 1) + k * n), c = drawn<bf16>(sc * count);
    auto *A = sent(a), *B = sent(b);
    bf16 *C = sent(c);
    if (wbk_gemm_batched_bf16(A, B, C, m, n, k, 1, 2, count, sa, sb, sc, 0) != cudaSuccess) return 1000000;
    auto got = back(C, sc * count);
    for (int z = 0; z < count; z++)
        for (long long at = 0; at < sc; at++) {
            double was = float(c[z * sc + at]), sum = 2 * was, size = 0;
            if (at >= m * n) { wrong += float(got[z * sc + at]) != was; continue; }
            for (int i = 0; i < k; i++) {
                double x = (double)float(a[z * sa + at / n * k + i]) * (double)float(b[z * sb + i * n + at % n]);
                sum += x, size += fabs(x);
            }
            wrong += off(float(got[z * sc + at]), sum, size * 1e-3, 1.0 / 256);
        }
    return wrong;
}
int main() {
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        wrong += fp8<float>(wbk_gemm_fp8_f32, 1e-4) + fp8<bf16>(wbk_gemm_fp8_bf16, 1.0 / 256);
        wrong += fp8<float>(wbk_gemm_fp8_plain_f32, 1e-4);
        wrong += batch(i & 1, i & 2, i % 3);
    }
    bf16 *p = nullptr; // C's that would overlap, negative distances, nothing to do
    printf("%d %d %d %d ", wrong, wbk_gemm_batched_bf16(p, p, p, 8, 8, 8, 1, 0, 2, 64, 64, 63, 0),
           wbk_gemm_batched_bf16(p, p, p, 8, 8, 8, 1, 0, 2, -64, 64, 64, 0), wbk_gemm_batched_bf16(p, p, p, 8, 8, 8, 1, 0, 0, 0, 0, 0, 0));
    printf("%d\n", wbk_gemm_fp8_fast_bf16(nullptr, nullptr, p, 8, 8, 16, 1, 0, nullptr, nullptr, 0));
}
""")
    assert ran == (0, "0 1 1 0 801\n"), complaint


def test_a_program_calls_the_set_through_its_header(tmp_path):
    ran, complaint = run_program(tmp_path, """
#include <cstdio>
#include <vector>
#include <warpbook.h>
#include <cuda_bf16.h>
int main() {
    const int rows = 5, cols = 3;
    std::vector<float> in(rows * cols), out(rows * cols);
    for (int i = 0; i < rows * cols; i++) in[i] = i;
    float *a, *b, *sum, *work;
    cudaMalloc(&a, 60); cudaMalloc(&b, 60); cudaMalloc(&sum, 4);
    cudaMalloc(&work, WBK_REDUCE_WORK(15) * sizeof(float));
    cudaMemcpy(a, in.data(), 60, cudaMemcpyHostToDevice);
    if (wbk_transpose_padded_f32(a, b, rows, cols) != cudaSuccess) return 2;
    if (wbk_reduce_vector_f32(a + 1, sum, work, 14) != cudaSuccess) return 3;
    if (wbk_transpose_padded_f32(a, b, -1, cols) != cudaErrorInvalidValue) return 4;
    __nv_bfloat16 *half = (__nv_bfloat16 *)a; // softgpu has no wgmma: refused, and nothing is left behind
    if (wbk_gemm_persistent_bf16(half, half, half, 8, 8, 8, 1, 0) != cudaErrorNotSupported) return 5;
    if (wbk_gemm_persistent_bf16(half, half, half, 8, 9, 8, 1, 0) != cudaErrorInvalidValue) return 6;
    if (wbk_gemm_stream_k_bf16(half, half, half, 8, 8, 8, 1, 0) != cudaErrorNotSupported) return 11;
    if (wbk_gemm_stream_k_bf16(half, half, half, 8, 8, -8, 1, 0) != cudaErrorInvalidValue) return 12;
    if (wbk_gemm_by_size_bf16(half, half, half, -1, 8, 8, 1, 0) != cudaErrorInvalidValue) return 7;
    if (wbk_gemm_wgmma_tf32(a, a, a, 4, 4, 4, 1, 0) != cudaErrorNotSupported) return 7;
    if (wbk_sgemm_fetcher(a, a, a, 4, 4, 4, 1, 0) != cudaErrorNotSupported) return 8;
    if (wbk_sgemm_fetcher(a, a, a, 4, 4, 6, 1, 0) != cudaErrorInvalidValue) return 9;
    if (cudaGetLastError() != cudaSuccess) return 10;
    float total;
    cudaMemcpy(out.data(), b, 60, cudaMemcpyDeviceToHost);
    cudaMemcpy(&total, sum, 4, cudaMemcpyDeviceToHost);
    printf("%g %g %g\\n", out[1], out[5], total);
}
""")
    assert ran == (0, "3 1 105\n"), complaint


def test_the_labs_notebooks_are_copied(tmp_path):
    """Also from a clone that is built and not installed."""
    done = warpbook("labs", "--notebooks", tmp_path / "here")
    assert done.returncode == 0, done.stderr
    assert {p.name for p in (tmp_path / "here").glob("*.ipynb")} >= {"0_welcome.ipynb", "4_gemm.ipynb"}
