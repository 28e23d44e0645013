#!/bin/sh
# exports.sh LIBRARY: does libkith.so show the functions that the headers of
# include/kith declare, all of them and no others?  Prints those that differ:
# "<" is declared alone, ">" is shown alone.
set -u
include=$(cd "$(dirname "$0")/../../include/kith" && pwd)
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT

# Comments out, then the first name before a bracket of each declaration.
cat "$include"/*.h | sed '/^#/d' | tr '\n' ' ' |
    sed 's|/\*|\n&|g; s|\*/|&\n|g' | sed '/^\/\*.*\*\/$/d' | tr '\n' ' ' |
    grep -o 'KITH_API [^;]*;' |
    sed -E 's/^[^(]*[ *](kith_[a-z0-9_]+)\(.*/\1/' | LC_ALL=C sort >"$lists/declared"
# Beside them the locks of OpenMP's named critical sections, and what a sanitizer
# or gcov adds.
nm -D --defined-only "$1" | awk '{ print $3 }' |
    grep -v -e '^\.gomp_critical_user_kith_' -e '^\.*_' -e '^mangle_path$' |
    LC_ALL=C sort >"$lists/shown"
[ "$(wc -l <"$lists/declared")" -gt 50 ] || { echo "no headers were read" && exit 1; }
diff "$lists/declared" "$lists/shown"
