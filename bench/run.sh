#!/usr/bin/env bash
# All benchmarks, to the screen and to BUILD_DIR/bench.md.
# Usage: bench/run.sh [BUILD_DIR]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../build}" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kith-bench-XXXXXX")
trap 'rm -rf "$tmp"' EXIT

opening() {
    local g=$tmp/g.kg
    "$build/kith" graph generate rmat --rmat-scale 20 --edges 1e7 -q -o "$g"
    printf '\nOpening a built graph, R-MAT with 10 million edges drawn, %d MB: %s ms\n' \
        $(($(stat -c %s "$g") / 1000000)) "$("$build/bench/bench_methods" --open "$g")"
}

# A step over the edges at growing sizes, then beside peers.
steps() {
    local g=$tmp/rmat.kg
    "$build/kith" bench --max-edges "${MAX_EDGES:-1e7}"
    "$build/kith" graph generate rmat --rmat-scale 20 --edges 1e7 -q -o "$g"
    "$here/peers.sh" "$build" "$g" $(ls -d "$here/../../shared/data/cnr2000" 2> /dev/null)
}

all() {
    "$here/ingest.sh" "$build/kith"
    opening
    "$here/methods.sh" "$build"
    "$here/tuned.sh" "$build" cora
    steps
}

set -o pipefail
all | tee "$build/bench.md"
