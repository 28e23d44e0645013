#!/bin/sh
# run.sh BUILD_DIR [FILTER]: run every test of a build and count.
#
# Runs the unit tests, the replays of the fuzz corpora, tests/cli/*.test,
# tests/mangled and python/tests/test_*.py, several at once, each in its own process with a time limit.
# A test program prints TAP: "ok NAME", "not ok NAME", "ok NAME # SKIP why".
# One that prints none is itself the test.  One that crashes or runs out of time
# counts as a failure.  FILTER picks programs by name, or tests inside the unit
# programs.  Ends with one line `N passed, N failed[, N skipped]`; exit 1 if any
# failed.
#
# Environment: KINDS (default "unit corpus cli mangled python"), NAMES (programs, e.g.
# "test_sort cli_rank"; default: all of these kinds), JOBS (default: one per
# core), LIMIT (seconds per program, default 600), WRAP=valgrind (run all under
# memcheck: what it finds fails the test, whatever the program makes of it).
#
# A .test is run as `sh FILE` in an empty folder, with KITH (the command), TESTS
# (this folder), DATA (the bundled data) and SHARED (data sets beside the
# project, which may be absent).
set -u

TESTS=$(cd "$(dirname "$0")" && pwd)

# ---- one program, from xargs below ----------------------------------------

if [ "$1" = --one ]; then
    out=$2 name=$3 filter=$4
    mkdir "$out/$name.d" && cd "$out/$name.d" || exit 2
    began=$(date +%s)
    case $name in
    test_*) set -- "$BUILD/tests/unit/$name" $filter ;;
    corpus_*)
        # bytes that were kept, and seeds that the build wrote, which must open
        set --
        for seeds in "$TESTS/fuzz/corpus" + "$BUILD/tests/fuzz/seeds"; do
            case $seeds in
            +) set -- "$@" + ;;
            *) [ ! -d "$seeds/${name#corpus_}" ] ||
                set -- "$@" "$seeds/${name#corpus_}" ;;
            esac
        done
        set -- "$BUILD/tests/fuzz/fuzz_${name#corpus_}" "$@" ;;
    cli_*) set -- sh "$TESTS/cli/${name#cli_}.test" ;;
    mangled) set -- "$TESTS/mangled/run.sh" "$KITH" ;;
    python_*) set -- "$TESTS/../python/tests/run.sh" "${name#python_}" ;;
    esac
    if [ -n "${WRAP:-}" ]; then
        # one folder of logs per program; what is a script runs $KITH, wrapped
        MEMCHECK_LOGS=$out/$name.memcheck
        export MEMCHECK_LOGS
        mkdir "$MEMCHECK_LOGS"
        case $name in
        test_* | corpus_*) set -- "$TESTS/valgrind/memcheck.sh" "$@" ;;
        esac
    fi
    timeout -k 10 "$LIMIT" "$@" >"../$name.out" 2>&1 </dev/null
    status=$?
    if [ -n "${WRAP:-}" ] && grep -h . "$MEMCHECK_LOGS"/* >>"../$name.out"; then
        status=99
    fi
    echo "$status $(($(date +%s) - began))" >"../$name.end"
    cd .. && rm -rf "./$name.d"
    exit 0
fi

# ---- all of them ----------------------------------------------------------

BUILD=$(cd "$1" && pwd) || exit 2
filter=${2:-}
KITH=$BUILD/kith
[ -z "${WRAP:-}" ] || KITH=$TESTS/valgrind/kith
DATA=$TESTS/../data
SHARED=$TESTS/../../shared/data
LIMIT=${LIMIT:-600}
export BUILD TESTS KITH DATA SHARED LIMIT WRAP

# Threads that wait must sleep: several programs share the cores.
export OMP_WAIT_POLICY=passive
export ASAN_OPTIONS="allocator_may_return_null=1:detect_stack_use_after_return=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
# libomp itself is not instrumented; Archer, which it loads, tells ThreadSanitizer
# how its threads wait for each other.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1:second_deadlock_stack=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
trap 'exit 130' INT TERM

list() {
    [ -z "${NAMES:-}" ] || { printf '%s\n' $NAMES; return; }
    for kind in ${KINDS:-unit corpus cli mangled python}; do
        case $kind in
        unit) ls "$TESTS/unit" | sed -n 's/^\(test_.*\)\.c$/\1/p' ;;
        corpus) ls "$TESTS/fuzz" | sed -n 's/^fuzz_\(.*\)\.c$/corpus_\1/p' ;;
        cli) ls "$TESTS/cli" | sed -n 's/^\(.*\)\.test$/cli_\1/p' ;;
        mangled) [ ! -f "$TESTS/mangled/run.sh" ] || echo mangled ;;
        python) [ -n "${WRAP:-}" ] || ls "$TESTS/../python/tests" |
            sed -n 's/^test_\(.*\)\.py$/python_\1/p' ;;
        *) echo "run.sh: no such kind: $kind" >&2 ;;
        esac
    done
}

# Programs that match run whole; the other unit programs run what matches.
list | while read -r name; do
    case $name in
    *"$filter"*) echo "$name" '""' ;;
    test_*) echo "$name" "$filter" ;;
    esac
done >"$out/list"

xargs -P "${JOBS:-$(nproc)}" -L 1 "$TESTS/run.sh" --one "$out" <"$out/list"

# ---- count ----------------------------------------------------------------

cut -d' ' -f1 "$out/list" | awk -v out="$out" -v filter="$filter" '
    function fail(name, why) {
        failed++
        print "not ok " name (why == "" ? "" : ": " why)
    }
    {
        name = $1; file = out "/" name ".out"
        status = 255; took = 0
        if ((getline line < (out "/" name ".end")) > 0) {
            split(line, end, " "); status = end[1] + 0; took = end[2] + 0
        }
        seen = bad = 0; plan = -1; said = notes = ""
        while ((getline line < file) > 0) {
            said = said "    " line "\n"
            if (line ~ /^ok .*# SKIP/) {
                seen++; skipped++
                sub(/^ok /, "", line)
                skips = skips "    " line "\n"
            } else if (line ~ /^ok /) {
                seen++; passed++
            } else if (line ~ /^not ok /) {
                seen++; bad++
                notes = notes "    " line "\n"
            } else if (line ~ /^1\.\.[0-9]+$/) {
                plan = substr(line, 4) + 0
            }
        }
        close(file)

        why = ""
        if (status == 124 || status == 137)
            why = "ran out of time, or was killed, after " took " s"
        else if (status > 128)
            why = "crashed with signal " status - 128
        else if (status != 0 && bad == 0)
            why = status == 99 ? "valgrind found an error" : "exit " status
        else if (plan >= 0 && plan != seen)
            why = "ended early: " seen " of " plan " tests"
        if (why == "" && seen == 0 && plan < 0)
            passed++            # the program is the test
        if (bad > 0 || why != "") {
            if (length(said) > 20000)
                said = substr(said, 1, 4000) "    ...\n" \
                       substr(said, length(said) - 16000) notes
            print "---- " name
            printf "%s", said
            failed += bad
            if (why != "")
                fail(name, why)
        }
        if (took >= 20)
            slow = slow "    " name " " took " s\n"
    }
    END {
        if (slow != "") printf "slow:\n%s", slow
        if (skips != "") printf "skipped:\n%s", skips
        if (passed + failed + skipped == 0) fail("run.sh", "no test was found")
        printf "%d passed, %d failed", passed, failed
        if (skipped > 0) printf ", %d skipped", skipped
        printf "\n"
        exit (failed > 0)
    }'
