#!/bin/sh
# demo.sh [KITH]: a first look at the command, on a table and a small graph.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
kith=$(realpath "${1:-$root/build/kith}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
cd "$tmp"
ln -s "$root/data" data

bold= plain=
if [ -t 1 ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
now() { date +%s%N; }

# Show a command as one would type it, run it, and say how long it took.
run() {
    printf '\n%s$ kith %s%s\n' "$bold" "$*" "$plain"
    began=$(now)
    "$kith" "$@" 2>&1
    took=$((($(now) - began) / 1000000))
    printf '%s(%d.%03d s)%s\n' "$bold" $((took / 1000)) $((took % 1000)) "$plain"
}

# compare OUT LABELS: how many predictions are right, and the first few wrong.
compare() {
    awk -F '\t' '
        NR == FNR { if ($1 !~ /^#/) truth[$1] = $2; next }
        FNR > 1 {
            n++
            if (truth[$1] == $2) { right++; next }
            if (++wrong <= 3)
                printf "  node %s: %s (%.2f), in truth %s\n", $1, $2, $3, truth[$1]
        }
        END { printf "  %d of %d nodes are labelled right\n", right, n }' "$2" "$1"
}

say '1. 2,600 card payments, a third of them looked into: yes or no under "fraud"'
head -4 data/transactions.csv
run graph build --table data/transactions.csv --id id --link card,shop \
    --time minute --label fraud --features all --history yes -o tx.kg

say '2. The 50 that should be looked at first, and one of them: why?'
run rank tx.kg --positive yes --budget 50 -o list.csv
head -4 list.csv
run classify tx.kg --method linbp --save tx.km --report report.html -o out.csv
run explain tx.km "$(sed -n '2s/^1,\([^,]*\).*/\1/p' list.csv)" --graph tx.kg

say '3. A generated graph: 2000 nodes, 4 planted classes, 200 features'
run graph generate sbm --nodes 2000 --classes 4 --homophily 0.7 --degree 8 \
    --features 200 --words 8 --signal 0.3 --seed 1 -o sbm
say '   Label all of them from 20 known nodes per class:'
run classify sbm --split 0 -o sbm.tsv
compare sbm.tsv sbm/labels.tsv

say '4. Which method is best there, on identical splits?'
run eval sbm --methods logreg,linbp,lcm,lcm-em,gcn --train-per-class 20 --val 200 --trials 3 --seed 1

say 'Next: build/kith --help, and README.md'
