#!/usr/bin/env bash
# What a change did to lcm-em (or METHOD): one build beside another on the same
# splits, in one run: accuracy, AUC, and seconds of the processor, user and
# system, by one thread.  Every choice is made on validation nodes.
# Usage: bench/effort.sh BUILD_BEFORE BUILD_AFTER [DATA_SET:SPLITS...]
# FIT=train (as eval has it) or train+val.
set -eu
before=$1
after=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
data=${DATA:-$here/../../shared/data}
method=${METHOD:-lcm-em}
fit=${FIT:-train}
[ $# -gt 0 ] || set -- cora:paper-0..4 citeseer:paper-0..4 pubmed:paper-0..4 \
    nell:paper-0..4 chameleon_filtered:0..9 tolokers:0..9 texas:0..9
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run BUILD SET SPLITS: "accuracy auc seconds"
run() {
    ( TIMEFORMAT='%U %S'
        time "$1/kith" eval "$data/$2" --methods "$method" --splits "$3" \
            --fit "$fit" --threads 1 -q --json >"$work/json" ) 2>"$work/time"
    awk 'FNR == NR { if (/"accuracy": {/) mean = 1
            if (mean && a == "" && /"mean":/) a = $2 + 0
            if (u == "" && /"auc": *[0-9]/) u = sprintf("%.4f", $2)
            next }
        { t = $1 + $2 }
        END { printf "%.4f %s %.1f\n", a, u == "" ? "-" : u, t }' \
        "$work/json" "$work/time"
}

printf '\n%s, --fit %s, one thread, load %s\n\n' "$method" "$fit" \
    "$(cut -d' ' -f1 /proc/loadavg)"
echo '| data, splits | accuracy before | after | AUC before | after | seconds before | after | times |'
echo '|---|---:|---:|---:|---:|---:|---:|---:|'
for each in "$@"; do
    set=${each%%:*} splits=${each#*:}
    [ -d "$data/$set" ] || { echo "skipped: no $data/$set" >&2; continue; }
    echo "$set $splits $(run "$before" "$set" "$splits") $(run "$after" "$set" "$splits")" |
        awk '{ printf "| %s %s | %s | %s | %s | %s | %s | %s | %.1f |\n",
            $1, $2, $3, $6, $4, $7, $5, $8, $5 / ($8 > 0 ? $8 : .1) }'
done
