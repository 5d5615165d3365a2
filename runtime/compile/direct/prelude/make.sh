# Makes a prelude in $made from head.cu and support.hpp, and renames the folder to $kept if no command printed anything.
# prelude.c writes what stands before these lines: made, kept, tool (nvcc's path), compiler (g++'s), and the
# functions nvcc, host (g++) and device (nvcc -ptx), which add a cell's options, and folders, which adds the -I options to a command.
cd "$made" || exit 1
(
    set -e
    LC_ALL=C; TMPDIR=$PWD; export LC_ALL TMPDIR
    unset NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS

    # The host's headers as cudafe++ leaves them, their macros, and a precompiled header of both. The special functions of
    # <cmath> are left out: g++ would instantiate all templates that they use in each unit, which takes as long as the rest
    # of a small cell. nvcc compiles a cell that calls std::beta.
    nvcc -cuda -MD -MF in.d -o p.ii head.cu
    awk '/^# 1 "kit"$/{exit}
        /^# [0-9]/{off = $3 ~ /\/(bits\/specfun[.]h|tr1\/[a-z_]*[.]tcc)"$/}
        NR > 1 && !off && !/__nv_inited_managed_rt/' p.ii >d.h
    nvcc -E -Xcompiler -dM,-U__CUDA_ARCH__,-UCUDA_DOUBLE_MATH_FUNCTIONS head.cu | sort >all
    : >empty.h
    host -E -dM -x c++ empty.h | sort >pre
    comm -23 all pre >>d.h
    cat support.hpp >>d.h
    host -w -x c++-header d.h -o d.h.gch
    [ -s d.h.gch ]

    # The steps of nvcc -ptx, as it lists them itself: pre.sh up to what cicc reads, ptx.sh from there to the PTX.
    device --keep --dryrun -o ptx device.cu 2>&1 | sed -n 's/^#\$ //p' | sed 's,"\(device[^"]*\|ptx\)","$f/\1",g' >steps
    { echo 'f=$1; shift'; grep ' -E ' steps | sed 's/$/ "$@"/'; } >all.sh
    { echo 'set -e; f=$1; export NVVMIR_LIBRARY_DIR'
      grep -e '^CICC_PATH=' -e '^NVVMIR_LIBRARY_DIR=' -e '^"$CICC_PATH' -e ^ptxas steps |
          sed "s,^ptxas,'${tool%/*}/ptxas',"; } >ptx.sh
    sed "s|-include \"cuda_runtime.h\"|-imacros '$kept/sys.h' -imacros '$kept/own.h'|" all.sh >pre.sh
    grep -q -e -imacros pre.sh
    grep -q cicc ptx.sh

    # The device's headers without their macros, and these in two files: warnings count in one of them alone.
    cp head.cu device.cu
    sed 's/ -E / -E -dD /' all.sh >one.sh
    folders sh one.sh .
    awk '/^# [0-9]/{s = 0; for (i = 4; i <= NF; i++) s += $i == 3; own = $3 ~ /^"[^<]/}
        /^#(define|undef) /{
            n = $2; sub(/\(.*/, "", n); delete d[n]
            if (own && $1 == "#define") {d[n] = $0; sys[n] = s}
            $0 = ""
        }
        {print >"device.ii"}
        END{
            print "#pragma GCC system_header" >"sys.h"; printf "" >"own.h"
            for (n in d) print d[n] >(sys[n] ? "sys.h" : "own.h")
        }' device.cpp1.ii

    # Sizes and times of all that was read and of what was made.
    tr -d '\\' <in.d | tr -s ' ' '\n' | grep '^/' | sort -u | xargs stat -L -c '%s %Y %n' >stamps
    [ -s stamps ]
    for f in d.h d.h.gch; do stat -c "%s %Y $kept/$f" $f >>stamps; done
    rm -f device.cu device.cpp1.ii steps all.sh one.sh p.ii all pre empty.h support.hpp head.cu make.sh
) >words 2>&1
[ $? = 0 ] && [ ! -s words ] && mv -T "$made" "$kept" || rm -rf "$made"
