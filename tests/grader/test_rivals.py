"""Rivals for speed: a library's call, a kernel of the set, a source of the lab's own; timed by the model and on the
path of a GPU. A rival that does not work is the lab's fault, and the message says so."""

import json
import shutil

import pytest

from draw import ALL, few
from test_grade import PATIENT, ROOT, as_json

DOUBLED = ROOT / "tests/grader/labs/doubled"
SOFT = {}
ROAD = {"WARPBOOK_TEST_SOFT_AS_GPU": "1"}
CRITERION = {"name": "speed", "measure": "speed", "points": 5, "full": 0.5, "none": 0.05, "advice": "Side by side."}
RIGHT = (DOUBLED / "right.cu").read_text()
A_RUN_EACH = RIGHT.replace("int i = blockIdx.x * blockDim.x + threadIdx.x;", "int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    int i = t % 256 * ((n + 255) / 256) + t / 256;")


def some(cases):
    """One of them; all with WARPBOOK_TEST_ALL=1."""
    return few(cases, 1)


@pytest.fixture()
def made(tmp_path):
    """labs/doubled, judged by speed beside the rival; its rival.cu is `source`."""
    def make(rival, source=None):
        lab = tmp_path / "doubled"
        shutil.copytree(DOUBLED, lab, dirs_exist_ok=True)
        text = json.loads((lab / "lab.json").read_text())
        text |= {"rival": rival, "forbidden": ["cub", "thrust"]}
        for device in ("soft", "gpu"):
            text["performance"][device] = {"case": {"sizes": {"n": 1 << 20}}, "criteria": [CRITERION]}
        (lab / "lab.json").write_text(json.dumps(text, indent=1))
        if source is not None:
            (lab / "rival.cu").write_text(source)
        return lab
    return make


CUB = "#include <cub/cub.cuh>\n" + """struct twice { const float *in; float *out; __device__ void operator()(int i) const { out[i] = 2 * in[i]; } };
void solve(const float *in, float *out, int n) { cub::DeviceFor::Bulk(n, twice{in, out}); }
"""
KINDS = {"source": ("rival.cu", RIGHT, "the lab's rival.cu", "as modelled too"),
         "library": ({"name": "cub.reduce", "sizes": ["n"]}, None, "CUB's reduce", "as measured"),
         "kernel": ({"name": "reduce.shuffle", "sizes": ["n"]}, None, "reduce.shuffle of the kernel set", "as modelled too")}


@pytest.mark.parametrize("kind, road", some([(k, r) for k in KINDS for r in (SOFT, ROAD)]))
def test_speed_is_told_beside_the_rival(kind, road, made):
    rival, source, name, how = KINDS[kind]
    lab = made(rival, source)
    (lab / "slow.cu").write_text(A_RUN_EACH)
    rc, (report,) = as_json(lab, lab / "slow.cu", *PATIENT, env=road)
    assert rc in (0, 1) and report["tests"][0]["status"] == "passed", report
    speed, measured = report["tests"][-1], report["measured"]
    if road:
        assert f"); {name} " in speed["output"], speed
        assert measured["reference"] == name and len(measured["reference_times"]) >= 10
    else:
        assert f"times as long as {name} (" in speed["output"] and f", {how})" in speed["output"], speed
        assert 0 < measured["cases"][0]["reference_seconds"] < 1e-4 and measured["speed"] < 0.5


def test_a_rival_by_modelled_time_is_as_fast_as_itself(made):
    lab = made("rival.cu", RIGHT)
    rc, (right,) = as_json(lab, lab / "right.cu", *PATIENT)
    assert right["score"] == right["max_score"] and abs(right["measured"]["speed"] - 1) < 0.01, right["measured"]


@pytest.mark.skipif(not ALL, reason="nvcc reads CUB's headers for 20 s")
def test_a_rival_may_use_what_is_forbidden(made):
    lab = made("rival.cu", CUB)
    rc, (right, cub) = as_json(lab, lab / "right.cu", lab / "rival.cu", *PATIENT)
    assert right["score"] == right["max_score"]
    assert "made of the library cub" in cub["message"] and cub["score"] == 0


NO_RIVAL = [
    ("what\n", "the lab's rival.cu, which speed is measured by: it does not compile:\nrival.cu:1: "),
    ("void solve(int n) {}\n", "by: solve has another signature than the lab's"),
    (None, "rival.cu: there is no such file"),
    (RIGHT.replace("out[i]", "out[i + n]"), "rival.cu, which speed is measured by, at n=1048576: out-of-bounds write"),
    ("void solve(const float *, float *, int) {}\n", "it launches nothing"),
    ("void solve(const float *, float *, int) { for (;;); }\n", "by, at n=1048576: the host code of solve() did not end within"),
]


@pytest.mark.parametrize("source, says", some(NO_RIVAL))
def test_a_rival_that_is_none_is_told(source, says, made):
    """No submission loses points by it."""
    lab = made("rival.cu", source)
    limits = ["--compile-limit", "600", "--plan-limit", "3", "--run-limit", "120"]
    rc, (report,) = as_json(lab, lab / "right.cu", *limits)
    assert rc == 3 and report["status"] == "error" and not report["tests"], report
    assert says in report["message"], report["message"]


@pytest.mark.parametrize("rival, says", some([
    ({"name": "cub.reduce", "sizes": ["n - n + 3"]}, "n=1048576, where softgpu has nothing to compare with: cub.reduce was not measured near 3 on an NVIDIA H200"),
    ({"name": "cublas.dgeam", "sizes": ["n", "n"]}, "cublas.dgeam of double was not measured on an NVIDIA H200"),
    ({"name": "reduce.shuffle", "sizes": ["n - n"]}, "reduce.shuffle takes no size of 0"),
    ({"name": "gemm.wgmma_tf32", "sizes": ["128", "128", "128"]}, "gemm.wgmma_tf32 needs Hopper's own instructions"),
    ({"name": "coalescing.column_sums_lines", "sizes": ["n / 1024", "1024"]}, "form clusters on an NVIDIA H200, which softgpu does not have"),
]))
def test_a_time_that_is_not_known_is_told(rival, says, made):
    lab = made(rival)
    rc, (report,) = as_json(lab, lab / "right.cu", *PATIENT)
    assert rc == 3 and report["status"] == "error" and says in report["message"], report["message"]
