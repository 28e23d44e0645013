#!/bin/sh
# setup.sh [TAG...]: install the packages of scripts/packages.txt that carry one
# of the tags (default: build) and are missing.  Silent if none is.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- build

# "package purpose" of the list's lines that carry a wanted tag
wanted=$(awk -v tags="$*" '
    BEGIN { n = split(tags, tag, " ") }
    /^[ \t]*(#|$)/ { next }
    {
        package = $1; has = "," $2 ","
        $1 = $2 = ""; sub(/^ +/, "")
        for (i = 1; i <= n; i++)
            if (index(has, "," tag[i] ",")) { print package, $0; break }
    }' "$here/packages.txt")
if [ -z "$wanted" ]; then
    echo "setup: no package is tagged: $*" >&2
    exit 2
fi
show() { awk '{ name = $1; $1 = ""; printf "    %-20s%s\n", name, $0 }'; }

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    {
        echo "setup: this is not a Debian system, so nothing was installed."
        echo "setup: Kith needs what these Debian 12 packages hold:"
        printf '%s\n' "$wanted" | show
        echo "setup: install them your own way, then run make with SETUP=no"
    } >&2
    exit 1
fi

# shellcheck disable=SC2046 # one word per package
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' \
    $(printf '%s\n' "$wanted" | cut -d' ' -f1) 2>/dev/null |
    sed -n 's/^installed //p' || true)
missing=$(printf '%s\n' "$wanted" | awk -v have="$installed" '
    BEGIN { n = split(have, name); for (i = 1; i <= n; i++) there[name[i]] = 1 }
    !($1 in there)' | while read -r name purpose; do
    # npm may come with another nodejs package, and would clash with it
    [ "$name" = npm ] && command -v npm >/dev/null || echo "$name $purpose"
done)
[ -n "$missing" ] || exit 0

echo "setup: installing what is missing, with apt-get:"
printf '%s\n' "$missing" | show
names=$(printf '%s\n' "$missing" | cut -d' ' -f1)

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: neither root nor sudo; as root run:" >&2
        echo "    apt-get install" $names >&2
        exit 1
    fi
    as_root=sudo
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
    if ! $as_root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; then
        cat "$log" >&2
        echo "setup: failed: $*" >&2
        exit 1
    fi
}
quietly apt-get update -q
quietly apt-get install -q -y --no-install-recommends $names
echo "setup: done"
