#!/usr/bin/env bash
# tree-sitter.sh: the sources of tree-sitter's core and of its CUDA grammar, into
# build/third_party/tree-sitter. Debian's library is older than the grammar's ABI, so both come as
# pinned source packages, and are used only if their SHA-256 is the one below. Nothing of them is
# run: pip fetches the archives, and the Makefile compiles the C files.
set -e
here=$(cd "$(dirname "$0")/../.." && pwd)
goal=$here/build/third_party/tree-sitter
core=tree-sitter-0.25.2.tar.gz
core_sum=fe43c158555da46723b28b52e058ad444195afd1db3ca7720c59a254544e9c20
cuda=tree_sitter_cuda-0.21.2.tar.gz
cuda_sum=40a5025e82819d351ffcf3daee5d11d1918147a2091d201685a391aa6f7442c4

[ -e "$goal/.complete" ] && exit 0
mkdir -p "$here/build/third_party"
work=$(mktemp -d "$here/build/third_party/new-XXXXXX")
trap 'rm -rf "$work"' EXIT

# A pip: the environment's own, the system's, or one of a throw-away environment.
python=$here/.venv/bin/python
"$python" -m pip --version >/dev/null 2>&1 || python=python3
if ! "$python" -m pip --version >/dev/null 2>&1; then
    python3 -m venv "$work/venv" >/dev/null || {
        echo "tree-sitter: python3-venv is missing; apt-get install python3-venv" >&2
        exit 3
    }
    python=$work/venv/bin/python
fi

fetch() { # NAME==VERSION FILE SHA256
    "$python" -m pip download --quiet --no-deps --no-binary :all: --dest "$work" "$1" >"$work/log" 2>&1 || {
        echo "tree-sitter: $1 can't be fetched; pip says:" >&2
        tail -n 5 "$work/log" >&2
        exit 3
    }
    echo "$3  $work/$2" | sha256sum --check --quiet - || {
        echo "tree-sitter: $2 is not the file it should be; it was not used." >&2
        exit 3
    }
}

echo "fetching the parser (tree-sitter and its CUDA grammar, 2 MB)"
fetch tree-sitter==0.25.2 "$core" "$core_sum"
fetch tree-sitter-cuda==0.21.2 "$cuda" "$cuda_sum"
mkdir -p "$work/out/core" "$work/out/cuda"
tar -xzf "$work/$core" -C "$work/out/core" --strip-components=4 tree-sitter-0.25.2/tree_sitter/core/lib
tar -xzf "$work/$cuda" -C "$work/out/cuda" --strip-components=1 tree_sitter_cuda-0.21.2/src
touch "$work/out/.complete"
rm -rf "$goal"
mv "$work/out" "$goal"
