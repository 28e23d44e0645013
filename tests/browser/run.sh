#!/bin/sh
# run.sh BUILD_DIR: the HTML pages in headless Chromium.  Installs playwright-core
# from npm beside this file if it is missing; Chromium itself is Debian's.
# SHOTS=FOLDER also takes the pictures for docs/.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
KITH=$(cd "$1" && pwd)/kith
DATA=${DATA:-$here/../../../shared/data}
export KITH DATA
CHROMIUM=${CHROMIUM:-$(command -v chromium)}
export CHROMIUM
[ -z "${SHOTS:-}" ] || { SHOTS=$(cd "$SHOTS" && pwd) && export SHOTS; }
cd "$here"
[ -d node_modules/playwright-core ] ||
    npm ci --no-audit --no-fund --ignore-scripts --silent
exec timeout 600 node pages.test.js
