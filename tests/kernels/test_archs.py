"""Which architectures the kernel set is compiled for: `make KERNEL_ARCHS=all` on the smallest file, and the library that this
build made, each read by a walk over its fat binaries (the format: runtime/softgpu/cudart/fatbin.h)."""
import os
import re
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPBOOK_BUILD", ROOT / "build")).resolve()
ALL = ["75", "80", "90a", "100", "120"]  # what the project promises: 80 is for 8.6 and 8.9 too
PTX, ELF = 1, 2
SPECIFIC = 0x100000  # flag of code that is for one architecture alone, sm_90a


def modules(path):
    """A list for each fat binary in the file, one a source: [(PTX or ELF, "90a")]."""
    data, found, at = path.read_bytes(), [], 0
    while (at := data.find(struct.pack("<IH", 0xBA55ED50, 1), at)) >= 0:
        header, size = struct.unpack_from("<HQ", data, at + 6)
        at, end, entries = at + header, at + header + size, []
        while at < end:
            (kind,), (head, body) = struct.unpack_from("<H", data, at), struct.unpack_from("<IQ", data, at + 4)
            (arch,), (flags,) = struct.unpack_from("<I", data, at + 28), struct.unpack_from("<Q", data, at + 40)
            entries.append((kind, f"{arch}{'a' if kind == ELF and flags & SPECIFIC else ''}"))
            at += head + body
        found.append(entries)
    return found


def test_all_means_every_architecture_and_ptx(tmp_path):
    built = tmp_path / "obj/kernels/gemm/1_naive.cu.o"
    command = ["make", "--no-print-directory", f"BUILD={tmp_path}", "KERNEL_ARCHS=all", built]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    (entries,) = modules(built)
    assert sorted(arch for kind, arch in entries if kind == ELF) == sorted(ALL)
    assert [arch for kind, arch in entries if kind == PTX] == ["75"]


def oldest_of(source):
    return "80" if source.parent.name == "tensor" and not source.stem.endswith("_plain") else "75"


def asked_for(source):
    """The architectures of a source's PTX: the oldest that will do, and those that it or a header of ours in it names."""
    oldest, later, texts, seen, latest = oldest_of(source), set(), [source], set(), 1000
    while texts:
        path = texts.pop()
        text = path.read_text()
        for name in re.findall(r'#include "([^"]+)"', text):
            beside = next(p for p in (path.parent / name, ROOT / "kernels" / name, ROOT / name) if p.exists())
            texts += [] if beside in seen else [beside]
            seen.add(beside)
        if "mapa" not in text:  # clusters: in the oldest PTX alone
            later |= {number[:-1] for number in re.findall(r"__CUDA_ARCH__ (?:>=|<) (\d+)", text)}
        if "__CUDA_ARCH_FEAT_SM90_ALL" in text:  # bodies for 90a alone are empty in PTX of 9.0
            latest = 89
    return [oldest, *sorted(arch for arch in later - {oldest} if int(arch) <= latest)]


def test_the_library_holds_what_it_was_built_for():
    wanted = (BUILD / "obj/kernels/archs").read_text().split()
    sources = [p for p in (ROOT / "kernels").glob("*/*.cu") if p.parent.name != "references"]
    # The linker adds an empty one of its own, without PTX.
    found = [m for m in modules(BUILD / "lib/warpbook/libwarpbook_kernels.so") if any(kind == PTX for kind, _ in m)]
    assert len(found) == len(sources)
    code = [[arch for arch in wanted if int(arch.rstrip("a")) >= int(oldest_of(source))] for source in sources]
    assert sorted(sorted(arch for kind, arch in entries if kind == ELF) for entries in found) == sorted(map(sorted, code))
    ptx = sorted(sorted(arch for kind, arch in entries if kind == PTX) for entries in found)
    assert ptx == sorted(asked_for(source) for source in sources)
    assert ["75", "80"] in ptx and ["75", "90"] in ptx and ptx.count(["75"]) > len(ptx) / 3


@pytest.mark.parametrize("source,arch,of", [
    ("gemm/1_naive", "120", "75"),  # asks for nothing
    ("transpose/9_kept", "100", "80"),  # hints from 8.0 on
    ("tensor/11_parts", "120", "90"),  # overlapped launches
    ("coalescing/11_column_sums_clusters", "100", "90"),  # of which there is no PTX
    ("tensor/11_parts", "90a", "90a"),  # for one architecture alone
    ("tensor/18_wgmma_parts", "90a", "90a"),
    ("tensor/18_wgmma_parts", "100", "80"),  # not of 9.0, whose bodies are empty and would pass for 90a's
    ("tensor/11_parts", "75", None),  # tensor cores of 8.0
    ("tensor/14_fp8_plain", "75", "75"),
    ("references/copy_and_cub", "100", "100"),  # chooses by architecture
])
def test_machine_code_is_of_the_newest_ptx_that_differs(source, arch, of):
    path = ROOT / "kernels" / f"{source}.cu"
    command = ["kernels/gencode.sh", os.environ.get("CC", "cc"), path.relative_to(ROOT), oldest_of(path), arch]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.findall(rf"arch=compute_(\w+),code=sm_{arch}\n", done.stdout) == ([of] if of else [])
