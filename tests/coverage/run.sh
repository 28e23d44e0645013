#!/bin/sh
# run.sh BUILD_DIR [FILTER]: run the tests of a `coverage` build and tell which
# lines and branches ran, per folder, and which files fall below 80 % of lines.
# BUILD_DIR/coverage.txt names, for every file, the functions that were never
# called and the lines that never ran.  Exit 1 if a test failed.
#
# A process that is killed, as some tests do, writes no counts.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 2

find "$build" -name '*.gcda' -exec rm -f {} +
"$here/../run.sh" "$build" "${2:-}"
status=$?

counts=$(mktemp -d)
trap 'rm -rf "$counts"' EXIT
cd "$counts" || exit 2

find "$build/CMakeFiles/kith_objects.dir/src" "$build/CMakeFiles/kith_tools.dir" \
    "$build/CMakeFiles/kith_cli.dir" \
    -name '*.gcno' | sort |
    xargs gcov --stdout --branch-probabilities --branch-counts 2>/dev/null |
    awk -v details="$build/coverage.txt" -f "$here/table.awk"
echo "functions and lines that never ran: ${build##*/}/coverage.txt"
exit "$status"
