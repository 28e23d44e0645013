#!/bin/sh
# run.sh NAME: tests/test_NAME.py by pytest, with the module of BUILD; what is
# missing for it is said, as a test that is skipped.
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-/usr/bin/python3}
skip() { echo "ok python_$1 # SKIP $2"; exit 0; }

[ -f "$BUILD/python/kith/_kith.abi3.so" ] ||
    skip "$1" "the Python package is not built (python3-dev)"
for module in numpy pytest; do
    "$python" -c "import $module" 2>/dev/null || skip "$1" "there is no python3-$module"
done
PYTHONPATH=$BUILD/python
export PYTHONPATH
PYTHONDONTWRITEBYTECODE=1 exec "$python" -m pytest -q -p no:cacheprovider \
    --rootdir "$here" -c /dev/null "$here/test_$1.py"
