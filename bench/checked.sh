#!/bin/bash
# checked.sh OLD NEW [SCALE [ROUNDS]]: what it costs that built files are checked
# where they are opened: `classify` by two builds of the command, on a built graph
# like Google+ (30.6 M edges at scale 1), each on a file that it built itself.
# They run in turn, ROUNDS times (3), each once before that is not counted.  Told
# is the least of each, processor and clock; on a machine that others use, too,
# the clock says little.
set -eu
# shellcheck disable=SC2034 # both are used by name
old=$1 new=$2
scale=${3:-1} rounds=${4:-3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
TIMEFORMAT='%U %S %R'

for which in old new; do
    "${!which}" graph generate --like google-plus --scale "$scale" -q \
        -o "$tmp/g.kg"
    "${!which}" graph build "$tmp/g.kg" -q -o "$tmp/$which.kg"
    mv "$tmp/g.splits" "$tmp/$which.splits"
done

# seconds WHICH METHOD: user, system and clock of the whole command
seconds() {
    { time "${!1}" classify "$tmp/$1.kg" --labels "$tmp/g.labels.tsv" \
        --split "$tmp/$1.splits/0" --method "$2" --no-tune -q -o /dev/null; } 2>&1
}

for method in linbp lcm; do
    for ((round = 0; round <= rounds; round++)); do
        echo "$round $(seconds old $method) $(seconds new $method)"
    done | tee -a "${LOG:-/dev/null}" | awk -v method=$method '
        $1 == 0 { next }
        {
            cpu[1] = $2 + $3; cpu[2] = $5 + $6; clock[1] = $4; clock[2] = $7
            for (i = 1; i <= 2; i++) {
                if (NR == 2 || cpu[i] < a[i]) a[i] = cpu[i]
                if (NR == 2 || clock[i] < b[i]) b[i] = clock[i]
            }
        }
        END {
            printf "%-5s  processor %.2f s, %.2f s, ratio %.2f", method, a[1],
                a[2], a[2] / a[1]
            printf "  clock %.2f s, %.2f s, ratio %.2f\n", b[1], b[2], b[2] / b[1]
        }'
done
