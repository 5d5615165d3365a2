#!/usr/bin/env bash
# lab.sh [ARGUMENTS...]: opens JupyterLab on the notebooks, with the kernel of .venv. Passes
# the arguments on to JupyterLab.
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
venv=${VENV:-$root/.venv}

arguments=(--log-level=WARN --ServerApp.root_dir="$root/notebooks" --LabApp.default_url=/lab/tree/0_welcome.ipynb)
[ "$(id -u)" -ne 0 ] || arguments+=(--allow-root)

# Opens a browser only if a display exists; else prints the address, for students on a server over
# ssh.
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && [ -z "${BROWSER:-}" ]; then
    arguments+=(--no-browser)
    echo "  LAB      no display here: open the address that JupyterLab prints in your browser"
    if [ -n "${SSH_CONNECTION:-}" ]; then
        echo "           (over ssh: ssh -L 8888:localhost:8888 to this machine first)"
    fi
else
    echo "  LAB      opening JupyterLab in your browser; Ctrl-C here ends it"
fi
export PATH="$venv/bin:$PATH" JUPYTER_PREFER_ENV_PATH=1
# Finds an nvcc that setup put into .venv.
if [ -x "$venv/cuda/bin/nvcc" ] && [ -z "${WARPBOOK_NVCC:-}" ]; then
    export WARPBOOK_NVCC="$venv/cuda/bin/nvcc"
fi
exec "$venv/bin/jupyter-lab" "${arguments[@]}" "$@"
