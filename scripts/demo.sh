#!/bin/sh
# demo.sh [KITH]: a first look at the command, on two small graphs.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
kith=$(realpath "${1:-$root/build/kith}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
cd "$tmp"
ln -s "$root/data" data

bold= plain=
if [ -t 1 ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
now() { date +%s%N; }

# Show a command as one would type it, run it, and say how long it took.
run() {
    printf '\n%s$ kith %s%s\n' "$bold" "$*" "$plain"
    began=$(now)
    "$kith" "$@" 2>&1
    took=$((($(now) - began) / 1000000))
    printf '%s(%d.%03d s)%s\n' "$bold" $((took / 1000)) $((took % 1000)) "$plain"
}

say '1. A small graph: who met whom in a karate club that split in two'
run graph info data/karate

say '2. Build it: one binary file, opened later without reading it again'
run graph build data/karate -o karate.kg

say '3. A generated graph: 2000 nodes, 4 planted classes, 200 features'
run graph generate sbm --nodes 2000 --classes 4 --homophily 0.8 \
    --features 200 --seed 1 -o sbm.kg
run graph info sbm.kg

say 'Next: build/kith graph --help, and README.md'
