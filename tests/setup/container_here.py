#!/usr/bin/env python3
"""container_here.py FOLDER [NAME=VALUE...]: runs the steps of runtime/setup/container/Dockerfile on a machine without a container
engine, as root: each stage in a bare Debian root file system (debootstrap) below FOLDER, each RUN in it under bubblewrap.
Then, as the image's user, it asks the kernel what it found (`warpbook doctor`) and runs the welcome notebook.

It knows the instructions that this Dockerfile has, and refuses others. NAME=VALUE stands for --build-arg: with WHEEL_ARCHS=ptx it
takes seven minutes of CPU time and 4 GB. By hand."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
NOTEBOOK = "jupyter nbconvert --to notebook --execute --allow-errors --stdout 0_welcome.ipynb > /tmp/out.ipynb"


def instructions():
    """(word, rest) for each instruction; lines that go on are joined."""
    text = re.sub(r"\\\n", " ", (ROOT / "runtime/setup/container/Dockerfile").read_text())
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            yield word, rest.strip()


class Stage:
    def __init__(self, root, suite):
        self.root, self.folder, self.user, self.settings = root, "/", 0, {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
        if not (root / "etc").exists():
            subprocess.run(["debootstrap", "--variant=minbase", suite, root], check=True, stdout=subprocess.DEVNULL)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        for file in ("/etc/pip.conf", "/etc/apt/sources.list"):  # this machine's way to the packages
            if Path(file).exists():
                shutil.copy(file, root / file[1:])

    def run(self, command):
        print(f"RUN {command}", flush=True)
        words = ["bwrap", "--bind", self.root, "/", "--dev", "/dev", "--bind", "/proc", "/proc", "--tmpfs", "/dev/shm", "--chdir", self.folder]
        words += ["--die-with-parent", "--clearenv", "--setenv", "HOME", "/root" if self.user == 0 else f"/home/{self.user}"]
        words += ["--tmpfs", "/run", "--ro-bind", CERTIFICATES, "/run/certificates.crt"]  # whom this machine trusts
        for name, value in {**self.settings, "PIP_CERT": "/run/certificates.crt"}.items():
            words += ["--setenv", name, value]
        words += ["--cap-add", "ALL", "--", "sh", "-c", command]
        if self.user:
            words[-3:] = ["setpriv", "--reuid", self.user, "--regid", self.user, "--clear-groups", "sh", "-c", command]
        return subprocess.run([str(w) for w in words], check=True, stdout=subprocess.PIPE, text=True).stdout

    def copy(self, words, stages):
        sources, target = words[:-1], words[-1]
        base = ROOT
        if sources[0].startswith("--from="):
            base = stages[sources.pop(0).partition("=")[2]].root
        for source in sources:
            wanted = self.root / target.lstrip("/")
            if base == ROOT:  # what .dockerignore leaves
                wanted.mkdir(parents=True, exist_ok=True)
                files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
                subprocess.run(["cp", "--no-dereference", "--parents", "-t", wanted, *filter(None, files.split("\0"))], check=True, cwd=ROOT)
            else:
                copy = shutil.copytree if (base / source.lstrip("/")).is_dir() else shutil.copy
                copy(base / source.lstrip("/"), wanted, **({"dirs_exist_ok": True} if copy is shutil.copytree else {}))


def main(folder, *arguments):
    stages, stage, given = {}, None, dict(part.split("=", 1) for part in arguments)
    for word, rest in instructions():
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            suite = re.fullmatch(r"debian:(\w+)(-slim)?", image)[1]
            stage = stages[name or "last"] = Stage(Path(folder).resolve() / (name or "last"), suite)
        elif word == "ARG":
            name, _, value = rest.partition("=")
            stage.settings[name] = given.pop(name, value)
        elif word == "RUN":
            stage.run(rest)
        elif word == "COPY":
            stage.copy(shlex.split(rest), stages)
        elif word == "ENV":
            stage.settings |= dict(part.split("=", 1) for part in shlex.split(rest))
        elif word == "WORKDIR":
            stage.folder = rest
            (stage.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "USER":
            stage.user = rest
        elif word not in ("EXPOSE", "ENTRYPOINT", "CMD"):
            raise SystemExit(f"container_here.py does not know {word}")
    if given:
        raise SystemExit(f"the Dockerfile has no ARG {' '.join(given)}")
    print(stage.run("warpbook doctor || true"))
    stage.run("jupyter lab --version && jupyterhub-singleuser --version")
    stage.run(NOTEBOOK)
    cells = json.loads((stage.root / "tmp/out.ipynb").read_text())["cells"]
    text = json.dumps(cells)
    wrong = [c["outputs"] for c in cells if c["cell_type"] == "code" and any(o["output_type"] == "error" for o in c["outputs"])]
    print(f"the welcome notebook: {len(cells)} cells, {len(wrong)} with an error (one shows one)")
    return 0 if "hello from block 1, thread 3" in text and len(wrong) <= 1 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
