#!/usr/bin/env bash
# `kith bench` with peers beside it, in one run on the same graphs:
# SuiteSparse:GraphBLAS, SciPy and PyTorch, each W X alone, as the input lists
# the nodes; what is not installed is skipped by name.
# Usage: bench/peers.sh BUILD_DIR GRAPH...    GRAPH: what `kith graph build` reads
# Environment: CLASSES (2), REPEATS (5), THREADS (all), OUT (BUILD_DIR/bench)
set -eu
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
classes=${CLASSES:-2} repeats=${REPEATS:-5} threads=${THREADS:-$(nproc)}
out=${OUT:-$build/bench}
python=/usr/bin/python3
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kith-peers-XXXXXX")
trap 'rm -rf "$tmp"' EXIT
peers=$tmp/peers.jsonl
: > "$peers"

skip() { printf '{"peer": "%s", "skipped": "%s is not installed"}\n' "$1" "$2" >> "$peers"; }
has() { "$python" -c "import $1" 2> /dev/null; }

graphblas=
if "${CC:-cc}" -O2 -o "$tmp/graphblas" "$here/peer_graphblas.c" -lgraphblas -lm 2> "$tmp/cc.log"; then
    graphblas=$tmp/graphblas
else
    skip GraphBLAS libgraphblas-dev
fi
wanted=
for one in scipy torch; do
    if has $one; then wanted="$wanted $one"; else skip $one python3-$one; fi
done

graphs=
for g in "$@"; do
    name=$(basename "$g" .kg)
    "$build/kith" graph build "$g" -o "$tmp/listed.kg" --order input -q
    begun=$(date +%s.%N)
    "$build/kith" graph build "$tmp/listed.kg" -o "$tmp/$name.kg" -q
    ended=$(date +%s.%N)
    # the same without numbering is what reading, checking and writing cost
    "$build/kith" graph build "$tmp/listed.kg" -o "$tmp/copy.kg" --order input -q
    awk -v name="$name" -v a="$begun" -v b="$ended" -v c="$(date +%s.%N)" 'BEGIN {
        printf "%s: built with --order auto in %.1f s, with --order input in %.1f s\n",
            name, b - a, c - b }'
    rm "$tmp/copy.kg"
    [ -z "$graphblas" ] ||
        "$graphblas" "$tmp/listed.kg" "$name" "$classes" "$repeats" "$threads" >> "$peers"
    for one in $wanted; do
        "$python" -W ignore "$here/peers_python.py" $one "$tmp/listed.kg" "$name" "$classes" \
            "$repeats" "$threads" >> "$peers"
    done
    rm "$tmp/listed.kg"
    graphs=${graphs:+$graphs,}$tmp/$name.kg
done
"$build/kith" bench "$graphs" --classes "$classes" --repeats "$repeats" --threads "$threads" \
    --peers "$peers" -o "$out" -q
