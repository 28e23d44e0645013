#!/bin/bash
# lint.sh [NAME...]: every check of the source that needs no build; `lint.sh
# format` runs one.  Output is TAP, then one line `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2

# The files in git, and those that would be added.
files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@"
    else
        find . \( -path './build*' -o -path ./.git \) -prune -o -type f -print | sed 's|^\./||' |
            while read -r f; do
                for glob in "$@"; do
                    # shellcheck disable=SC2254 # it is a pattern
                    case $f in $glob) echo "$f" ;; esac
                done
            done
    fi | LC_ALL=C sort -u | while read -r f; do [ ! -f "$f" ] || echo "$f"; done
}
c_files() { files '*.c' '*.h'; }
per_core() { xargs -r -P "$(nproc)" "$@"; }
# Print what grep finds and fail if it finds anything.
none() { ! grep . ; }

lint_format() { c_files | xargs -r clang-format --dry-run -Werror; }

lint_layers() { tests/lint/layers.sh; }

# pmccabe: modified complexity, complexity, statements, line, lines, where.
# It does not see through macros, so what they generate is not counted.
functions() { files 'src/*.c' 'src/*.h' 'tools/*.c' 'cli/*.c' 'examples/*.c' \
    'bench/*.c' 'python/ext/*.c' 'tests/fuzz/*.c' 'tests/unit/*.c' | xargs -r pmccabe; }
lint_complexity() {
    functions | awk -F'\t' '$1 > 20 {
        print $6 " " $7 ": complexity " $1 ", at most 20" }' | none
}
lint_length() {
    functions | awk -F'\t' '$5 > 80 {
        print $6 " " $7 ": " $5 " lines, at most 80" }' | none
}

# One file at a time: several in one process confuse its va_list checker.
# OpenMP pragmas are left out, so the loops are checked as plain ones.
tidy_one() {
    local checks=() flags=(-std=c11 -Wall -Wextra -Wno-unknown-pragmas
        -Wno-unused-parameter -Iinclude -Isrc -Itools
        -D_GNU_SOURCE -D_OPENMP=201511 -DKITH_BUILDING -DKITH_HAVE_ZLIB
        -DKITH_HAVE_ZSTD -DKITH_HAVE_EXPAT -DKITH_HAVE_XGBOOST -DKITH_HAVE_SQLITE
        -idirafter "$(gcc -print-file-name=include)") # for omp.h
    case $1 in
    src/core/status.c | src/core/number.c) ;;
    src/* | tools/*) flags+=(-include tests/lint/assume.h) ;;
    python/*) flags+=(-isystem "$(/usr/bin/python3 -c \
        'import sysconfig; print(sysconfig.get_path("include"))')") ;;
    esac
    # the path analyser takes minutes over its nested releases
    [ "$1" != python/ext/arrow.c ] || checks=(--checks=-clang-analyzer-*)
    clang-tidy --quiet "${checks[@]}" "$1" -- "${flags[@]}" >"$tmp/tidy.$$" 2>/dev/null && return
    # the path that leads there is long: run clang-tidy by hand to see it
    grep -A2 error: "$tmp/tidy.$$"
    return 1
}
export -f tidy_one
export tmp
lint_tidy() {
    files 'src/*.c' 'tools/*.c' 'cli/*.c' 'examples/*.c' 'tests/fuzz/*.c' \
        'python/ext/*.c' |
        per_core -n 1 bash -c 'tidy_one "$0"'
}

lint_cppcheck() {
    files 'src/*.c' 'tools/*.c' 'cli/*.c' 'examples/*.c' 'tests/fuzz/*.c' \
        'python/ext/*.c' |
        xargs -r cppcheck --quiet -j "$(nproc)" --std=c11 --platform=unix64 \
            --enable=warning,performance,portability --inline-suppr \
            --error-exitcode=1 --max-configs=4 \
            --suppress=missingInclude --suppress=missingIncludeSystem \
            --suppress=unmatchedSuppression --suppress=autoVariables \
            --suppress=invalidFunctionArg \
            --suppress='missingReturn:python/ext/*' \
            --template='{file}:{line}: {message} [{id}]' \
            -Iinclude -Isrc -Itools -D_GNU_SOURCE -DKITH_BUILDING -DKITH_HAVE_ZLIB \
            -DKITH_HAVE_ZSTD -DKITH_HAVE_EXPAT -DKITH_HAVE_XGBOOST -DKITH_HAVE_SQLITE
}

# The library never prints, exits, aborts or reads the environment.
lint_quiet_library() {
    files 'src/*.[ch]' 'tools/*.[ch]' | xargs -r grep -nE \
        '(^|[^[:alnum:]_.>])(printf|vprintf|puts|putchar|perror|exit|_exit|abort|getenv|secure_getenv|system|popen) *\(|[^[:alnum:]_/](stdout|stderr)[^[:alnum:]_]' \
        /dev/null | grep -vE '^[^:]*:[0-9]+: *(/?\*|//)' | none
}

# What the command says goes through term_line(), which tames names and ids.
lint_tame() {
    files 'cli/*.c' | grep -v -e '/term\.c$' -e '/progress_tty\.c$' |
        xargs -r grep -nE 'fprintf\(stderr' /dev/null | none
}

# Floats go to and from text in core/number.c, or a host's locale would change
# them; the command stays in the C locale.
lint_numbers() {
    files 'src/*.c' 'tools/*.c' | grep -v '/core/number\.c$' | xargs -r awk '
        /[^_[:alnum:]]snprintf\(/ { call = ""; open = FNR }
        open { call = call $0 }
        open && /;/ {
            if (call ~ /%[-+ #0-9.*]*[efgEFG]/)
                print FILENAME ":" open ": a float needs kith__print()"
            open = 0
        }' | none &&
        files 'src/*.[ch]' 'tools/*.[ch]' 'cli/*.[ch]' |
        xargs -r grep -n 'setlocale *(' /dev/null | none
}

lint_shell() {
    local f bad=0
    while read -r f; do
        case $(head -n 1 "$f") in
        *bash*) bash -n "$f" || bad=1 ;;
        *) sh -n "$f" || bad=1 ;;
        esac
    done < <(files '*.sh' '*.test' '.ci/run')
    while read -r f; do
        [ -x "$f" ] || { echo "$f: not executable" && bad=1; }
    done < <(files '*.sh' '.ci/run')
    return $bad
}

# Syntax, names that are not there, imports that are not used.
lint_python() { files '*.py' | xargs -r /usr/bin/python3 -m pyflakes; }

# The brackets keep these patterns from finding themselves.
lint_paths() {
    files '*' | xargs -r grep -InE \
        '(^|[^[:alnum:]._$}-])/([h]ome|[r]oot|[w]ork|[U]sers)/[[:alnum:]._-]' \
        /dev/null | none
}
lint_left_to_do() { files '*' | xargs -r grep -InwE '[T]ODO|[F]IXME' /dev/null | none; }

lint_white_space() {
    files '*.c' '*.h' '*.sh' '*.cmake' '*.txt' '*.md' '*.json' Makefile |
        grep -v '\.input' | xargs -r grep -nE '[[:blank:]]+$|'$'\r' /dev/null | none
}

all=(format layers complexity length tidy cppcheck quiet_library tame numbers shell python paths
    left_to_do white_space)
[ $# -gt 0 ] || set -- "${all[@]}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

good=0 bad=0
for name in "$@"; do
    if "lint_$name" >"$tmp/out" 2>&1; then
        echo "ok lint_$name"
        good=$((good + 1))
    else
        head -n 200 "$tmp/out" | sed 's/^/# /'
        echo "not ok lint_$name"
        bad=$((bad + 1))
    fi
done
echo "$good passed, $bad failed"
[ "$bad" -eq 0 ]
