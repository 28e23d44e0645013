#!/usr/bin/env bash
# The methods, potentials given, beside the same computation in NumPy and SciPy
# (bench/methods_numpy.py), in one run; both must come to the same beliefs.
# Usage: bench/methods.sh BUILD_DIR
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
shared=$here/../../shared/data
threads=${THREADS:-2}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kith-bench-XXXXXX")
trap 'rm -rf "$tmp"' EXIT

python=
/usr/bin/python3 -c 'import scipy.sparse' 2> /dev/null && python=/usr/bin/python3 ||
    echo "skipped: python3-scipy is not installed"

# An SBM stands in for a data set that is not there: nodes, edges, classes alike.
data_of() {
    if [ -d "$shared/$1" ]; then
        echo "$shared/$1"
        return
    fi
    "$build/kith" graph generate sbm --nodes "$2" --edges "$3" --classes "$4" \
        --homophily 0.8 --features 500 -q -o "$tmp/$1-data"
    echo "$tmp/$1-data"
}

# field FILE NAME KEY: a number of the JSON line with that name, or nothing
field() { [ ! -f "$1" ] || sed -n "s/.*\"name\": \"$2\".*\"$3\": \([-+.0-9e]*\).*/\1/p" "$1"; }

# row DATA NAME WHAT [WISH LEAST]: LEAST is the ratio to NumPy that is wished for.
row() {
    local ours=$tmp/$1.ours theirs=$tmp/$1.numpy
    awk -v what="$3, $(title "$1")" -v t="$(field "$ours" "$2" seconds)" \
        -v t1="$(field "$ours" "$2" seconds_1)" -v np="$(field "$theirs" "$2" seconds)" \
        -v tuned="$(field "$theirs" "$2 tuned" seconds)" \
        -v off="$(field "$theirs" "$2" difference)" -v wish="${4:-}" -v least="${5:-0}" '
    function ms(s) { return s == "" ? "-" : sprintf("%.2f", 1e3 * s) }
    function times(s) { return s == "" ? "-" : sprintf("%.1fx", s / t) }
    function verdict(s) { return s / t >= least ? "met" : "not met" }
    BEGIN {
        if (wish == "" || np == "")
            said = wish == "" ? "" : wish ": not measured"
        else
            said = wish ": " verdict(np) (tuned == "" ? "" : ", tuned: " verdict(tuned))
        printf "| %-31s | %9s | %8s | %8s | %6s | %8s | %6s | %8s | %s |\n", what, ms(t),
            ms(t1), ms(np), times(np), ms(tuned), times(tuned), off == "" ? "-" : off, said
    }'
}
title() { [ -d "$shared/$1" ] && echo "${1^}" || echo "SBM like ${1^}"; }

status=0
for one in "pubmed 19717 44324 3" "cora 2708 5278 7"; do
    read -r name nodes edges classes <<< "$one"
    mkdir "$tmp/$name"
    data=$(data_of "$name" "$nodes" "$edges" "$classes")
    "$build/bench/bench_methods" "$data" "$tmp/$name" "$threads" > "$tmp/$name.ours"
    [ -z "$python" ] || "$python" "$here/methods_numpy.py" "$tmp/$name" \
        > "$tmp/$name.numpy" || {
        status=1
        echo "NumPy and ours do not come to the same beliefs on $name:"
        cat "$tmp/$name.numpy"
    }
done

printf '\nMethods, potentials given: milliseconds, median of 5, load %s\n\n' \
    "$(cut -d' ' -f1 /proc/loadavg)"
printf '| %-31s | %9s | %8s | %8s | %6s | %8s | %6s | %8s | %s |\n' what "$threads threads" \
    '1 thread' NumPy ratio tuned ratio 'max diff' wish
echo '|---------------------------------|----------:|---------:|---------:|-------:|---------:|-------:|---------:|---|'
for name in pubmed cora; do
    lcm='' bp='' grid=''
    [ "$name" = cora ] && grid='1x' || { lcm='20x' bp='20x'; }
    row "$name" lcm 'one LCM fit' "$lcm" 20
    row "$name" bp 'BP, 10 iterations' "$bp" 20
    row "$name" linbp 'LinBP, 10 iterations'
    row "$name" grid 'LCM 64 points, NumPy 2' "$grid" 1
done
for name in pubmed cora; do
    edges=$(field "$tmp/$name.ours" data edges)
    awk -v e="$edges" -v t="$(field "$tmp/$name.ours" bp seconds)" \
        -v np="$(field "$tmp/$name.numpy" bp seconds)" -v name="$(title "$name")" 'BEGIN {
        printf "\nBP on %s: %.1f million edges a second", name, 10 * e / t / 1e6
        if (np != "") printf ", NumPy %.2f million", 10 * e / np / 1e6
    }'
done
echo
exit $status
