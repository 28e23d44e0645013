#!/bin/sh
# lib.sh: a tiny harness for tests of the command line; sourced by *.test.
#
#     . "$(dirname "$0")/lib.sh"
#     begin "a missing argument is wrong usage"
#     run "$KITH" graph build
#     expect_status 2
#     expect_stderr "kith: IN is missing
#     see 'kith graph build --help'"
#     finish
#
# KITH is the command under test.  Each test file runs in a fresh folder of its
# own, which is removed at the end.  Output is TAP: "ok NAME", "not ok NAME"
# with what differed in '#' lines before it, and the plan last.
set -u

case ${KITH:?KITH must be the path of the command} in
/*) ;;
*) KITH=$(pwd)/$KITH ;;
esac

fresh=$(mktemp -d) || exit 1
seen=$(mktemp -d) || exit 1
trap 'cd /; chmod -R u+w "$fresh"; rm -rf "$fresh" "$seen"' EXIT
trap 'exit 130' INT TERM
cd "$fresh" || exit 1

# What a terminal or a user would change.
unset NO_COLOR COLUMNS LC_CTYPE LANG 2>/dev/null
LC_ALL=C.UTF-8
export LC_ALL

tests=0
failures=0
current=
broken=

# begin NAME: the checks that follow belong to this test.
begin() {
    close_test
    current=$1
    broken=
}

# skip WHY: the test cannot run here.
skip() {
    printf 'ok %s # SKIP %s\n' "$current" "$1"
    tests=$((tests + 1))
    current=
}

# has PART...: was the command built with these ("gzip", "zstd")?
has() {
    for part; do
        case $("$KITH" --version) in *"$part"*) ;; *) return 1 ;; esac
    done
}

# The methods that this build has, a line each.
methods() {
    "$KITH" methods | cut -f 1 | if has xgboost; then cat; else grep -v trees; fi
}

close_test() {
    [ -n "$current" ] || return 0
    tests=$((tests + 1))
    if [ -n "$broken" ]; then
        failures=$((failures + 1))
        printf 'not ok %s\n' "$current"
    else
        printf 'ok %s\n' "$current"
    fi
    current=
}

finish() {
    close_test
    printf '1..%d\n' "$tests"
    [ "$failures" -eq 0 ]
    exit
}

# wrong TEXT...: the current test fails; say why.
wrong() {
    broken=yes
    printf '%s\n' "$@" | sed 's/^/# /'
}

# run COMMAND...: its output and exit status wait for the checks below.
run() {
    "$@" >"$seen/stdout" 2>"$seen/stderr"
    status=$?
}

expect_status() {
    [ "$status" -eq "$1" ] ||
        wrong "exit status $status, expected $1; stderr:" "$(cat "$seen/stderr")"
}

# same STREAM TEXT: the whole output, but for newlines at its end.
same() {
    if [ "$(cat "$seen/$1")" != "$2" ]; then
        printf '%s\n' "$2" >"$seen/expected"
        wrong "$1 differs (- expected, + got):" \
            "$(diff -u "$seen/expected" "$seen/$1" | tail -n +3)"
    fi
}

# like STREAM PATTERN: some line matches an extended regular expression.
like() {
    grep -Eq -e "$2" "$seen/$1" ||
        wrong "$1 has no line like: $2" "$(cat "$seen/$1")"
}

unlike() {
    if grep -Eq -e "$2" "$seen/$1"; then
        wrong "$1 has a line like: $2" "$(grep -E -e "$2" "$seen/$1")"
    fi
}

expect_stdout() { same stdout "$1"; }
expect_stderr() { same stderr "$1"; }
expect_stdout_like() { like stdout "$1"; }
expect_stderr_like() { like stderr "$1"; }
expect_stdout_unlike() { unlike stdout "$1"; }
expect_stderr_unlike() { unlike stderr "$1"; }

# expect_equal WHAT GOT WANTED
expect_equal() {
    [ "$2" = "$3" ] || wrong "$1: got '$2', expected '$3'"
}

# expect_files NAME...: all that lies in the folder, hidden files too.
expect_files() {
    expect_equal "files" "$(ls -A | sort | tr '\n' ' ')" \
        "$(for f in "$@"; do echo "$f"; done | sort | tr '\n' ' ')"
}

# json KEY: the number, word or string at that key of stdout's top level.
json() {
    sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$seen/stdout"
}

# hash_of GRAPH: the fingerprint that `graph info` tells.
hash_of() {
    "$KITH" graph info "$1" --json 2>&1 |
        sed -n 's/^  "hash": "\([0-9a-f]*\)".*/\1/p; /^kith:/p'
}
