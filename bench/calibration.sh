#!/bin/sh
# How far probabilities hold when labels are all that is known: a temperature
# (`--calibrate temperature`, without validation nodes fitted on a held-out fifth)
# beside the share of each class in the mass that reaches a node (--calibrate auto).
#
#     bench/calibration.sh build/kith [SHARED_DATA [METHOD]]
#
# Data sets without their features, and graphs that are drawn here; once with the
# splits' own validation nodes, once with 100 labelled nodes drawn at random from all
# and no validation nodes.  docs/calibration.md has the tables.
set -eu
kith=$1
shared=${2:-}
method=${3:-linbp}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A data set without its features.
bare() { # NAME
    [ -n "$shared" ] && [ -d "$shared/$1" ] || return 0
    mkdir -p "$work/$1"
    for file in "$shared/$1"/*; do
        case ${file##*/} in
        *features* | README* | multiplicity*) ;;
        *) ln -s "$(realpath "$file")" "$work/$1/" ;;
        esac
    done
}
for name in actor chameleon_filtered citeseer cora cora_ml cornell facebook_sybil \
    nell polblogs pubmed squirrel_filtered texas tolokers; do
    bare $name
done
drawn() { # NAME OPTIONS
    name=$1
    shift
    "$kith" graph generate "$@" -q -o "$work/$name"
}
drawn sbm sbm --nodes 4000 --degree 6 --classes 5 --homophily 0.6 --train 60 --val 60 \
    --test 600 --seed 11
drawn sbm_dense sbm --nodes 2000 --degree 60 --classes 3 --homophily 0.45 --train 60 \
    --val 60 --test 500 --seed 12
drawn sbm_unlike sbm --nodes 3000 --degree 12 --classes 2 --homophily 0.25 --train 100 \
    --val 100 --test 900 --seed 13
drawn sbm_many sbm --nodes 6000 --degree 10 --classes 20 --homophily 0.6 --train 10 \
    --val 10 --test 150 --seed 14
drawn sbm_rare sbm --nodes 5000 --degree 10 --classes 2 --homophily 0.95 --rare 0.08 \
    --train 100 --val 100 --test 350 --seed 15
drawn rmat rmat --nodes 16384 --degree 12 --classes 4 --homophily 0.6 --train 50 \
    --val 50 --test 1000 --seed 16

# The splits of a data set that have validation nodes.
splits() { # NAME
    case $1 in
    nell) echo paper-0 ;;
    cora | cora_ml | citeseer | polblogs | pubmed) echo paper-0..2 ;;
    facebook_sybil) echo public ;;
    sbm* | rmat) echo 0 ;;
    *) echo 0..2 ;;
    esac
}
# Two draws of 100 labelled nodes, the rest for testing.
draw_100() { # NAME
    for seed in 1 2; do
        mkdir -p "$work/100/$1/$seed"
        awk -F'\t' -v seed=$seed 'BEGIN { srand(seed) }
            !/^#/ && NF >= 2 { printf "%.9f\t%s\n", rand(), $1 }' \
            "$work/$1/labels.tsv" | LC_ALL=C sort | cut -f2 >"$work/all"
        head -n 100 "$work/all" >"$work/100/$1/$seed/train.txt"
        tail -n +101 "$work/all" >"$work/100/$1/$seed/test.txt"
    done
    echo "$work/100/$1/1,$work/100/$1/2"
}

# ECE, log-loss and accuracy of one data set.
measure() { # NAME SPLITS HOW
    "$kith" eval "$work/$1" --methods "$method" --splits "$2" --calibrate "$3" -q \
        --json | awk -F': *' '
        /"accuracy": *\{/ && !a { in_accuracy = 1 }
        in_accuracy && /"mean"/ { a = $2 + 0; in_accuracy = 0 }
        /"log_loss"/ && !l { l = $2 + 0 }
        /"ece"/ && !e { e = $2 + 0 }
        END { printf "%.4f %.3f %.4f\n", e, l, a }'
}
table() { # TITLE, then names on standard input
    echo "| $1 | ECE | log-loss | accuracy | ECE | log-loss | accuracy |"
    echo "|---|---|---|---|---|---|---|"
    while read -r name where; do
        echo "$name $(measure "$name" "$where" temperature) $(measure "$name" "$where" auto)"
    done | awk '
        { for (i = 2; i <= 7; i++) { sum[i] += $i; if ($i > most[i]) most[i] = $i }
          printf "| %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7 }
        END { if (NR) { printf "| **mean** |"
              for (i = 2; i <= 7; i++) printf (i % 3 == 0 ? " %.3f |" : " %.4f |"), sum[i] / NR
              printf "\n| **most** | %.4f | | | %.4f | | |\n", most[2], most[5] } }'
}

names=$(cd "$work" && for set in */; do
    [ -f "$set/labels.tsv" ] && echo "${set%/}"
done)
for name in $names; do echo "$name $(splits "$name")"; done |
    table "validation nodes of the split: temperature, then share"
echo
for name in $names; do echo "$name $(draw_100 "$name")"; done |
    table "100 random labels, no validation nodes: temperature, then share"
