#!/bin/sh
# install-wheel.sh PYTHON WHEEL [DESTDIR [PREFIX]]: install a wheel without the
# network.  Where: into the virtual environment that PYTHON is of; else into
# PREFIX/lib/pythonX.Y/dist-packages below DESTDIR, where Debian's Python looks
# for what is not Debian's own (PREFIX=/usr/local).
set -eu
python=$1 wheel=$2 destdir=${3:-} prefix=${4:-/usr/local}

if [ -z "$destdir" ] && "$python" -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)'; then
    exec "$python" -m pip install --quiet --no-index --no-deps --force-reinstall "$wheel"
fi
to=$destdir$prefix/lib/$("$python" -c \
    'import sys; print("python%d.%d" % sys.version_info[:2])')/dist-packages
mkdir -p "$to"
rm -rf "$to"/kith "$to"/kith-*.dist-info
"$python" -m zipfile -e "$wheel" "$to"
echo "$to/kith"
