#!/bin/bash
# suggest.sh KITH DATA [SEEDS] [METHOD]: do 50 labels that `kith suggest` asks
# for beat 50 random ones?  For each seed: 5 random labelled nodes a class, a
# random third of the others is for testing and never labelled.  Accuracy on it
# with 50 suggested and with 50 random labels more, the method as it is, untuned.
set -eu
kith=$1 data=$2 seeds=${3:-20} method=${4:-linbp}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

label() { # the truth of the nodes on stdin
    awk -F '\t' 'NR == FNR { want[$1]; next } $1 in want' - "$data/labels.tsv"
}
accuracy() { # of a model with these labels, on test.txt
    "$kith" classify "$data" --labels "$1" --method "$method" --no-tune --balance \
        --hold-out 0 -q -o "$tmp/out.tsv" --save "$tmp/model.km"
    awk -F '\t' 'FILENAME == ARGV[1] { test[$1]; next }
        FILENAME == ARGV[2] { truth[$1] = $2; next }
        $1 in test { n++; right += $2 == truth[$1] }
        END { printf "%.4f", right / n }' \
        "$tmp/test.txt" "$data/labels.tsv" "$tmp/out.tsv"
}
for ((seed = 1; seed <= seeds; seed++)); do
    rm -f "$tmp"/*.txt
    awk -F '\t' -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' \
        "$data/labels.tsv" | sort -g | cut -f 2- |
        awk -F '\t' -v out="$tmp" '
            n[$2]++ < 5 { print $1 > (out "/start.txt"); next }
            m++ % 3 == 0 { print $1 > (out "/test.txt"); next }
            { print $1 > (out "/pool.txt") }'
    label <"$tmp/start.txt" >"$tmp/start.tsv"
    before=$(accuracy "$tmp/start.tsv")
    "$kith" suggest "$tmp/model.km" --graph "$data" --among "$tmp/pool.txt" \
        -n 50 -q | tail -n +2 | cut -f 1 >"$tmp/asked.txt"
    head -n 50 "$tmp/pool.txt" >"$tmp/random.txt"
    { cat "$tmp/start.tsv"; label <"$tmp/asked.txt"; } >"$tmp/asked.tsv"
    { cat "$tmp/start.tsv"; label <"$tmp/random.txt"; } >"$tmp/random.tsv"
    echo "$seed $before $(accuracy "$tmp/random.tsv") $(accuracy "$tmp/asked.tsv")"
done | awk -v data="$(basename "$data")" -v method="$method" '
    { b += $2; r += $3; s += $4; d = $4 - $3; sum += d; squares += d * d; wins += d > 0 }
    END { mean = sum / NR; sd = sqrt((squares - NR * mean * mean) / (NR > 1 ? NR - 1 : 1))
        printf "%s, %s, %d seeds: start %.4f, +50 random %.4f, +50 suggested %.4f; difference %+.4f +- %.4f (se), %d wins\n",
            data, method, NR, b / NR, r / NR, s / NR, mean, sd / sqrt(NR), wins }'
