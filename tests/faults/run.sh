#!/bin/bash
# run.sh BUILD_DIR [PART]: break commands on purpose and count what came of it.
#
# Runs every tests/faults/parts/*.sh (or those that match PART) in an empty
# folder, with KITH (the command), BUILD, TESTS, DATA (the bundled data), SHARED
# (data sets beside the project, which may be absent) and FAULTS, full or short.
# All together take at most LIMIT seconds (1140, so that with setting up it is 20
# minutes): a part stops at the second UNTIL, which is its share of what is left,
# and adds to the file LEFT_OUT how many tries that left out.  What it tries is
# mixed before, or goes round, so that no kind of thing is left out altogether.
# A part prints rows, separated by tabs:
#
#     command  kind  tried  old  new  mixed  half  litter  crash  hang
#
# tried is the sum of the others.  old: refused, or all is as it was; new: all is
# as it should be; mixed: some is new and some old, or an answer is wrong; half:
# a part of a file; litter: what nobody removes; then crashes and runs that do
# not end.  What else it has to say goes to standard error.
#
# Prints the table as Markdown; with TABLE=FILE it also takes the place of what
# is between the lines `<!-- faults -->` and `<!-- /faults -->` of that file.
# Ends with `N passed, N failed`, a row being a test: it fails if any count after
# new is not 0, or if nothing was tried.
set -u

TESTS=$(cd "$(dirname "$0")/.." && pwd)
BUILD=$(cd "$1" && pwd) || exit 2
KITH=$BUILD/kith
DATA=$TESTS/../data
SHARED=$TESTS/../../shared/data
FAULTS=${FAULTS:-full}
# Threads that wait must sleep: the machine is shared.
OMP_WAIT_POLICY=passive
export BUILD TESTS KITH DATA SHARED FAULTS OMP_WAIT_POLICY UNTIL
last=$(($(date +%s) + ${LIMIT:-1140}))

scratch=$(mktemp -d) || exit 2
chmod 711 "$scratch" # some parts run commands as another user
trap 'cd /; chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
rows=$scratch/rows bad=0
LEFT_OUT=$scratch/left-out
export LEFT_OUT

set -- "$TESTS"/faults/parts/*"${2:-}"*.sh
while [ $# -gt 0 ]; do
    part=$1
    name=$(basename "$part" .sh) began=$SECONDS
    UNTIL=$(date +%s)
    UNTIL=$((UNTIL + (last - UNTIL) / $#))
    shift
    mkdir "$scratch/$name"
    (cd "$scratch/$name" && exec bash "$part") >"$scratch/out" || {
        echo "not ok $name: exit $?"
        bad=$((bad + 1))
    }
    cat "$scratch/out" >>"$rows"
    chmod -R u+w "$scratch/$name"
    rm -rf "${scratch:?}/$name"
    echo "$name took $((SECONDS - began)) s" >&2
done

awk -F '\t' '
    BEGIN {
        print "| command | what is done to it | tried | old | new | mixed |" \
              " half | litter | crash | hang |"
        print "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    }
    {
        row = "| `" $1 "` | " $2
        for (i = 3; i <= 10; i++) { row = row " | " $i; sum[i] += $i }
        print row " |"
    }
    END {
        row = "| all | "
        for (i = 3; i <= 10; i++) row = row " | " sum[i] + 0
        print row " |"
    }' "$rows" >"$scratch/table"
left_out=$(awk '{ n += $1 } END { print n + 0 }' "$LEFT_OUT")
[ "$left_out" = 0 ] || printf '\nTime was up before %s more tries.\n' "$left_out" \
    >>"$scratch/table"
cat "$scratch/table"

if [ -n "${TABLE:-}" ]; then
    {
        sed '/^<!-- faults -->$/q' "$TABLE"
        # shellcheck disable=SC2016 # code in Markdown
        printf '\n`make faults`, %s, %s cores, %s, %s:\n\n' "$(date -u +%F)" \
            "$(nproc)" "$(uname -sr)" "$(df --output=fstype "$scratch" | tail -n 1)"
        cat "$scratch/table"
        printf '\n'
        sed -n '/^<!-- \/faults -->$/,$p' "$TABLE"
    } >"$scratch/page" && cat "$scratch/page" >"$TABLE"
fi

awk -F '\t' -v failed="$bad" '
    {
        wrong = $3 == 0 || $3 != $4 + $5 + $6 + $7 + $8 + $9 + $10
        for (i = 6; i <= 10; i++) wrong += $i > 0
        if (wrong) { failed++; print "not ok " $0 } else passed++
    }
    END {
        printf "%d passed, %d failed\n", passed, failed
        exit (failed > 0 || passed == 0)
    }' "$rows"
