#!/usr/bin/env bash
# setup.sh [--later] GROUP...: installs what this machine lacks, and nothing else. The groups are those of
# packages.txt: build, lab, test, bench. It leaves installed things alone, so a second run is quick.
# Everything that is not a Debian package goes into .venv; to remove it all, remove that
# folder. --later leaves JupyterLab to a second call, `setup.sh lab`, that can
# run beside the compiler.
#
# Exit status: 0 everything is installed; 3 something is unavailable: the last line says what to do.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=${VENV:-$root/.venv}
later=
[ "${1:-}" = --later ] && later=1 && shift
groups=" ${*:-build lab} "
log=$root/build/setup.log
cd "$root" || exit 3

say() { printf '  %-8s %s\n' "$1" "$2"; }
die() { # SENTENCE [COMMAND]
    printf '\nwarpbook: %s\n' "$1" >&2
    [ -n "${2:-}" ] && printf 'warpbook: run   %s   and then the same make again.\n' "$2" >&2
    exit 3
}

# Runs a long command with its output in the log. Prints what it does, and every 15 s that it still
# runs. On failure shows the end of the log.
run_logged() { # WHAT COMMAND...
    local what=$1 start=$SECONDS next=15 pid status
    shift
    say SETUP "$what"
    mkdir -p "$(dirname "$log")"
    printf '\n== %s: %s\n' "$(date -u '+%F %T')" "$*" >>"$log"
    "$@" >>"$log" 2>&1 </dev/null &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.2
        if [ $((SECONDS - start)) -ge "$next" ]; then
            say "" "... $((SECONDS - start)) s; $(tail -n 1 "$log" | tr -d '\r' | cut -c 1-70)"
            next=$((next + 15))
        fi
    done
    wait "$pid"
    status=$?
    [ "$status" -eq 0 ] || { printf '\n' >&2; tail -n 8 "$log" >&2; }
    return "$status"
}

# ---- Debian packages -----------------------------------------------------------------------------

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# The name is in apt's lists and apt would install a Debian package. Ubuntu's chromium packages are
# empty ones that fetch a snap, which headless tests and containers can't use: they don't count.
can_install() {
    local policy
    policy=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null)
    case $policy in
        "" | *"Candidate: (none)"*) return 1 ;;
        *"Candidate: "*snap*) return 1 ;;
    esac
    return 0
}

# Fills `missing` (lines of "GROUP NAME | NAME...") with the needs that no installed package meets.
find_missing() {
    local installed line group names name found
    installed=" $(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' 2>/dev/null |
        sed -n 's/^ii *//p' | tr '\n' ' ') "
    missing=()
    while read -r line; do
        line=${line%%#*}
        read -r group names <<<"$line"
        [ -n "${names:-}" ] || continue
        case $groups in *" ${group%\?} "*) ;; *) continue ;; esac
        found=
        for name in $names; do
            case $installed in *" $name "*) [ "$name" != "|" ] && found=1 ;; esac
        done
        [ -n "$found" ] || missing+=("$group $names")
    done <"$here/packages.txt"
}

# Without dpkg: checks the important commands and headers, so that other distributions get a clear message.
check_foreign() {
    local lacking=() command header
    for command in gcc g++ make python3 bwrap; do
        command -v "$command" >/dev/null || lacking+=("$command")
    done
    for header in zmq.h jansson.h openssl/hmac.h sqlite3.h zstd.h lz4.h seccomp.h elfutils/libdw.h; do
        echo "#include <$header>" | gcc -E -x c - >/dev/null 2>&1 || lacking+=("$header")
    done
    [ ${#lacking[@]} -eq 0 ] && return
    die "this is not Debian or Ubuntu, so nothing was installed; missing here: ${lacking[*]}.
warpbook: install your distribution's equivalents of the packages in runtime/setup/packages.txt."
}

install_packages() {
    command -v dpkg-query >/dev/null || { check_foreign; return; }
    find_missing
    [ ${#missing[@]} -eq 0 ] && return
    local wanted=() optional=() hard=0 entry group names name chosen
    for entry in "${missing[@]}"; do
        case ${entry%% *} in *\?) ;; *) hard=1 ;; esac
    done
    # Optional packages that were once found to be unavailable don't cost an update each time.
    local unavailable=$root/build/setup.unavailable
    if [ "$hard" -eq 0 ] && [ -f "$unavailable" ] &&
        [ "$(printf '%s\n' "${missing[@]}")" = "$(cat "$unavailable")" ]; then
        return
    fi
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        die "these Debian packages are missing, and installing them takes root: $(printf '%s\n' \
            "${missing[@]}" | awk '{print $2}' | tr '\n' ' ')" \
            "su -c 'apt-get update && apt-get install --no-install-recommends $(printf '%s\n' \
            "${missing[@]}" | awk '{print $2}' | tr '\n' ' ')'"
    fi
    if [ "$(id -u)" -ne 0 ]; then
        say SETUP "installing Debian packages takes root: sudo may ask for your password"
        sudo -v || die "sudo was refused, so Debian packages could not be installed." \
            "sudo apt-get install --no-install-recommends $(printf '%s\n' "${missing[@]}" |
                awk '{print $2}' | tr '\n' ' ')"
    fi
    run_logged "reading the package lists (apt-get update)" as_root apt-get update -q ||
        say "" "apt-get update failed; going on with the lists that are here"
    for entry in "${missing[@]}"; do
        read -r group names <<<"$entry"
        chosen=
        for name in $names; do
            [ "$name" != "|" ] && can_install "$name" && chosen=$name && break
        done
        if [ -n "$chosen" ]; then
            wanted+=("$chosen")
        elif [[ $group == *\? ]]; then
            optional+=("$entry")
        else
            die "the package ${names// | / or } can't be had from this system's package sources." \
                "sudo apt-get update"
        fi
    done
    if [ ${#wanted[@]} -gt 0 ]; then
        run_logged "installing ${wanted[*]}" as_root apt-get install -q -y --no-install-recommends \
            "${wanted[@]}" ||
            die "apt-get could not install ${wanted[*]}; its words are above and in build/setup.log." \
                "sudo apt-get install --no-install-recommends ${wanted[*]}"
    fi
    rm -f "$unavailable"
    for entry in ${optional[@]+"${optional[@]}"}; do
        mkdir -p "$root/build"
        printf '%s\n' "$entry" >>"$unavailable"
        case $entry in
            *chromium*)
                say SETUP "no Debian package of chromium here (Ubuntu's is a snap): the browser test looks
           for one that   .venv/bin/playwright install --with-deps chromium   brings, else is skipped" ;;
            *) say SETUP "no package ${entry#* } here: what needs it is skipped" ;;
        esac
    done
}

# ---- the virtual environment ----------------------------------------------------------------------

# A Python 3.10 or later that can make virtual environments.
find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
        "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' \
            2>/dev/null && python=$candidate && return
    done
    die "no Python 3.10 or later with the venv module was found." "sudo apt-get install python3-venv"
}

# Installs a requirements file unless its stamp, the checksum of its contents, exists.
install_requirements() { # FILE WHAT
    local stamp
    stamp=$venv/.setup/$1.$(cat "$here/$1" "$here/constraints.txt" | cksum | cut -d ' ' -f 1)
    [ -f "$stamp" ] && return
    run_logged "$2" "$venv/bin/python" -m pip install --disable-pip-version-check --no-input \
        --progress-bar off -r "$here/$1" -c "$here/constraints.txt" ||
        die "Python packages could not be installed; pip's words are above and in build/setup.log. \
Is this machine on the network?" "$venv/bin/python -m pip install -r runtime/setup/$1 -c runtime/setup/constraints.txt"
    mkdir -p "$venv/.setup"
    rm -f "$venv/.setup/$1".*
    touch "$stamp"
}

make_venv() {
    if ! "$venv/bin/python" -c '' 2>/dev/null; then
        find_python
        rm -rf "$venv"
        run_logged "making the virtual environment .venv ($("$python" --version))" \
            "$python" -m venv "$venv" ||
            die "the virtual environment could not be made." "sudo apt-get install python3-venv"
    fi
}

install_jupyter() {
    install_requirements requirements.txt "installing JupyterLab and its tools into .venv"
    case $groups in
        *" test "* | *" bench "*)
            install_requirements requirements-test.txt "installing the test tools into .venv" ;;
    esac
    # JupyterLab asks newcomers whether to fetch news from the network; a lab should not.
    local overrides=$venv/share/jupyter/lab/settings/overrides.json
    if [ ! -f "$overrides" ]; then
        mkdir -p "$(dirname "$overrides")"
        printf '%s\n' '{"@jupyterlab/apputils-extension:notification":' \
            ' {"fetchNews": "false", "checkForUpdates": false}}' >"$overrides"
    fi
}

# ---- the CUDA toolkit -----------------------------------------------------------------------------

# nvcc 13 that is on this machine already, not counting the one of .venv.
find_nvcc() {
    local candidate version
    for candidate in "${WARPBOOK_NVCC:-}" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
        [ -n "$candidate" ] && [ -x "$candidate" ] || continue
        version=$("$candidate" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
        [ "${version:-0}" -ge 13 ] && nvcc=$candidate && return
    done
    return 1
}

# The wheels are in site-packages/nvidia/cu13, without the names that the linker needs (lib64,
# libcudart.so); .venv/cuda has these.
link_wheels() {
    local home library
    home=$(echo "$venv"/lib/python3*/site-packages/nvidia/cu13)
    [ -x "$home/bin/nvcc" ] || return 1
    ln -sfn lib "$home/lib64"
    for library in libcudart libcublas libcublasLt libnvrtc; do
        ln -sfn "$library.so.13" "$home/lib/$library.so"
    done
    ln -sfn "$home" "$venv/cuda"
}

# The probe is compiled and linked against the shared runtime, as every cell is.
probe_nvcc() {
    local folder status
    folder=$(mktemp -d)
    printf '#include <cublas_v2.h>\n#include <cuda_profiler_api.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n' \
        >"$folder/probe.cu"
    "$nvcc" -cudart shared -o "$folder/probe" "$folder/probe.cu" -lcublas
    status=$?
    rm -rf "$folder"
    return "$status"
}

make_toolkit() {
    find_nvcc && return
    local stamp=$venv/.setup/toolkit.$(cksum <"$here/requirements-cuda.txt" | cut -d ' ' -f 1)
    [ -e "$stamp" ] && return
    install_requirements requirements-cuda.txt \
        "installing the CUDA 13.0 toolkit into .venv (about 700 MB to fetch)"
    link_wheels || die "the CUDA wheels lack nvcc; remove .venv and try again." "rm -rf .venv"
    nvcc=$venv/cuda/bin/nvcc
    run_logged "trying the CUDA compiler" probe_nvcc ||
        die "nvcc is here but can't compile a small program; its words are above." \
            "rm -rf .venv"
    touch "$stamp"
}

install_packages
case $groups in
    *" lab "* | *" test "* | *" bench "*)
        make_venv
        [ -n "$later" ] || install_jupyter
        ;;
esac
case $groups in
    *" build "*)
        find_nvcc || make_venv
        make_toolkit
        [ ! -x "$here/tree-sitter.sh" ] || "$here/tree-sitter.sh" || exit 3
        ;;
esac
exit 0
