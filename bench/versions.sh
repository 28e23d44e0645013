#!/bin/bash
# versions.sh OLD NEW [SCALE [ROUNDS]]: what a change costs: `classify` by two
# builds of the command, on a built graph like Google+ (30.6 M edges at scale 1),
# each on a file that it built itself.  They run in turn, ROUNDS times (3).  Told
# are the least processor and clock time of each, and the most memory; on a
# machine that others use, too, the clock says little.  KINDS="linbp lcm tuned
# lcm-em" are those to run: untuned but for the last two.
set -eu
# shellcheck disable=SC2034 # both are used by name
old=$1 new=$2
scale=${3:-1} rounds=${4:-3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for which in old new; do
    "${!which}" graph generate --like google-plus --scale "$scale" -q \
        -o "$tmp/g.kg"
    "${!which}" graph build "$tmp/g.kg" -q -o "$tmp/$which.kg"
    mv "$tmp/g.splits" "$tmp/$which.splits"
    mv "$tmp/g.labels.tsv" "$tmp/$which.labels.tsv"
done

# run WHICH OPTIONS...: user, system, clock, KiB of the whole command
run() {
    local which=$1
    shift
    /usr/bin/time -f '%U %S %e %M' -o "$tmp/time" "${!which}" classify \
        "$tmp/$which.kg" --labels "$tmp/$which.labels.tsv" \
        --split "$tmp/$which.splits/0" -q -o /dev/null "$@"
    cat "$tmp/time"
}

printf '%-8s %30s %30s %18s\n' '' 'processor, s' 'clock, s' 'memory, MiB'
for kind in ${KINDS:-linbp lcm tuned lcm-em}; do
    case $kind in
    tuned) how=(--method lcm) ;;
    lcm-em) how=(--method lcm-em) ;;
    *) how=(--method "$kind" --no-tune) ;;
    esac
    for ((round = 1; round <= rounds; round++)); do
        echo "$(run old "${how[@]}") $(run new "${how[@]}")"
    done | tee -a "${LOG:-/dev/null}" | awk -v kind="$kind" '
        {
            for (i = 0; i < 2; i++) {
                cpu = $(4 * i + 1) + $(4 * i + 2)
                if (NR == 1 || cpu < a[i]) a[i] = cpu
                if (NR == 1 || $(4 * i + 3) < b[i]) b[i] = $(4 * i + 3)
                if (NR == 1 || $(4 * i + 4) > m[i]) m[i] = $(4 * i + 4)
            }
        }
        END {
            printf "%-8s %9.2f -> %7.2f  %.2fx ", kind, a[0], a[1], a[1] / a[0]
            printf "%9.2f -> %7.2f  %.2fx ", b[0], b[1], b[1] / b[0]
            printf "%7.0f -> %.0f\n", m[0] / 1024, m[1] / 1024
        }'
done
