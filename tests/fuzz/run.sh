#!/bin/sh
# run.sh BUILD_DIR [SECONDS [FILTER]]: fuzz each target of a `fuzz` build, two
# at once on two cores.  What is found goes to BUILD_DIR/found, new inputs to
# BUILD_DIR/corpus.  Output is TAP, then one line `N passed, N failed`.
#
# First the seeds alone: coverage.txt has the edges of the code that each
# target's seeds reached when it was written; fewer is a failure, for then the
# seeds stop at some check and fuzzing tests little.  FLOORS=write rewrites it.
set -u

tests=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd) || exit 2
seconds=${2:-60}
filter=${3:-}

mkdir -p "$build/found" "$build/logs" "$build/floors"

one='
name=${0#fuzz_}
mkdir -p "$build/corpus/$name"
set --
for seeds in "$tests/fuzz/corpus/$name" "$build/tests/fuzz/seeds/$name"; do
    [ ! -d "$seeds" ] || set -- "$@" "$seeds"
done
[ ! -f "$tests/fuzz/$name.dict" ] || set -- "$@" -dict="$tests/fuzz/$name.dict"
reached=$("$build/tests/fuzz/$0" -runs=0 "$@" 2>&1 |
    sed -n "s/.*INITED cov: \([0-9]*\).*/\1/p")
echo "$0 ${reached:-0}" >"$build/floors/$name"
floor=$(sed -n "s/^$0 //p" "$tests/fuzz/coverage.txt")
if [ "${FLOORS:-}" != write ] && [ "${reached:-0}" -lt "${floor:-1}" ]; then
    echo "not ok coverage_$name # ${reached:-0} edges by its seeds, expected ${floor:-some}"
else
    echo "ok coverage_$name # $reached edges by its seeds"
fi
set -- "$build/corpus/$name" "$@"
if "$build/tests/fuzz/$0" "$@" -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=3000 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$build/found/$name-" >"$build/logs/$name" 2>&1; then
    runs=$(sed -n "s/^stat::number_of_executed_units: *//p" "$build/logs/$name")
    echo "ok fuzz_$name # $runs inputs in $seconds s"
else
    tail -n 60 "$build/logs/$name" | sed "s/^/# /"
    echo "not ok fuzz_$name"
fi'
export build tests seconds
export UBSAN_OPTIONS=print_stacktrace=1
export OMP_WAIT_POLICY=passive

ls "$tests/fuzz" | sed -n 's/^\(fuzz_.*\)\.c$/\1/p' | grep -e "$filter" |
    xargs -P "$(nproc)" -I{} sh -c "$one" {} |
    awk '{ print; fflush() }
         /^ok / { good++ }
         /^not ok / { bad++ }
         END {
             if (good + bad == 0) bad = 1
             printf "%d passed, %d failed\n", good, bad
             exit (bad > 0)
         }'
status=$?
# Rounded down to tens: a compiler counts a few more or fewer.
[ "${FLOORS:-}" != write ] ||
    awk '{ print $1, $2 - $2 % 10 }' "$build"/floors/* >"$tests/fuzz/coverage.txt"
exit $status
