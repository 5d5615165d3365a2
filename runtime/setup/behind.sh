#!/usr/bin/env bash
# behind.sh start BUILD: makes the rest of the build behind an open JupyterLab, at the lowest
#   priority, in a session of its own (Ctrl-C in the terminal does not end it). $MAKE, $JOBS and
#   $TOTAL, the number of steps, come from targets.mk. Does nothing if TOTAL is 0, or if such a
#   build is running.
# behind.sh wait BUILD: prints the build's progress, and returns when it has ended or failed.
#
# BUILD/share/warpbook/building names the log, and is locked while the build runs. The last step
# of a successful build removes it. runtime/base/pending.c reads both.
set -u
call=$1 build=$2
marker=$build/share/warpbook/building
log=$PWD/$build/behind.log
case $build in /*) log=$build/behind.log ;; esac

case $call in
    start)
        mkdir -p "$(dirname "$marker")"
        exec 9>>"$marker"
        flock -n 9 || exit 0
        [ "${TOTAL:-0}" -gt 0 ] || { rm -f "$marker"; exit 0; }
        printf '%s\n' "$log" >"$marker"
        : >"$log"
        echo "  LAB      the kernel set is built behind JupyterLab: $TOTAL steps, said in ${log#"$PWD"/}"
        START=$(date +%s) BEHIND_RUNS=1 TOTAL=$TOTAL setsid nice -n 19 "${BASH_SOURCE[0]}" run "$build" &
        ;;
    run)
        exec </dev/null
        if "${MAKE:-make}" --no-print-directory -j"${JOBS:-2}" products >>"$log" 2>&1; then
            exit 0
        fi
        printf '\nwarpbook: the build behind JupyterLab failed; the last lines of %s:\n' "$log" >&2
        tail -n 5 "$log" >&2
        printf 'warpbook: labs that compare kernels do not work before   make   has succeeded.\n' >&2
        exit 1
        ;;
    wait)
        exec 9<"$marker" || exit 0
        said=0
        until flock -n -s 9; do
            if [ $((said++ % 5)) -eq 0 ]; then
                echo "  WAIT     for the build behind JupyterLab: $(grep -o '\[[0-9]*/[0-9]*\]' "$log" | tail -n 1)"
            fi
            sleep 1
        done
        ;;
esac
