#!/usr/bin/env bash
# What share of test nodes sets of classes hold, and how many classes they have:
# the table of docs/coverage.md.
# Usage: bench/coverage.sh [METHODS [COVERAGE]]
# METHODS parted by commas; data sets of ../shared/data that are not there are
# left out.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kith=${KITH:-$here/../build/kith}
data=${SHARED:-$here/../../shared/data}
methods=${1:-linbp}
coverage=${2:-0.9}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kith-coverage-XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# row SET SPLITS: a line per method
row() {
    [ -d "$data/$1" ] || return 0
    "$kith" eval "$data/$1" --methods "$methods" --splits "$2" \
        --coverage "$coverage" --threads "${THREADS:-1}" -q --json > "$tmp/json"
    python3 - "$1" "$tmp/json" << 'END'
import json, math, sys
for r in json.load(open(sys.argv[2]))["results"]:
    c = [t["coverage"] for t in r["trials"]]
    n = sum(t["nodes"] for t in c)
    held = sum(t["measured"] * t["nodes"] for t in c) / n
    size = sum(t["mean_size"] * t["nodes"] for t in c) / n
    empty = sum(t["empty"] for t in c) / n
    full = sum(t["full"] for t in c) / n
    z = 1.96 * math.sqrt(held * (1 - held) / n)
    print(f"| {sys.argv[1]} | {r['method']} | {len(c)} x {n // len(c)} | "
          f"{r['accuracy']['mean']:.3f} | {held:.3f} ({held - z:.3f} to "
          f"{held + z:.3f}) | {size:.2f} | {empty:.3f} | {full:.3f} |",
          flush=True)
END
}

echo "| data set | method | splits x test nodes | accuracy | held, of $coverage |" \
    "mean size | empty | full |"
echo "|---|---|---|---|---|---|---|---|"
for d in cora citeseer cora_ml polblogs pubmed nell; do
    row "$d" paper-0..4
done
for d in actor chameleon_filtered squirrel_filtered cornell texas; do
    row "$d" 0..9
done
row tolokers 0..2
