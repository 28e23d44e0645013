#!/bin/sh
# run.sh KITH [CASE...]: each broken input here must be refused, in the words
# expected.  README.md has the format of a case.  Output is TAP.
set -u

here=$(cd "$(dirname "$0")" && pwd)
kith=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
cd "$tmp" || exit 2

[ $# -gt 0 ] || set -- $(cd "$here" && ls | sed -n 's/\.expect$//p')

# A build may have been made without a compression; `--version` tells.
built=$("$kith" --version 2>/dev/null | tr '\n' ' ')
lacks() { case "$built " in *" $1 "*) return 1 ;; esac; }

n=0 bad=0
for name in "$@"; do
    case=$here/$name
    n=$((n + 1))
    need=
    case $name in
    *.gz) need=gzip ;;
    *.zst) need=zstd ;;
    *.graphml | *.gexf) need=xml ;;
    esac
    if [ -n "$need" ] && lacks "$need"; then
        echo "ok mangled_$name # SKIP built without $need"
        continue
    fi
    rm -rf "$tmp/in" && mkdir "$tmp/in" && cd "$tmp/in" || exit 2
    if ! cp -R "$case.input" "$name" 2>/dev/null; then
        echo "# $name.input is missing"
        echo "not ok mangled_$name"
        bad=$((bad + 1))
        continue
    fi
    args='graph info FILE'
    [ ! -f "$case.args" ] || args=$(cat "$case.args")
    args=$(printf '%s' "$args" | sed "s|FILE|$name|g")

    timeout 60 "$kith" $args >../stdout 2>../stderr </dev/null
    status=$?

    # exit code, then stderr; what a refusal must not do is print data
    {
        sed -n 1p "$case.expect"
        sed -n '2s/^/kith: /p; 3,$p' "$case.expect" | sed "s|FILE|$name|g"
    } >../expected
    { echo "$status" && cat ../stderr; } >../actual
    if cmp -s ../expected ../actual && [ ! -s ../stdout ]; then
        echo "ok mangled_$name"
    else
        echo "# kith $args"
        diff ../expected ../actual | sed -n 's/^</# expected:/p; s/^>/# actual:  /p'
        sed 's/^/# on stdout: /; 5q' ../stdout
        echo "not ok mangled_$name"
        bad=$((bad + 1))
    fi
done
echo "1..$n"
[ "$bad" -eq 0 ]
