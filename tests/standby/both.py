#!/usr/bin/env python3
"""Stands in the place of warpbook-standby: does a step by nvcc's program, then by a standby, and notes in $BOTH_LOG what
differs in the files, the words or the exit status: `same`, `ordinary` where no standby did it, or `differs` and what."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

OUTPUTS = ("--gen_c_file_name", "--gen_device_file_name", "--stub_file_name", "-o")
folder, cell, *command = sys.argv[1:]
outputs = [Path(value) for option, value in zip(command, command[1:]) if option in OUTPUTS and value.startswith(folder)]


def run(argv, **more):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **more})
    made = {}
    for path in outputs:
        if path.exists():
            made[path.name] = path.read_bytes().replace(folder.encode() + b"/", b"")
            path.rename(path.with_name(path.name + ".before"))
    return done.returncode, done.stdout, made


copied = run([os.environ["BOTH_STANDBY"], folder, cell, *command], WARPBOOK_STANDBY="only")
status, words, made = run(command)
for path in outputs:
    if path.name in made:
        path.with_name(path.name + ".before").rename(path)
said = []
if copied[0] == 98:
    said.append("ordinary")
else:
    if copied[0] != status:
        said.append(f"differs: status {copied[0]} for {status}")
    if copied[1] != words:
        said.append(f"differs: words {copied[1]!r} for {words!r}")
    for name in sorted({*made, *copied[2]}):
        if made.get(name) != copied[2].get(name):
            said.append(f"differs: {name}")
            for kind, text in (("plain", made), ("copy", copied[2])):
                Path(f"{os.environ['BOTH_LOG']}.{name}.{kind}").write_bytes(text.get(name, b"(none)"))
with open(os.environ["BOTH_LOG"], "a") as log:
    fcntl.flock(log, fcntl.LOCK_EX)
    log.write(f"{Path(command[0]).name} {cell} {'; '.join(said) or 'same'}\n")
sys.stdout.buffer.write(words)
sys.stdout.flush()
sys.exit(status)
