#!/bin/sh
# The kernel set, the references and warpbook-compare for this machine's GPU (and PTX for softgpu), on all its cores, where nvcc
# and a C++ compiler are all there is: a GPU machine need not have what the rest of Warpbook is built with.
#
#   tests/gpu/build.sh OUT
#
# OUT is laid out as build/ is: put a bin/warpbook built elsewhere beside it, and WARPBOOK_BUILD=OUT runs the GPU's
# tests and benchmark. About half a minute on 16 cores. ARCH=90a names the architecture (default: this GPU's).
set -eu
cd "$(dirname "$0")/../.."
out=${1:?where to build}
mkdir -p "$out/obj" "$out/lib/warpbook"
: >"$out/zh_CN.mo" # an empty catalogue: measuring speaks English
out=$(cd "$out" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
arch=${ARCH:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)}
[ "$arch" != 90 ] || arch=90a # wgmma and TMA
export out nvcc arch

object() { echo "$out/obj/$(echo "$1" | tr / _).o"; }
objects() { for source in "$@"; do object "$source"; done; }
labs=$(find kernels -name '*.cu' ! -path '*/references/*' | sort)
references=$(find kernels/references -name '*.cu' | sort)
program="kernels/registry.c kernels/shapes.c kernels/call.c runtime/cli/option.c $(echo runtime/base/*.c runtime/compare/program/*.c runtime/compare/program/*.cu)"

# The largest first: the slowest file decides how long it takes.
# shellcheck disable=SC2086,SC2016
ls -S $labs $references $program | xargs -P "$(nproc)" -I FILE sh -c '
    case FILE in *.c) lang="-x c -Xcompiler -std=gnu17" ;; *) lang="-x cu -std=c++17" ;; esac
    "$nvcc" $lang -O3 -gencode "arch=compute_$arch,code=sm_$arch" -gencode arch=compute_80,code=compute_80 -lineinfo -D_GNU_SOURCE -DWB_CATALOGS="\"$out\"" -I. -Ikernels -Xcompiler -fPIC \
        -c -o "$out/obj/$(echo FILE | tr / _).o" FILE'
link() { "$nvcc" -cudart shared -o "$@" -ldl -lm -lpthread; }
# shellcheck disable=SC2046,SC2086
link "$out/lib/warpbook/libwarpbook_kernels.so" -shared $(objects $labs)
# shellcheck disable=SC2046,SC2086
link "$out/lib/warpbook/libwarpbook_references.so" -shared $(objects $references)
# shellcheck disable=SC2046,SC2086
link "$out/lib/warpbook/warpbook-compare" $(objects $program)
