#!/bin/sh
# lcm-price.sh KITH [SCALE]: what learning costs beside propagating: LCM with 4
# alternations of 4 steps against LinBP with as many propagations, on a graph
# like Google+.  Both run in turn, three times, each twice in a row of which the
# second counts (memory that a machine has not given out for a while is dear to
# touch), and the least of each is told; the ratio is what matters.
set -eu
kith=$1
scale=${2:-1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$kith" graph generate --like google-plus --scale "$scale" -q -o "$tmp/g.kg"
"$kith" graph build "$tmp/g.kg" -q -o "$tmp/built.kg"
# seconds METHOD PROPAGATIONS: of training alone, reading left out
seconds() {
    "$kith" eval "$tmp/built.kg" --labels "$tmp/g.labels.tsv" --methods "$1" --splits "$tmp/g.splits/0" \
        --no-tune --iterations "$2" --tolerance 0 --json -q |
        sed -n 's/.*"seconds": \([0-9.e+-]*\).*/\1/p' | head -n 1
}
for propagations in 5 10 20 50; do
    : >"$tmp/times"
    for round in 1 2 3; do
        for method in linbp lcm; do
            seconds $method $propagations >/dev/null
            seconds $method $propagations
        done | paste -sd ' ' >>"$tmp/times"
    done
    awk -v k=$propagations '
        NR == 1 || $1 < a { a = $1 }
        NR == 1 || $2 < b { b = $2 }
        END { printf "%2d propagations: linbp %.2f s, lcm %.2f s, ratio %.2f\n",
              k, a, b, b / a }' "$tmp/times"
done
