#!/bin/sh
# rank.sh KITH [SHARED_DATA]: does `kith rank --precision 0.9` keep its word?
# On a generated graph with 0.6 % positives, of which a tenth of the nodes, drawn
# at random, is labelled; and on facebook_sybil if it is there.
set -eu
kith=$1
shared=${2:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$kith" graph generate sbm --nodes 200000 --classes 2 --rare 0.006 \
    --homophily 0.996 --degree 20 --seed 1 -q -o "$tmp/g"
awk -v out="$tmp" 'BEGIN { srand(7) }
    { print > (out (rand() < .1 ? "/known.tsv" : "/truth.tsv")) }' \
    "$tmp/g/labels.tsv"
for method in linbp lcm; do
    "$kith" rank "$tmp/g" --labels "$tmp/known.tsv" --positive 1 --balance \
        --method $method --precision 0.9 -q -o "$tmp/list.tsv"
    awk -F '\t' -v method=$method '
        NR == FNR { truth[$1] = $2; all += $2 == 1; next }
        FNR > 1 { n++; hit += truth[$2] == 1 }
        END { printf "generated, 0.6 %% positive, %s: %d listed, precision %.4f, recall %.4f\n",
              method, n, hit / n, hit / all }' "$tmp/truth.tsv" "$tmp/list.tsv"
done
if [ -n "$shared" ] && [ -d "$shared/facebook_sybil" ]; then
    for method in linbp lcm; do
        "$kith" rank "$shared/facebook_sybil" --split public --positive 1 --balance \
            --method $method --precision 0.9 |
            awk -v m=$method '/^Test/ { t = 1 } t && /precision|recall/ {
                print "facebook_sybil, " m ":" $0; if (/recall/) exit }'
    done
fi
