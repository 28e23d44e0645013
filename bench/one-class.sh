#!/bin/sh
# one-class.sh KITH [SHARED_DATA]: does a list rank as well without negatives?
# For each graph the AUC on test nodes, learning from the positives of the
# training nodes alone, beside methods that learn from all of them.  Labels
# only: no features.
set -eu
kith=$1
shared=${2:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# compare NAME FOLDER POSITIVE SPLIT...: FOLDER has edges and labels.tsv
compare() {
    name=$1 folder=$2 positive=$3
    shift 3
    rm -rf "$tmp/d"
    mkdir -p "$tmp/d"
    for f in edges.tsv edges.tsv.gz graph.kg; do
        if [ -f "$folder/$f" ]; then ln -s "$folder/$f" "$tmp/d/$f"; fi
    done
    # the positive class last, as the AUC is of the second of two
    awk -F '\t' -v p="$positive" '!/^[#%]/ { print $1 "\t" ($2 == p) }' \
        "$folder/labels.tsv" >"$tmp/d/labels.tsv"
    both='' alone=''
    for s; do
        b=$(basename "$s")
        mkdir -p "$tmp/d/splits/$b" "$tmp/d/splits/alone-$b"
        cp "$s/train.txt" "$s/test.txt" "$tmp/d/splits/$b/"
        cp "$s/test.txt" "$tmp/d/splits/alone-$b/"
        awk -F '\t' 'NR == FNR { if ($2 == 1) is[$1]; next } $1 in is' \
            "$tmp/d/labels.tsv" "$s/train.txt" >"$tmp/d/splits/alone-$b/train.txt"
        both=$both,$b alone=$alone,alone-$b
    done
    "$kith" eval "$tmp/d" --splits "${alone#,}" --methods linbp --json -q >"$tmp/one"
    "$kith" eval "$tmp/d" --splits "${both#,}" --methods linbp,lcm --json -q >"$tmp/two"
    first=$(wc -l <"$tmp/d/splits/alone-$(basename "$1")/train.txt")
    hidden=$(awk -F '\t' 'NR == FNR { known[$1]; next }
        !($1 in known) { n++; p += $2 } END { printf "%.3f", p / n }' \
        "$tmp/d/splits/alone-$(basename "$1")/train.txt" "$tmp/d/labels.tsv")
    printf '| %s | %d |' "$name" "$first"
    python3 - "$tmp/one" "$tmp/two" "$hidden" <<'P'
import json, sys
one, two = (json.load(open(f))["results"] for f in sys.argv[1:3])
shares = [t["params"].get("prevalence") for t in one[0]["trials"]]
told = [s for t, s in zip(one[0]["trials"], shares)
        if t["params"]["prevalence_from"] != "not known"]
ece = [t["ece"] for t in one[0]["trials"] if t["ece"] is not None]
print(" %.3f | %s | %s | %s | %s |" % (
    one[0]["auc"],
    " | ".join("%.3f" % r["auc"] for r in two), sys.argv[3],
    "%.3f" % (sum(told) / len(told)) if told else "not told",
    "%.3f" % (sum(ece) / len(ece)) if ece else ""))
P
}

printf '| graph | known | one class | linbp, both | lcm, both | share | told | ECE |\n'
printf '|---|---|---|---|---|---|---|---|\n'
if [ -n "$shared" ]; then
    compare facebook_sybil "$shared/facebook_sybil" 1 "$shared/facebook_sybil/splits/public"
    compare polblogs "$shared/polblogs" 1 "$shared"/polblogs/splits/paper-[0-4]
    compare tolokers "$shared/tolokers" 1 "$shared"/tolokers/splits/[0-2]
    compare "Cora, class 3" "$shared/cora" 3 "$shared"/cora/splits/paper-[0-4]
fi
generated() { # NAME POSITIVE OPTIONS...
    name=$1 positive=$2
    shift 2
    "$kith" graph generate "$@" --seed 3 -q -o "$tmp/g/"
    # a fifth of the nodes, drawn at random, is known
    mkdir -p "$tmp/g/splits/fifth"
    awk -F '\t' -v out="$tmp/g/splits/fifth" 'BEGIN { srand(7) } !/^[#%]/ {
        print $1 > (out (rand() < .2 ? "/train.txt" : "/test.txt")) }' "$tmp/g/labels.tsv"
    compare "$name" "$tmp/g" "$positive" "$tmp/g/splits/fifth"
    rm -rf "$tmp/g"
}
generated "like google-plus" 1 --like google-plus --scale .003
generated "like twitter" 1 --like twitter --scale .002
generated "communities, 5 % positive" 1 sbm --nodes 10000 --classes 2 --rare .05 \
    --homophily .96 --degree 10
generated "communities, weak" 1 sbm --nodes 10000 --classes 2 --rare .3 \
    --homophily .75 --degree 10
