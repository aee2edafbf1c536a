#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves a student's tree: it builds from nothing, its tests run, a started skeleton scores 0, and
# nothing of reference/ is in it.
#
# usage: handout_test.sh WARPGRADE COURSE SLUG [NVCC]
set -eu
warpgrade=$1 course=$2 slug=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

fail() {
  echo "handout_test: $*" >&2
  exit 1
}

"$warpgrade" --course "$course" handout "$slug" -o "$tree"
[ ! -e "$tree/reference" ] || fail "reference/ was handed out"

cd "$tree"
printf "[binaries]\ncuda = '%s'\n" "${4:-nvcc}" >nvcc.ini
meson setup --native-file nvcc.ini build >setup.log 2>&1 || { cat setup.log; fail "meson cannot configure it"; }
ninja -C build >build.log 2>&1 || { tail -n 50 build.log; fail "it does not build"; }

status=0
build/warpgrade test "$slug" || status=$?
[ "$status" -eq 77 ] || fail "the untouched skeleton gave $status, not 77"

echo 'static int started = 1; int is_started() { return started; }' >>"skeletons/$slug/$slug.cu"
meson test -C build --print-errorlogs >test.log 2>&1 && fail "an empty solution passed"
grep -q "^$slug, you: 0 of " build/meson-logs/testlog.txt || { cat test.log; fail "an empty solution did not score 0"; }
echo "the student's tree of $slug builds, tests and scores 0"
