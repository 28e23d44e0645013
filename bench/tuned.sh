#!/usr/bin/env bash
# A whole tuned run, five splits, of lcm-em beside a tuned two-layer GCN in
# PyTorch (bench/tuned_torch.py) on the same splits, in one run.
# PyTorch is given LIMIT seconds, if that is set, and stopped then: its time is
# told as more than that.
# Usage: bench/tuned.sh BUILD_DIR [DATA_SET...]
set -eu
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
data=${DATA:-$here/../../shared/data}
threads=${THREADS:-2}
[ $# -gt 0 ] || set -- cora citeseer pubmed
python=
/usr/bin/python3 -c 'import torch' 2> /dev/null && python=/usr/bin/python3 ||
    echo "skipped: python3-torch is not installed"

splits="paper-0 paper-1 paper-2 paper-3 paper-4"
# field NAME: the first number of that name in JSON
field() { sed -n "s/.*\"$1\": *\([-+.0-9e]*\).*/\1/p" | head -n 1; }

printf '\nA tuned run on five splits, %s threads, load %s\n\n' "$threads" \
    "$(cut -d' ' -f1 /proc/loadavg)"
echo '| data | lcm-em | seconds | GCN in PyTorch | seconds | ratio |'
echo '|------|-------:|--------:|---------------:|--------:|------:|'
for set in "$@"; do
    [ -d "$data/$set" ] || { echo "skipped: no $data/$set" >&2; continue; }
    began=$(date +%s%N)
    ours=$("$build/kith" eval "$data/$set" --methods lcm-em --threads "$threads" \
        --splits "${splits// /,}" -q --json | field mean)
    seconds=$(awk -v ns=$(($(date +%s%N) - began)) 'BEGIN { printf "%.1f", ns / 1e9 }')
    theirs='{}' status=0
    [ -z "$python" ] ||
        theirs=$(cd "$here" && timeout "${LIMIT:-0}" "$python" tuned_torch.py "$data/$set" \
            "$threads" $splits) || status=$?
    [ "$status" -ne 124 ] || theirs="{\"seconds\": $LIMIT}" # it ran out of time
    awk -v set="$set" -v a="$ours" -v s="$seconds" -v b="$(echo "$theirs" | field accuracy)" \
        -v t="$(echo "$theirs" | field seconds)" 'BEGIN {
        more = b == "" ? "> " : ""
        printf "| %s | %.4f | %s | %s | %s | %s |\n", set, a, s, b == "" ? "-" : sprintf("%.4f", b),
            t == "" ? "-" : sprintf("%s%.1f", more, t),
            t == "" ? "-" : sprintf("%s%.1fx", more, t / s) }'
done
