#!/usr/bin/env bash
# Text to a built graph, beside mawk (which only adds the numbers up) and
# numpy.loadtxt + SciPy, all in one run on a warm cache, each the whole command.
# Usage: bench/ingest.sh KITH [EDGES.tsv]
set -eu
kith=$1
here=$(cd "$(dirname "$0")" && pwd)
rounds=${ROUNDS:-7}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kith-bench-XXXXXX")
trap 'rm -rf "$tmp"' EXIT

real=$here/../../shared/data/cnr2000/edges.tsv.gz
if [ $# -gt 1 ]; then
    name=$(basename "$2"); cat "$2" > "$tmp/in.tsv"
elif [ -r "$real" ]; then
    name=cnr2000; zcat "$real" > "$tmp/in.tsv"
else
    name="generated R-MAT"
    "$kith" graph generate rmat --rmat-scale 18 --edges 2740000 -q -o "$tmp/g.kg"
    "$kith" graph convert "$tmp/g.kg" "$tmp/in.tsv" -q
fi

# Microseconds of one run of a command, its output dropped.  What is written is
# a new file, not one that replaces the last.
once() {
    rm -f "$tmp/out.kg" "$tmp/copy.tsv"
    local t0=${EPOCHREALTIME/[.,]/} t1
    "$@" > /dev/null
    t1=${EPOCHREALTIME/[.,]/}
    echo $((t1 - t0))
}

build2() { "$kith" graph build "$tmp/in.tsv" -o "$tmp/out.kg" --threads 2 -q; }
build1() { "$kith" graph build "$tmp/in.tsv" -o "$tmp/out.kg" --threads 1 -q; }
adder() { mawk '{s+=$1+$2}' "$tmp/in.tsv"; }
scipy() { /usr/bin/python3 "$here/ingest_scipy.py" "$tmp/in.tsv"; }
copy() { cp "$tmp/in.tsv" "$tmp/copy.tsv"; sync "$tmp/copy.tsv"; }

peers="build2 build1 copy"
command -v mawk > /dev/null && peers="$peers adder" || echo "skipped: mawk is not installed"
/usr/bin/python3 -c 'import scipy.sparse' 2> /dev/null && peers="$peers scipy" ||
    echo "skipped: python3-scipy is not installed"

# In turn, so that a noisy moment hits all of them, and each twice in a row, of
# which the second counts: warm, whatever went before.  The median is shown.
for _ in $(seq "$rounds"); do
    for p in $peers; do
        once "$p" > /dev/null
        once "$p" >> "$tmp/$p.us"
    done
done
median() { sort -n "$tmp/$1.us" | sed -n "$(((rounds + 1) / 2))p"; }

ours=$(median build2)
bytes=$(stat -c %s "$tmp/in.tsv")
printf '\nText to a built graph: %s, %d MB, %d lines, median of %d\n\n' "$name" \
    $((bytes / 1000000)) "$(wc -l < "$tmp/in.tsv")" "$rounds"
printf '| %-44s | %8s | %7s |\n|%s|%s|%s|\n' command ms ratio \
    ---------------------------------------------- ---------: --------:
row() {
    [ -f "$tmp/$1.us" ] || return 0
    local t; t=$(median "$1")
    printf '| %-44s | %8.1f | %6.1fx |\n' "$2" "$(echo "$t" | awk '{print $1/1000}')" \
        "$(echo "$t $ours" | awk '{print $1/$2}')"
}
row build2 'kith graph build, 2 threads, synced to disk'
row build1 'kith graph build, 1 thread'
row copy 'cp of the text, synced to disk'
row adder "mawk '{s+=\$1+\$2}'"
row scipy 'python3: numpy.loadtxt + SciPy CSR'
