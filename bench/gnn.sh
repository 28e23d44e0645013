#!/usr/bin/env bash
# A training epoch of gcn and gat beside the same models in PyTorch
# (bench/gnn_torch.py), in one run, on Pubmed.  Ours is the difference between
# two runs with more and fewer epochs, so that reading and setting up are out.
# Not a part of bench/run.sh: PyTorch is large.
# Usage: bench/gnn.sh BUILD_DIR
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
data=${DATA:-$here/../../shared/data/pubmed}
threads=${THREADS:-2}
epochs=${EPOCHS:-40}
[ -d "$data" ] || { echo "skipped: no $data"; exit 0; }
python=
/usr/bin/python3 -c 'import torch' 2> /dev/null && python=/usr/bin/python3 ||
    echo "skipped: python3-torch is not installed"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kith-bench-XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# seconds METHOD EPOCHS SPLITS...: of a fit
seconds() {
    local method=$1 n=$2
    shift 2
    "$build/kith" eval "$data" --methods "$method" "$@" --no-tune --iterations "$n" \
        --threads "$threads" -q --json | sed -n 's/.*"seconds": *\([0-9.e-]*\).*/\1/p' | tail -n 1
}
# epoch METHOD SPLITS...: milliseconds, the least of three differences
epoch() {
    local method=$1 i
    shift
    for i in 1 2 3; do
        echo "$(seconds "$method" 5 "$@") $(seconds "$method" $((epochs + 5)) "$@")"
    done | awk -v n="$epochs" '{ t = 1e3 * ($2 - $1) / n; if (NR == 1 || t < m) m = t }
        END { printf "%.2f", m }'
}

: > "$tmp/torch"
[ -z "$python" ] || "$python" "$here/gnn_torch.py" "$data" paper-0 "$threads" \
    "$epochs" > "$tmp/torch"
printf '\nA training epoch on Pubmed: milliseconds, %s threads, load %s\n\n' \
    "$threads" "$(cut -d' ' -f1 /proc/loadavg)"
echo '| model | ours | ours, every row needed | PyTorch | ratio | ratio, every row |'
echo '|-------|-----:|-----------------------:|--------:|------:|-----------------:|'
for method in gcn gat; do
    few=$(epoch "$method" --splits paper-0)
    many=$(epoch "$method" --train-per-class 4000 --val 0 --trials 1 --seed 1)
    awk -v m="$method" -v a="$few" -v b="$many" -v t="$(sed -n \
        "s/.*\"name\": \"$method\", \"seconds\": \([-+.0-9e]*\).*/\1/p" "$tmp/torch")" 'BEGIN {
        printf "| %s | %s | %s | %s | %s | %s |\n", m, a, b,
            t == "" ? "-" : sprintf("%.1f", 1e3 * t),
            t == "" ? "-" : sprintf("%.1fx", 1e3 * t / a),
            t == "" ? "-" : sprintf("%.1fx", 1e3 * t / b) }'
done
