#!/bin/bash
# reproducible.sh BUILD_DIR: build the library and the command once more, from a
# copy of the source at another path, and compare with BUILD_DIR byte by byte.
# Output is TAP, then one line `N passed, N failed`.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
elsewhere=$tmp/another/place
good=0 bad=0

# What the build was configured with, but for paths and what is not compared.
options() {
    sed -nE 's/^((KITH_|CMAKE_BUILD_TYPE|CMAKE_C_FLAGS|CMAKE_C_COMPILER:)[^=]*=.*)/-D\1/p' \
        "$build/CMakeCache.txt" | grep -vE 'KITH_BUILD_TESTS:|-ADVANCED:'
}

copy_source() {
    mkdir -p "$elsewhere" && cd "$root" &&
        tar -cf - --exclude=./.git --exclude='./build*' . | tar -xf - -C "$elsewhere"
}

rebuild() {
    local words
    mapfile -t words < <(options)
    cmake -G Ninja -S "$elsewhere" -B "$elsewhere/out" "${words[@]}" \
        -DKITH_BUILD_TESTS=OFF && cmake --build "$elsewhere/out"
}

same() {
    cmp "$build/$1" "$elsewhere/out/$1" ||
        { grep -acF "$root" "$build/$1"; grep -acF "$elsewhere" "$elsewhere/out/$1"; false; }
}

step() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$tmp/log" 2>&1; then
        echo "ok reproducible_$name"
        good=$((good + 1))
    else
        tail -n 30 "$tmp/log" | sed 's/^/# /'
        echo "not ok reproducible_$name"
        bad=$((bad + 1))
    fi
}

step copies copy_source
step builds rebuild
for file in kith libkith.so libkith.a kith.spdx.json; do
    step "$file" same "$file"
done
echo "$good passed, $bad failed"
[ "$bad" -eq 0 ]
