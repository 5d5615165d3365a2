"""hostcc.py: a copy of this machine's g++ that runs elsewhere: the driver, cc1plus, as, ld, the C++ headers, and as a
sysroot the C library's headers and the files that programs are linked with.

gcc finds its parts from where it lies, and everything else from the sysroot that bin/g++, a shell script, names.
"""

import re
import shutil
import subprocess
from pathlib import Path

SCRIPT = """#!/bin/sh
# g++ with its headers and libraries. Its output finds libstdc++ beside this folder.
# Only the shell finds the folder, because the PATH may lack every other tool.
[ -h "$0" ] && self=$(readlink -f "$0") || self=$0
here=$(cd "${self%/*}" && pwd -P)
exec "$here/g++.bin" --sysroot="$here/../sysroot" -fno-use-linker-plugin "-Wl,-rpath,${here%/hostcc/bin}/bundled" "$@"
"""
STARTS = "crtbegin.o crtbeginS.o crtbeginT.o crtend.o crtendS.o crtfastmath.o".split()
LIBRARIES = "libgcc.a libgcc_eh.a libgcc_s.so libgcc_s.so.1 libstdc++.so libgomp.so libgomp.spec libatomic.so".split()
C_PACKAGES = ("libc6-dev", "linux-libc-dev")
OLD = ("libdl.so.2", "libpthread.so.0", "librt.so.1")  # parts of libc.so.6 today
C_OBJECTS = r".*/(crt1|Scrt1|rcrt1|crti|crtn|gcrt1)\.o|.*/lib(c|m|mvec)\.so|.*/lib(c_nonshared|pthread|dl|rt|util)\.a"


def ask(*words):
    return subprocess.run(["g++", *words], capture_output=True, text=True, check=True).stdout.strip()


def where(name):
    """Returns the path of a file that g++ links with."""
    return Path(ask(f"-print-file-name={name}"))


def copy_to(file, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file.resolve(), target)
    return file


def copy_gcc(folder, version, machine):
    own = folder / "lib/gcc" / machine / version
    copied = [copy_to(Path(shutil.which("g++")), folder / "bin/g++.bin")]
    (folder / "bin/g++").write_text(SCRIPT)
    (folder / "bin/g++").chmod(0o755)
    for name in ("cc1plus", "collect2"):
        copied.append(copy_to(Path(ask(f"-print-prog-name={name}")), own / name))
    for name in ("as", "ld"):
        copied.append(copy_to(Path(shutil.which(name)), own / name))
    for name in STARTS + LIBRARIES:
        if where(name).is_absolute():
            copied.append(copy_to(where(name), own / name))
    shutil.copytree(where("include"), own / "include", symlinks=False)
    shutil.copytree(Path("/usr/include/c++") / version, folder / "include/c++" / version, symlinks=False)
    shutil.copytree(Path("/usr/include") / machine / "c++" / version, folder / "include" / machine / "c++" / version)
    return copied + [where("include") / "stddef.h", Path("/usr/include/c++") / version / "vector"]


def copy_sysroot(root):
    """The C library as its packages lay it out; the libraries that its linker scripts name, for linking alone."""
    listed = subprocess.run(["dpkg-query", "-L", *C_PACKAGES], capture_output=True, text=True, check=True).stdout
    copied = []
    for name in listed.splitlines():
        file = Path(name)
        if file.is_file() and (name.startswith("/usr/include/") or re.fullmatch(C_OBJECTS, name)):
            copied.append(copy_to(file, root / name[1:]))
    for script in [f for f in copied if f.suffix == ".so" and f.stat().st_size < 4096]:
        for name in re.findall(r"/\S+\.so\.\d+", script.read_text()):
            copied.append(copy_to(Path(name), root / name[1:]))
    for name in OLD:  # what a toolkit's own libraries were linked with, and the linker looks for
        if where(name).is_absolute():
            copied.append(copy_to(where(name), root / "lib" / ask("-dumpmachine") / name))
    return [f for f in copied if not str(f).startswith("/usr/include/")] + [Path("/usr/include/stdio.h")]


def copy(folder):
    """Makes it; returns where its files were on this machine, for their licenses."""
    version, machine = ask("-dumpversion"), ask("-dumpmachine")
    return copy_gcc(folder, version, machine) + copy_sysroot(folder / "sysroot")
