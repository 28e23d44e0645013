#!/bin/sh
# hostile.sh: bits flipped in built graphs, models and solutions, for every
# command that opens them, with checksums left as they were, and with those that
# match; and in text and what else has none, for each reader.  Run by
# tests/faults/run.sh; prints rows of its table.
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
for method in linbp lp gcn; do
    "$KITH" classify good.kg --split g.splits/0 --method "$method" \
        --save "$method.km" -q || exit 2
done

# The same graph in other words; what is packed holds a table of edges.
"$KITH" graph convert good.kg edges.tsv -q || exit 2
{ echo "from,to,amount" && sed 's/	/,/; s/$/,2/' edges.tsv; } >table.csv
gzip -kn edges.tsv && zstd -q edges.tsv -o edges.tsv.zst
for format in npz mtx; do
    "$KITH" graph convert good.kg g.$format -q || exit 2
done
awk 'BEGIN { print "{\"nodes\": [" }
    NR <= 60 { printf "%s{\"id\": \"%d\"}\n", (NR > 1 ? "," : ""), NR - 1 }
    { links = links "" (NR > 1 ? "," : "") "{\"source\": \"" $1 "\", \"target\": \"" $2 "\"}\n" }
    END { print "], \"links\": [" links "]}" }' edges.tsv >g.json
{
    echo '<?xml version="1.0"?><graphml><graph edgedefault="undirected">'
    seq 0 59 | sed 's|.*|<node id="&"/>|'
    sed 's|\(.*\)	\(.*\)|<edge source="\1" target="\2"/>|' edges.tsv
    echo '</graph></graphml>'
} >g.graphml
{
    echo '<?xml version="1.0"?><gexf version="1.2"><graph><nodes>'
    seq 0 59 | sed 's|.*|<node id="&" label="n"/>|'
    echo '</nodes><edges>'
    sed 's|\(.*\)	\(.*\)|<edge source="\1" target="\2"/>|' edges.tsv
    echo '</edges></graph></gexf>'
} >g.gexf
awk 'BEGIN { print "id,card,shop,amount,class" }
    { print NR "," $1 "," $2 "," NR % 17 ".5," (NR % 5 ? "" : NR % 2 ? "x" : "y") }' \
    edges.tsv >rows.csv
seq 0 2 59 | awk '{ print $1 "\t" $1 % 3 }' >arrived.tsv
for method in lcm lcm-em; do
    "$KITH" classify good.kg --split g.splits/0 --method $method -q \
        --save $method.km --save-solution $method.ks || exit 2
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
    for mend in $mends; do
        kind="bit flipped"
        [ $mend != 1 ] || kind="bit flipped, checksums mended"
        share
        counts=$("$flips" "$file" "@$seed" $mend $every $sample "$seed" \
            "$@") || exit 2
        printf '%s\t%s\t%s\n' "$what" "$kind" "$counts" >"row-$seed-$mend"
    done
    rm -f "@$seed"
}

# Three at a time.
mends="0 1"
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
    left=26
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
    row lcm.ks 22 "explain (lcm solution)" "$KITH" explain lcm.km 7 \
        --graph good.kg --solution @22
    row lcm-em.ks 23 "suggest (lcm-em solution)" "$KITH" suggest lcm-em.km \
        --graph good.kg --solution @23 -n 3
}
texts() {
    mends=text
    left=13
    n=24
    for file in edges.tsv.gz edges.tsv.zst table.csv g.npz g.mtx g.json \
        g.graphml g.gexf; do
        # what the command was built without it cannot open
        if "$KITH" graph info $file >/dev/null 2>&1; then
            row $file $n "graph build, of .${file#*.}" "$KITH" graph build @$n \
                -o out$n.kg -q
        fi
        n=$((n + 1))
    done
    row table.csv 32 "graph build --source --target --time" "$KITH" graph build \
        @32 --source from --target 2 --time amount -o out32.kg -q
    row rows.csv 33 "classify --table" "$KITH" classify --table @33 --link card \
        --label class --features all --history yes --method linbp --no-tune \
        -q -o /dev/null
    row rows.csv 34 "graph build --table" "$KITH" graph build --table @34 \
        --link card,shop --link-as hub --id id -o out34.kg -q
    row arrived.tsv 35 "predict --labels" "$KITH" predict --model lcm.km good.kg \
        --labels @35 -q -o /dev/null
    row arrived.tsv 36 "rank --labels" "$KITH" rank good.kg --labels @36 \
        --positive 1 --method linbp --no-tune -q -o /dev/null
}
graphs &
first=$!
texts &
others
wait $! || exit 2
wait $first || exit 2
for n in $(seq 36); do
    cat row-$n-* 2>/dev/null
done
[ -f row-10-1 ] && [ -f row-23-1 ] && [ -f row-36-text ] # all of them
