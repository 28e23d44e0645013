#!/bin/bash
# shuffles.sh: the same data in another order of lines, and its nodes under
# other numbers, for every method.  `new` is the same answer, `mixed` another
# one.  FAULTS=short: fewer data sets and methods.
#
# A network's epoch is chosen by accuracy on a few nodes, one of which may stand
# between two classes but for rounding: where answers differ, what counts is
# whether they do after as many epochs.
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

# answer DATA LABELS METHOD [OPTIONS]: the table in DATA.tsv.  Five minutes of
# processor time are too long, or a quarter of an hour: others may use it, too.
answer() (
    data=$1 labels=$2 method=$3
    shift 3
    ulimit -S -t 300
    exec timeout 900 "$KITH" classify "$data" --labels "$labels" \
        --method "$method" "$@" -q -o "$data.tsv"
)

# few METHOD: as tests/cli/shuffle.test, what is drawn is seen in few epochs
few() {
    case $1 in
    gcn | sgc | appnp | cheb | sage | gat | manireg | semiemb | planetoid*)
        echo --iterations 20 ;;
    deepwalk) echo --iterations 2 ;;
    esac
}

# same SET DATA METHOD: are the answers that were given the same, or would be?
same() {
    why=$(other_answer "$1.a.tsv" "$2.tsv") && return
    case $(few "$3") in *20) ;; *) return 1 ;; esac
    echo "shuffles: $3, $2: $why; after as many epochs?" >&2
    mv "$1.a.tsv" kept.tsv
    answer "$1.a" "$1.a/known.tsv" "$3" --no-tune --iterations 20
    answer "$2" "$1.a/known.tsv" "$3" --no-tune --iterations 20
    why=$(other_answer "$1.a.tsv" "$2.tsv")
    set -- $? "$1"
    mv kept.tsv "$2.a.tsv"
    return "$1"
}

tried=0 new=0 mixed=0 crash=0 hang=0 left=0

# try SET METHOD: both others beside the first
try() {
    # shellcheck disable=SC2046 # words
    answer "$1.a" "$1.a/known.tsv" "$2" $(few "$2")
    for data in "$1.b" "$1.c.kg"; do
        tried=$((tried + 1))
        # shellcheck disable=SC2046
        answer "$data" "$1.a/known.tsv" "$2" $(few "$2")
        case $? in
        0) if same "$1" "$data" "$2"; then
            new=$((new + 1))
        else
            mixed=$((mixed + 1))
            echo "shuffles: $2, $data: $why" >&2
        fi ;;
        124 | 152) hang=$((hang + 1)) ;;
        *) crash=$((crash + 1)) ;;
        esac
    done
}

for set in $sets; do
    for method in $methods; do
        case $method in
        logreg | trees | lcm-trees) [ -f "$set.a/features.mtx" ] || continue ;;
        esac
        if [ -n "${UNTIL:-}" ] && [ "$(date +%s)" -ge "$UNTIL" ]; then
            left=$((left + 2))
        else
            try "$set" "$method"
        fi
    done
done
echo $left >>"${LEFT_OUT:-/dev/null}"
printf 'classify, each of %d methods\tshuffled lines, other numbers\t%d\t0\t%d\t%d\t0\t0\t%d\t%d\n' \
    "$(echo "$methods" | wc -w)" "$tried" "$new" "$mixed" "$crash" "$hang"
