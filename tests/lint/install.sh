#!/bin/bash
# install.sh BUILD_DIR: install a build into a temporary folder and use what is
# there as a stranger would: through pkg-config, through find_package(kith),
# shared and static.  Output is TAP, then one line `N passed, N failed`.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
prefix=$tmp/stage/usr
good=0 bad=0

# step NAME COMMAND...: a test that passes if the command does
step() {
    local name=$1
    shift
    if "$@" >log 2>&1; then
        echo "ok install_$name"
        good=$((good + 1))
    else
        sed 's/^/# /' log
        echo "not ok install_$name"
        bad=$((bad + 1))
    fi
}

stage() { DESTDIR=$tmp/stage cmake --install "$build" --prefix /usr; }

files_are_there() {
    local f missing=0
    for f in bin/kith include/kith/kith.h lib/libkith.a lib/libkith.so \
        lib/libkith.so.0 lib/pkgconfig/kith.pc lib/cmake/kith/kithConfig.cmake \
        share/man/man1/kith.1 share/bash-completion/completions/kith \
        share/zsh/site-functions/_kith \
        share/fish/vendor_completions.d/kith.fish share/doc/kith/LICENSE \
        share/doc/kith/SECURITY.md share/doc/kith/kith.spdx.json; do
        [ -s "$prefix/$f" ] || { echo "missing: $f" && missing=1; }
    done
    return $missing
}

only_public_names() { "$root/tests/lint/exports.sh" "$prefix/lib/libkith.so"; }

no_build_paths() {
    ! grep -rIlF -e "$root" "$prefix/lib/cmake" "$prefix/lib/pkgconfig" \
        "$prefix/include"
}

examples=$(cd "$root/examples" && ls ./*.c | sed 's|^\./||; s|\.c$||')

# FOLDER [LOADER'S PATH]: every example in it says what README shows.
as_in_readme() {
    local name
    for name in $examples; do
        LD_LIBRARY_PATH=${2:-} "$1/$name" >"$name.said" || return 1
        sed -n "/^\$ \.\/$name\$/,/^[\$\`]/p" "$root/README.md" |
            grep -v '^[$`]' | diff - "$name.said" || return 1
    done
}

with_pkg_config() {
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    local name
    mkdir -p pc
    for name in $examples; do
        # shellcheck disable=SC2046 # flags are words
        cc -Wall -Wextra -Werror "$root/examples/$name.c" -o "pc/$name" \
            $(pkg-config --cflags --libs kith) || return 1
    done
    as_in_readme pc "$prefix/lib"
}

static_with_pkg_config() {
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    local name
    mkdir -p static && cp "$prefix/lib/libkith.a" static/
    for name in $examples; do
        # shellcheck disable=SC2046
        cc "$root/examples/$name.c" -o "static/$name" $(pkg-config --cflags kith) \
            -Lstatic $(pkg-config --static --libs kith | sed 's|-L[^ ]*stage[^ ]*||') ||
            return 1
    done
    as_in_readme static
}

with_cmake() {
    mkdir -p app && cp "$root"/examples/*.[ch] app/ && cat >app/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(app C)
find_package(kith 0.1 REQUIRED COMPONENTS static)
file(GLOB sources *.c)
foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE kith::kith)
    add_executable(${name}_static ${source})
    target_link_libraries(${name}_static PRIVATE kith::kith_static)
    set_target_properties(${name}_static PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY static)
endforeach()
END
    cmake -S app -B app/build -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build app/build && as_in_readme app/build &&
        as_in_readme app/build/static
}

man_pages_are_clean() {
    command -v man >/dev/null || return 0
    local page said
    for page in "$prefix"/share/man/man1/*.1; do
        said=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l \
            -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || { echo "$page: $said"; return 1; }
    done
}

completion_is_a_script() { bash -n "$prefix/share/bash-completion/completions/kith"; }

# Position independent, relocated once and then read-only, no stack that runs,
# checked buffers and returns; where the processor knows, marked jump targets.
hardened() {
    local file bad=0
    for file in "$prefix/bin/kith" "$prefix/lib/libkith.so"; do
        for what in '-hW|DYN' '-lW|GNU_RELRO' '-lW|GNU_STACK .* RW ' '-dW|BIND_NOW' \
            '--dyn-syms -W|__stack_chk_fail' '--dyn-syms -W|_chk@'; do
            # shellcheck disable=SC2086
            readelf ${what%|*} "$file" | grep -q -e "${what#*|}" ||
                { echo "$file: no ${what#*|}" && bad=1; }
        done
        [ "$(uname -m)" != x86_64 ] || objdump -d "$file" | grep -q endbr64 ||
            { echo "$file: no endbr64" && bad=1; }
    done
    return $bad
}

# Every library that is linked is in the list of parts, but for the system's.
sbom_is_whole() {
    local library bad=0 list=$prefix/share/doc/kith/kith.spdx.json
    grep -q '"spdxVersion": "SPDX-2.3"' "$list" || return 1
    ! grep -n '"versionInfo": ""' "$list" || return 1
    for library in $(readelf -dW "$prefix/bin/kith" "$prefix/lib/libkith.so" |
        sed -n 's/.*(NEEDED).*\[lib\(.*\)\.so.*/\1/p' | sort -u); do
        case $library in
        c | m) continue ;;
        z) library=zlib ;;
        esac
        grep -qE "\"name\": \"(lib)?$library\"" "$list" ||
            { echo "$library is not in it" && bad=1; }
    done
    return $bad
}

step stages stage
step files_are_there files_are_there
step shows_only_public_names only_public_names
step holds_no_build_paths no_build_paths
step is_hardened hardened
step lists_its_parts sbom_is_whole
step works_with_pkg_config with_pkg_config
step works_statically static_with_pkg_config
step works_with_find_package with_cmake
step man_pages_are_clean man_pages_are_clean
step bash_completion_is_a_script completion_is_a_script
echo "$good passed, $bad failed"
[ "$bad" -eq 0 ]
