#!/bin/sh
# wheel.sh: `make python`, and its wheel in a fresh virtual environment and below
# DESTDIR: it imports, and gives the answers of the command; and the notebooks.
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-/usr/bin/python3}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

make python PYTHON="$python"
wheel=$(ls build/wheel/*.whl)
case $wheel in *-abi3-*) ;; *) echo "not ok: $wheel is for one Python" && exit 1 ;; esac

"$python" -m venv --system-site-packages "$temp/venv"
scripts/install-wheel.sh "$temp/venv/bin/python" "$wheel"
printf '1\tMr. Hi\n34\tOfficer\n' >"$temp/known.tsv"
build/kith classify data/karate --labels "$temp/known.tsv" -o "$temp/c.tsv" -q
cat >"$temp/try.py" <<'END'
import sys

import kith

assert "PYTHONPATH" not in kith.__file__
clf = kith.NodeClassifier().fit(sys.argv[1], {1: "Mr. Hi", 34: "Officer"})
clf.write(sys.argv[2])
END
env -u PYTHONPATH "$temp/venv/bin/python" "$temp/try.py" data/karate "$temp/p.tsv"
cmp "$temp/c.tsv" "$temp/p.tsv"

to=$(scripts/install-wheel.sh "$python" "$wheel" "$temp/dest" /usr/local)
PYTHONPATH=$(dirname "$to") "$python" "$temp/try.py" data/karate "$temp/q.tsv"
cmp "$temp/c.tsv" "$temp/q.tsv"

# Nothing of another OpenMP is inside, and nothing but the module's start is shown.
! ldd "$to/_kith.abi3.so" | grep -E 'libomp|libiomp|not found'
[ "$(nm -D --defined-only "$to/_kith.abi3.so" | awk '{ print $3 }')" = PyInit__kith ]

# The notebooks run from top to bottom with it.
for notebook in examples/notebooks/*.ipynb; do
    PYTHONPATH=$(dirname "$to") "$python" -m nbconvert --to notebook --execute \
        --log-level=ERROR --output-dir "$temp" "$notebook"
done
echo "1 passed, 0 failed"
