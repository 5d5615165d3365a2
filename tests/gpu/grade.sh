#!/bin/sh
# Our labs graded on this machine's GPU: starters, every solution, and some attacks.
#
#   tests/gpu/grade.sh [OUT]
#
# Needs a built tree (build/, or $WARPBOOK_BUILD), nvcc, the driver and python3. The libraries that
# build/bin/warpbook and build/lib/warpbook/record need (libjansson, libzmq, libcrypto, ...) must be
# found: where the machine lacks them, carry them and set LD_LIBRARY_PATH. Without bubblewrap it
# grades with --unsafe-no-sandbox and says so. About fifteen minutes on an H200; leaves OUT/LAB.json and
# prints a table. Exit status 1: a solution failed a test, or an attack earned points it should not.
# QUICK=1: the best solution of each lab alone.
set -u
cd "$(dirname "$0")/../.."
out=${1:-build/gpu-grade}
mkdir -p "$out"
warpbook=${WARPBOOK_BUILD:-build}/bin/warpbook
[ -x "$warpbook" ] || { echo "$warpbook is missing: run make first" >&2; exit 3; }
sandbox=
if ! command -v bwrap > /dev/null; then
    sandbox=--unsafe-no-sandbox
    echo "no bubblewrap here: grading with --unsafe-no-sandbox"
fi
for lab in $(ls labs); do
    [ -f labs/$lab/lab.json ] || continue
    if [ -n "${QUICK:-}" ]; then
        set -- "$(ls labs/$lab/solutions/*.cu | tail -1)"
    else
        set -- labs/$lab/starter.cu labs/$lab/solutions/*.cu
    fi
    echo "== $lab: $#" submissions
    "$warpbook" grade "$lab" "$@" --device gpu $sandbox --json > "$out/$lab.json" 2> "$out/$lab.err"
    [ -s "$out/$lab.json" ] || cat "$out/$lab.err"
done
if [ -z "${QUICK:-}" ]; then
    attacks=tests/grader/attacks
    echo "== attacks"
    "$warpbook" grade transpose $attacks/endless_kernel/submission.cu $attacks/prints_a_score/submission.cu \
        $attacks/out_of_bounds/submission.cu --device gpu $sandbox --json > "$out/attacks-transpose.json"
    "$warpbook" grade gemm $attacks/half_inputs/submission.cu $attacks/tf32_inputs/submission.cu \
        --device gpu $sandbox --json > "$out/attacks-gemm.json"
    "$warpbook" grade reduce $attacks/changes_inputs/submission.cu $attacks/stale_memory/submission.cu \
        --device gpu $sandbox --json > "$out/attacks-reduce.json"
fi
exec python3 - "$out" << 'EOF'
import json, pathlib, sys
failed = False
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    try:
        reports = json.loads(path.read_text())
    except ValueError:
        print(f"{path.name}: no result")
        failed = True
        continue
    for r in reports if isinstance(reports, list) else [reports]:
        name = r["submission"].replace("/submission.cu", "")
        missed = [t for t in r["tests"] if t["kind"] == "test" and t["status"] != "passed"]
        wrong = None
        if r["status"] == "error":
            wrong = r["message"]
        elif "attacks/" in name:
            # what writes outside its arrays is right only where every size fits its blocks
            wrong = "an attack earned points" if r["score"] > (66 if "out_of_bounds" in name else 12) else None
        elif "starter" in name:
            wrong = "the starter earned more than a little" if r["score"] > 10 else None
        elif missed:
            wrong = f"{missed[0]['name']}: {missed[0]['output'][:400]}"
        failed |= bool(wrong)
        print(f"{'WRONG' if wrong else 'ok':6}{r['score']:6.1f} / {r['max_score']:.0f}  {name} on {r['device']} ({r['seconds']:.1f} s)")
        if r["message"]:
            print(f"          {r['message'][:300]}")
        for t in r["tests"]:
            if t["kind"] == "performance" and "solutions" in name:
                print(f"          {t['output'][:300]}")
        if wrong:
            print(f"          {wrong}")
sys.exit(failed)
EOF
