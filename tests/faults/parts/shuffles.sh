#!/bin/sh
# shuffles.sh: the same data in another order of lines, and its nodes under
# other numbers, for every method.  `new` is the same answer, `mixed` another
# one.  FAULTS=short: fewer data sets and methods.
set -u
. "$TESTS/faults/shuffled.sh"

"$KITH" graph generate sbm --nodes 300 --edges 1200 --classes 3 \
    --homophily 0.7 --features 60 --seed 5 -q -o made
"$KITH" graph convert made/graph.kg sbm -q
named "$DATA/karate" karate.a
named sbm sbm.a
sets="karate sbm"
if [ "$FAULTS" = full ]; then
    for set in texas polblogs; do
        [ -d "$SHARED/$set" ] || { echo "shuffles: no data set $set" >&2; continue; }
        named "$SHARED/$set" "$set.a"
        sets="$sets $set"
    done
    methods=$("$KITH" methods | cut -f1)
else
    methods="linbp lcm lcm-em gcn deepwalk"
fi

for set in $sets; do
    shuffled "$set.a" "$set.b" 1
    "$KITH" graph build "$set.b" --order degree -q -o "$set.c.kg"
done

# answer DATA LABELS METHOD: the table in DATA.tsv.
answer() {
    timeout 300 "$KITH" classify "$1" --labels "$2" --method "$3" -q -o "$1.tsv"
}

tried=0 new=0 mixed=0 crash=0 hang=0
for method in $methods; do
    for set in $sets; do
        [ "$method" != logreg ] || [ -f "$set.a/features.mtx" ] || continue
        answer "$set.a" "$set.a/known.tsv" "$method"
        for data in "$set.b" "$set.c.kg"; do
            tried=$((tried + 1))
            answer "$data" "$set.a/known.tsv" "$method"
            case $? in
            0) if why=$(other_answer "$set.a.tsv" "$data.tsv"); then
                new=$((new + 1))
            else
                mixed=$((mixed + 1))
                echo "shuffles: $method, $data: $why" >&2
            fi ;;
            124) hang=$((hang + 1)) ;;
            *) crash=$((crash + 1)) ;;
            esac
        done
    done
done
printf 'classify, each of %d methods\tshuffled lines, other numbers\t%d\t0\t%d\t%d\t0\t0\t%d\t%d\n' \
    "$(echo "$methods" | wc -w)" "$tried" "$new" "$mixed" "$crash" "$hang"
