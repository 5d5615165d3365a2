#!/bin/sh
# The kernel set on a real GPU: right, free of memory errors, and timed beside cuBLAS and CUB.
#
#   tests/gpu/run.sh [OUT]
#
# Needs nvcc (CUDA 13), a C++ compiler, python3 and the driver; builds what it runs from the sources,
# for this machine's GPU, into OUT (default: build/gpu), because a GPU machine need not have what
# the rest of Warpbook is built with. Takes about four minutes. Leaves OUT/results.json and
# OUT/tables.txt, and prints the tables last. Exit status 1: something was wrong.
# QUICK=1 leaves out the largest sizes.
set -eu
cd "$(dirname "$0")/../.."
out=${1:-build/gpu}
mkdir -p "$out/obj"
out=$(cd "$out" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
cores=$(nproc)
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d .)
arch=${ARCH:-$capability}
[ "$arch" = 90 ] && arch=90a # wgmma

say() { printf '== %s (%s s)\n' "$1" "$(($(date +%s) - start))"; }
start=$(date +%s)

say "building for this GPU with $nvcc"
compile() { # SOURCE: one object, named after its path
    object=$out/obj/$(echo "$1" | tr / _).o
    case $1 in *.c) lang="-x c -Xcompiler -std=gnu17" ;; *) lang="-x cu -std=c++17" ;; esac
    # shellcheck disable=SC2086
    "$nvcc" $lang -O3 -gencode "arch=compute_$arch,code=sm_$arch" -lineinfo -D_GNU_SOURCE -I. -Ikernels -Xcompiler -fPIC -c -o "$object" "$1"
}
set -- kernels/coalescing/*.cu kernels/transpose/*.cu kernels/reduce/*.cu kernels/gemm/*.cu kernels/tensor/*.cu
set_sources=$*
running=0
for source in $set_sources kernels/references/*.cu kernels/registry.c kernels/shapes.c runtime/base/parallel.c runtime/compare/program/*.c runtime/compare/program/*.cu; do
    compile "$source" &
    running=$((running + 1))
    if [ "$running" -ge "$cores" ]; then wait; running=0; fi
done
wait
objects() { for source in "$@"; do echo "$out/obj/$(echo "$source" | tr / _).o"; done; }
# shellcheck disable=SC2046,SC2086
"$nvcc" -shared -cudart shared -o "$out/libwarpbook_kernels.so" $(objects $set_sources)
# shellcheck disable=SC2046
"$nvcc" -shared -cudart shared -o "$out/libwarpbook_references.so" $(objects kernels/references/*.cu) -ldl
# shellcheck disable=SC2046
"$nvcc" -cudart shared -o "$out/warpbook-compare" \
    $(objects kernels/registry.c kernels/shapes.c runtime/base/parallel.c runtime/compare/program/*.c runtime/compare/program/*.cu) -ldl -lm -lpthread

toolkit=$(cd "$(dirname "$nvcc")/.." && pwd)
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$toolkit/lib64:$toolkit/lib
export LD_LIBRARY_PATH
compare=$out/warpbook-compare
rm -f "$out"/*.jsonl
failed=0

coalescing="coalescing.increment coalescing.increment_strided coalescing.aligned coalescing.misaligned
 coalescing.offset_32_bytes coalescing.offset_128_bytes coalescing.stride_2 coalescing.stride_8 coalescing.stride_32"
sums="coalescing.row_sums coalescing.row_sums_warp coalescing.column_sums"
transposes="transpose.copy transpose.read_coalesced transpose.write_coalesced transpose.shared
 transpose.padded transpose.padded_8 transpose.vector cuda.memcpy"
reductions="reduce.global reduce.shared reduce.host_final reduce.dynamic reduce.shuffle reduce.grid_stride reduce.vector"
gemms="gemm.naive gemm.coalesced_1d gemm.coalesced_2d gemm.shared gemm.register_1d gemm.register_2d
 gemm.tiles gemm.tiles_prefetch gemm.tiles_64 gemm.warp_tiles"
best_gemms="gemm.register_2d gemm.tiles gemm.tiles_prefetch gemm.warp_tiles"

check() { # NAME SIZES ARGUMENTS...
    name=$1 sizes=$2
    shift 2
    "$compare" --check --sizes "$sizes" "$@" > "$out/check-$name.jsonl" || failed=1
}
say "every kernel against fp64 on the CPU"
lines=0,1,31,33,257,1000,65537,100003,5000001
matrices=0,1,1x77,77x1,33,31x65,64,130x68,257x100,1000x1537
products=1,2x3x1,5x4x0,33x17x65,64,130x129x7,127x131x250,256x384x512,517x519x521
# shellcheck disable=SC2086
{
    check coalescing $lines $coalescing
    check row-sums 1,1x77,77x1,33,130x68,257x100 coalescing.row_sums coalescing.row_sums_warp
    check column-sums 1,1x77,77x1,33,130x68,257x100 coalescing.column_sums
    check transpose-float $matrices $transposes
    check transpose-double $matrices --type double $transposes
    check reduce-float $lines $reductions
    check reduce-double $lines --type double $reductions
    check gemm-float $products $gemms
    check gemm-double $products --type double gemm.column_tiles
}

say "compute-sanitizer"
sanitizer=$(command -v compute-sanitizer || echo "$toolkit/bin/compute-sanitizer")
if [ -x "$sanitizer" ] || command -v "$sanitizer" > /dev/null; then
    for tool in memcheck racecheck; do
        # shellcheck disable=SC2086
        for group in "33x65 $transposes" "1000 $reductions" "33x17x65 $gemms" "1000 $coalescing"; do
            size=${group%% *}
            "$sanitizer" --tool $tool --error-exitcode 9 "$compare" --check --reference none \
                --sizes "$size" ${group#* } >> "$out/sanitizer.log" 2>&1 || { failed=1; echo "$tool: $size failed"; }
        done
    done
    grep -h "SUMMARY" "$out/sanitizer.log" | sort | uniq -c
else
    echo "compute-sanitizer is not on this machine: left out"
fi

measure() { # NAME SIZES ARGUMENTS...
    name=$1 sizes=$2
    shift 2
    "$compare" --sizes "$sizes" "$@" > "$out/time-$name.jsonl" || failed=1
}
say "times"
large_t=,32768 large_r=,2^30 large_g=,8192
if [ -n "${QUICK:-}" ]; then large_t='' large_r='' large_g=''; fi
# shellcheck disable=SC2086
{
    measure gemm 512,1024,2048,4096 --seconds 10 $gemms
    measure gemm-best 512,1024,2048,4096$large_g --seconds 10 $best_gemms
    measure gemm-double 2048 --type double --seconds 5 gemm.column_tiles
    say "transpose"
    measure transpose 8192,16384$large_t --seconds 6 $transposes
    measure transpose-double 8192 --type double --seconds 6 $transposes
    say "reduce"
    measure reduce 2^20,2^24,1e8$large_r --seconds 6 $reductions
    measure reduce-double 1e8 --type double --seconds 6 $reductions
    say "coalescing"
    measure coalescing 2^26 --seconds 6 $coalescing
    measure sums 8192 --seconds 4 $sums
}
say "done"
python3 tests/gpu/report.py "$out" || failed=1
exit $failed
