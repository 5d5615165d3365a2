#!/bin/sh
# Prints nvcc's options for one source: machine code for the architectures named, and PTX.
#
#   kernels/gencode.sh CC SOURCE OLDEST ARCH...
#
# OLDEST is the oldest architecture that has the instructions; for those before it there is no code. From it, and from each
# later one that the source or a header of ours in it asks for (`#if __CUDA_ARCH__ >= 800`), the compiler makes PTX; from all
# others that would be the same. So machine code is made of the newest of these that an architecture knows, which saves
# half of the time: what comes before PTX takes longer than what makes code of it. Code for one architecture alone (90a) has
# a compilation of its own, and so have the references, since CUB looks at __CUDA_ARCH__ too.
# Bodies for 90a alone (__CUDA_ARCH_FEAT_SM90_ALL) are empty in code made from compute_90, and launchers could not tell that code
# from 90a's. So a source with such bodies has no level from 90 on.
# A kernel that reads its cluster's memory (mapa) has PTX of the oldest architecture only, without clusters, which softgpu lacks.
set -eu
cc=$1 source=$2 oldest=$3
shift 3

# The architectures after the oldest that these files ask for.
asked_for() {
    xargs -r grep -ohE '__CUDA_ARCH__ (>=|<) [0-9]+' /dev/null | sed 's/.* //; s/0$//' | sort -un |
        while read -r arch; do [ "$arch" -le "$oldest" ] || [ "$arch" -gt "$most" ] || echo "$arch"; done
}
gencode() { echo "-gencode arch=compute_$1,code=$2"; }

# shellcheck disable=SC2086,SC1003
ours=$($cc -MM -MG -x c++ -I. -Ikernels "$source" | tr -s ' \\' '\n' | grep '^kernels/' || :)
most=1000
if echo "$ours" | xargs -r grep -q __CUDA_ARCH_FEAT_SM90_ALL /dev/null; then most=89; fi
levels="$oldest $(echo "$ours" | asked_for)"
for arch in "$@"; do
    [ "${arch%a}" -ge "$oldest" ] || continue
    from=$arch
    case $arch,$source in
    *a,* | *,kernels/references/*) ;;
    *) for level in $levels; do [ "$arch" -lt "$level" ] || from=$level; done ;;
    esac
    gencode "$from" "sm_$arch"
done
gencode "$oldest" "compute_$oldest"
for level in $(echo "$ours" | xargs -r grep -L mapa | asked_for); do gencode "$level" "compute_$level"; done
