"""Users read Chinese if they ask for it, and English otherwise. The catalogue fits the sources."""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build"))
WARPBOOK = BUILD / "bin/warpbook"
PO = ROOT / "runtime/language/po/zh_CN.po"
sys.path.insert(0, str(ROOT / "runtime/language"))
import language  # noqa: E402

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')

needs_msgfmt = pytest.mark.skipif(not shutil.which("msgfmt"), reason="gettext is not here")


def call(*words, **environment):
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "WARPBOOK_LANGUAGE"))}
    return subprocess.run([WARPBOOK, *words], env=ours | environment, capture_output=True, text=True, timeout=600)


@needs_msgfmt
def test_every_text_is_translated_and_formats_agree():
    done = subprocess.run(["msgfmt", "-c", "--statistics", "-o", os.devnull, PO], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "fuzzy" not in done.stderr
    assert language.template().count("\nmsgid ") > 1800
    assert not language.missing()


@needs_msgfmt
def test_the_environment_chooses():
    chinese, english = "用法：", "usage: "
    for said, word in [({}, english), ({"LANG": "zh_CN.UTF-8"}, chinese), ({"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, english),
                       ({"LANG": "de_DE.UTF-8", "LANGUAGE": "fr:zh_TW:en"}, chinese), ({"LANG": "zh_CN.GBK"}, english),
                       ({"LANG": "C.UTF-8", "LANGUAGE": "zh"}, english), ({"LANG": "zh_CN"}, chinese),
                       ({"LC_ALL": "C.UTF-8", "WARPBOOK_LANGUAGE": "zh"}, chinese)]:
        told = call("help", **said)
        assert told.stdout.startswith(word), (said, told.stdout[:60])


@needs_msgfmt
def test_a_refusal_is_chinese_and_its_status_is_not_changed():
    for words in (["nosuchcall"], ["grade"], ["compare", "nosuch"], ["labs", "--nosuch"]):
        english, chinese = call(*words), call(*words, WARPBOOK_LANGUAGE="zh")
        assert english.returncode == chinese.returncode == 2
        assert english.stderr.isascii() and not chinese.stderr.isascii()


@needs_msgfmt
def test_the_help_of_each_call_is_chinese():
    """A text with a macro in it was looked up in full, and the catalogue had its pieces."""
    calls = re.findall(r"^  (\w+)  ", call("help").stdout, re.M)
    assert len(calls) > 10
    for name in calls:
        english, chinese = (call("help", name, **said).stdout.splitlines()[2:] for said in ({}, {"WARPBOOK_LANGUAGE": "zh"}))
        same = [line for line in english if line in chinese and len(re.findall(r"[a-z]{2,} [a-z]{2,}", line)) > 2]
        assert not same, f"warpbook help {name}: {same}"


@needs_msgfmt
def test_json_keeps_its_words():
    english, chinese = (json.loads(call("doctor", "--json", **said).stdout) for said in ({}, {"WARPBOOK_LANGUAGE": "zh"}))
    words = [[(c["group"], c["name"], c["status"]) for c in one["checks"]] for one in (english, chinese)]
    assert words[0] == words[1]


@needs_msgfmt
def test_a_grade_is_chinese(tmp_path):
    """Through the sandbox, the checker and softgpu: a kernel that reads beyond its array."""
    source = (ROOT / "labs/transpose/starter.cu").read_text()
    wrong = tmp_path / "wrong.cu"
    wrong.write_text(source.replace("= in[", "= in[1000000000 + "))
    assert wrong.read_text() != source
    graded = call("grade", "transpose", str(wrong), "--device", "soft", "--seed", "1", WARPBOOK_LANGUAGE="zh")
    assert graded.returncode == 1, graded.stderr
    for word in ("正确性", "得分", "越界读", "线程块", "全局内存"):
        assert word in graded.stdout, graded.stdout


@pytest.fixture(scope="module")
def client():
    manager, spec = pytest.importorskip("jupyter_client.manager"), pytest.importorskip("jupyter_client.kernelspec")
    env = os.environ | {"WARPBOOK_LANGUAGE": "zh", "WARPBOOK_DEVICE": "soft", "WARPBOOK_HISTORY": ":memory:"}
    km = manager.KernelManager()
    km._kernel_spec = spec.KernelSpec(argv=[str(WARPBOOK), "kernel", "-f", "{connection_file}"], display_name="w", language="cuda")
    km.start_kernel(env=env)
    kc = km.client()
    kc.start_channels()
    kc.wait_for_ready(timeout=600)
    yield kc
    kc.stop_channels()
    km.shutdown_kernel(now=True)


def shown(client, code):
    outputs = []
    client.execute_interactive(code, timeout=600, output_hook=outputs.append)
    told = []
    for m in outputs:
        content = m["content"]
        told += [content.get("text", ""), "\n".join(content.get("traceback", [])), str(content.get("data", {}).get("text/plain", ""))]
    return "\n".join(told)


@needs_msgfmt
def test_pictures_speak_chinese(client):
    """All of each picture's words, and its letters: what is not Chinese is a name, a number or code."""
    cell = """__global__ void swap(float *a, int n) {
    __shared__ float t[64]; int i = blockIdx.x * 64 + threadIdx.x;
    t[threadIdx.x] = i < n ? a[i] : 0; __syncthreads();
    if (i < n) a[i] = t[63 - threadIdx.x];
}
float *a; cudaMalloc(&a, 4 * 4096);
swap<<<64, 64>>>(a, 4000); cudaDeviceSynchronize();"""
    code = set(re.findall(r"[A-Za-z]{2,}", cell)) | {"blockIdx", "blockDim", "dim", "NVIDIA", "cell"}
    for what in ("grid", "access", "map a 64 64", "map a 64 64 --by block --of writes", "map a 64 64 --by time --of reads", "access --before", "lanes", "block"):
        outputs = []
        client.execute_interactive(f"%%draw {what}\n{cell}", timeout=600, output_hook=outputs.append)
        data = [m["content"]["data"] for m in outputs if "data" in m["content"]]
        assert data, (what, outputs)
        svg = next(d["image/svg+xml"] for d in data if "image/svg+xml" in d) if "image/svg+xml" in data[0] else data[0]["text/html"]
        drawn = re.findall(r"<(?:text(?! class=.code)|title|desc)[^>]*>([^<]*)<", svg)
        assert any(re.search("[一-鿿]", text) for text in drawn), (what, svg[:2000])
        left = set(re.findall(r"[A-Za-z]{2,}", " ".join([html.unescape(text) for text in drawn] + [d.get("text/plain", "") for d in data]))) - code
        assert not left, (what, left)


@needs_msgfmt
def test_a_stage_has_its_colours_in_chinese(tmp_path):
    """Class names of a style sheet are not translated. One was, and the bars were black."""
    said = {}
    for locale in ("en", "zh"):
        svg = tmp_path / f"{locale}.svg"
        call("compare", "transpose.padded", "--sizes", "64", "--device", "soft", "--stage", "--svg", str(svg), WARPBOOK_LANGUAGE=locale)
        said[locale] = set(re.findall(r'class="([^"]*)"', svg.read_text()))
    assert said["en"] == said["zh"] and "kernel" in said["zh"]


@needs_msgfmt
def test_magics_errors_and_faults_of_a_kernel(client):
    """The running worker, and softgpu in it, are told when the language changes."""
    assert "没有魔法命令" in shown(client, "%nosuch")
    assert "列出单元格定义过的名字" in shown(client, "%lsmagic")
    payload = client.execute_interactive("%help counters", timeout=600)["content"].get("payload") or [{}]
    assert "存储体冲突" in str(payload[0].get("data", ""))
    fault, again = "__global__ void f(int *a) { a[1 << 28] = 1; }\nint *a; cudaMalloc(&a, 4);", "f<<<1, 1>>>(a); cudaDeviceSynchronize();"
    assert "越界写" in shown(client, fault + again)
    assert "English" in shown(client, "%language en")
    assert "out-of-bounds write" in shown(client, again)
    assert "There is no magic" in shown(client, "%nosuch")
    assert "中文" in shown(client, "%language 中文")
    assert "越界写" in shown(client, again)
    # the frame behind the kernel's stub, whatever the sentence begins with
    refused = shown(client, "__global__ void g() {\n}\n\ng<<<1, 4096>>>();")
    assert "来自核函数启动" in refused and "g<<<1, 4096>>>" in refused and "4 行" in refused, refused


def test_what_a_check_says_is_in_chinese_beside():
    """A check() of a lab or a step has each of its sentences in both languages, one behind the other."""
    checks = [p for p in sorted((ROOT / "labs").rglob("*.c*")) if re.search(r"(const char \*|void )check\(", p.read_text())]
    assert len(checks) > 20
    for path in checks:
        told = ["".join(LITERAL.findall(one[0])) for one in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', path.read_text())]
        alone = [text for text, after in zip(told, [*told[1:], ""])
                 if re.search("[A-Za-z]+ [a-z]+ [a-z]+ [a-z]+", text) and not re.search("[一-鿿]", after)]
        assert not alone, path
