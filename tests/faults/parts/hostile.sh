#!/bin/sh
# hostile.sh: bits flipped in built graphs and models, for every command that
# opens them; with checksums left as they were, and with those that match.  Run
# by tests/faults/run.sh; prints rows of its table.
set -u

flips=$BUILD/tests/faults/flips
# Every nth bit of the header, and so many of the sections, for each command.
case $FAULTS in
full) every=8 sample=300 ;;
*) every=100 sample=25 ;;
esac
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
export ASAN_OPTIONS="exitcode=99:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="exitcode=99:${UBSAN_OPTIONS:-}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2

"$KITH" graph generate sbm --nodes 60 --edges 240 --classes 3 --features 20 \
    --words 4 --train 5 --val 4 --test 8 -o g.kg -q || exit 2
"$KITH" graph build g.kg --order degree -o good.kg -q || exit 2
for method in linbp lcm lcm-em lp gcn; do
    "$KITH" classify good.kg --split g.splits/0 --method "$method" \
        --save "$method.km" -q || exit 2
done

# Each of the rows that a list of them has left gets its share of the time.
last=${UNTIL:-}
share() {
    [ -n "$last" ] || return 0
    UNTIL=$(date +%s)
    UNTIL=$((UNTIL + (last - UNTIL) / left))
    export UNTIL
    left=$((left - 1))
}

# row FILE SEED "WHAT" COMMAND...: @ in the command is the flipped copy.  Header
# bits differ from one command to the next: eight in a row see them all.
row() {
    file=$1 seed=$2 what=$3
    shift 3
    for mend in 0 1; do
        kind="bit flipped"
        [ $mend = 0 ] || kind="bit flipped, checksums mended"
        share
        counts=$("$flips" "$file" "@$seed" $mend $every $sample "$seed" \
            "$@") || exit 2
        printf '%s\t%s\t%s\n' "$what" "$kind" "$counts" >"row-$seed-$mend"
    done
    rm -f "@$seed"
}

# Two at a time.
graphs() {
    file=good.kg
    left=20
    n=1
    for method in linbp lcm lp gcn; do
        row $file $n "classify --method $method" "$KITH" classify "@$n" \
            --split g.splits/0 --method $method --no-tune -q -o /dev/null
        n=$((n + 1))
    done
    row $file 5 "graph info" "$KITH" graph info @5
    row $file 6 "graph convert" "$KITH" graph convert @6 out6.tsv -q
    row $file 7 "graph build" "$KITH" graph build @7 -o out7.kg -q
    row $file 8 "rank" "$KITH" rank @8 --split g.splits/0 --positive 1 \
        --method linbp --no-tune -q -o /dev/null
    row $file 9 "eval" "$KITH" eval @9 --methods linbp,lp --trials 1 \
        --train-per-class 5 --val 10 -q
    row $file 10 "predict" "$KITH" predict --model lcm.km @10 -q -o /dev/null
}
others() {
    left=22
    row good.kg 11 "explain" "$KITH" explain lcm.km 7 --graph @11
    row good.kg 12 "suggest" "$KITH" suggest lcm.km --graph @12 -n 3
    row good.kg 13 "report" "$KITH" report lcm.km --graph @13 -o out13.html -q
    n=14
    for method in linbp lcm lcm-em lp gcn; do
        row $method.km $n "predict ($method model)" "$KITH" predict \
            --model "@$n" good.kg -q -o /dev/null
        n=$((n + 1))
    done
    row lcm-em.km 19 "explain (lcm-em model)" "$KITH" explain @19 7 --graph good.kg
    row lcm.km 20 "suggest (lcm model)" "$KITH" suggest @20 --graph good.kg -n 3
    row gcn.km 21 "report (gcn model)" "$KITH" report @21 --graph good.kg \
        -o out21.html -q
}
graphs &
others
wait $! || exit 2
n=1
while [ -f "row-$n-0" ]; do
    cat "row-$n-0" "row-$n-1"
    n=$((n + 1))
done
[ $n = 22 ] # all of them
