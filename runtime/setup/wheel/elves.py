"""elves.py: programs and shared libraries (ELF files) made independent of the machine they come from."""

import os
import re
import shutil
import subprocess
from pathlib import Path

# glibc comes from the user's machine, as the wheel's tag says, and the CUDA libraries from the chosen device.
GLIBC = "ld-linux-x86-64 libc libm libmvec libdl libpthread librt libresolv libutil libnsl libanl libBrokenLocale".split()
DEVICE = ("libcudart", "libcublas", "libcublasLt", "libcuda", "linux-vdso")


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def dynamic(prefix):
    """Returns the files below prefix that the loader uses, without objects and archives."""
    for path in sorted(p for p in prefix.rglob("*") if p.is_file() and not p.is_symlink()):
        if is_elf(path) and path.suffix != ".o" and "sysroot" not in path.parts:
            yield path


def needed(path):
    """Returns {soname: its path on this machine}, without those of glibc and the device."""
    found = {}
    listed = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
    for name, where in re.findall(r"^\s*(\S+) => (\S+)", listed, re.MULTILINE):
        if name.partition(".so")[0] in (*GLIBC, *DEVICE):
            continue
        if not where.startswith("/"):
            raise SystemExit(f"wheel: {path} needs {name}, which is not on this machine")
        found[name] = Path(where)
    return found


def copy_program(name, target):
    """Copies a program of this machine. Returns its old path."""
    source = shutil.which(name)
    if not source:
        raise SystemExit(f"wheel: {name} is not on this machine; `make setup` installs it")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(os.path.realpath(source), target)
    return Path(source)


def bundle(prefix, folder):
    """Copies every library that files below prefix need into folder, and makes them look for it there, and only there:
    an RPATH, which holds too for what a cell's library needs. Returns where the libraries were."""
    folder.mkdir(parents=True)
    libraries = {}
    for path in dynamic(prefix):
        libraries |= needed(path)
    for name in ("libstdc++.so.6", "libgcc_s.so.1"):  # what every cell needs
        found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
        libraries[name] = Path(found.stdout.strip())
    for name, where in libraries.items():
        shutil.copy(where.resolve(), folder / name)
        (folder / name).chmod(0o755)
    for path in dynamic(prefix):
        asked = subprocess.run(["patchelf", "--print-rpath", path], capture_output=True, text=True).stdout.strip()
        own = [part for part in asked.split(":") if part.startswith("$ORIGIN")]
        rpath = ":".join([*own, "$ORIGIN/" + os.path.relpath(folder, path.parent)])
        subprocess.run(["strip", "--strip-debug", path], check=True)
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", rpath, path], check=True)
    return list(libraries.values())


def platform_tag(prefix):
    """manylinux_2_NN: the glibc that the files below prefix ask for. Cells are linked against the glibc that the host
    compiler brings, and what they use of it the machine must have: it counts in full."""
    newest = 0
    for path in dynamic(prefix):
        symbols = subprocess.run(["objdump", "-T", path], capture_output=True, text=True).stdout
        newest = max([newest, *(int(v) for v in re.findall(r"\(?GLIBC_2\.(\d+)", symbols))])
    if (prefix / "lib/warpbook/hostcc").exists():
        newest = max(newest, int(os.confstr("CS_GNU_LIBC_VERSION").split(".")[1]))
    return f"manylinux_2_{newest}_x86_64"


def copy_licenses(sources, folder):
    """Returns the copyright files and versions of the Debian packages whose files are in the wheel."""
    folder.mkdir(parents=True)
    spelled = {p for s in sources for whole in (str(s), os.path.realpath(s)) for p in (whole, whole.removeprefix("/usr"))}
    asked = subprocess.run(["dpkg-query", "-S", *sorted(spelled)], capture_output=True, text=True).stdout
    names = {line.split(":")[0] for line in asked.splitlines() if not line.startswith("diversion")}
    versions = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${Version} (source ${source:Package} ${source:Version})\\n", *sorted(names)],
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    (folder / "README").write_text(
        "Files of these Debian packages are part of this wheel, unchanged save for where they look for their libraries.\n"
        "Their sources are to be had from https://snapshot.debian.org under these names and versions.\n\n" + versions
    )
    for name in names:
        text = Path("/usr/share/doc", name, "copyright")
        if text.exists():
            shutil.copy(text.resolve(), folder / f"{name}.txt")
