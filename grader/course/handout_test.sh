#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves a handout: it needs nothing of the staff's tree, the first verdict comes within a minute, a started skeleton
# scores 0, the model answer passes, and nothing of reference/ is in it; one in Italian speaks it. As root the test takes the machine's own copies of the engine's
# libraries away.
#
# usage: handout_test.sh WARPGRADE COURSE SLUG
set -eu
warpgrade=$1 course=$2 slug=$3

if [ "$(id -u)" -eq 0 ] && [ -z "${WARPGRADE_TEST_APART:-}" ] && unshare --mount true 2>/dev/null; then
  WARPGRADE_TEST_APART=yes exec unshare --mount sh "$0" "$@"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "handout_test: $*" >&2
  exit 1
}

"$warpgrade" --course "$course" handout "$slug" -o "$work/week.zip"
"$warpgrade" --course "$course" --language it handout "$slug" -o "$work/settimana"
cd "$work"
python3 -c 'import os, zipfile
with zipfile.ZipFile("week.zip") as packed:
    for each in packed.infolist():
        os.chmod(packed.extract(each), each.external_attr >> 16 & 0o777)'
cd week
[ ! -e reference ] || fail "reference/ was handed out"
[ -z "$(find . -name '*.it.*')" ] || fail "texts in another language were handed out"
if grep -rlF "$course" . >found; then fail "these name the staff's folder: $(cat found)"; fi

if [ -n "${WARPGRADE_TEST_APART:-}" ]; then
  mount --make-rprivate /
  for library in engine/lib/warpgrade/*libs/libfmt* engine/lib/warpgrade/*libs/libyaml*; do
    own=$(ldconfig -p | awk -v name="$(basename "$library")" '$1 == name { print $NF }' | head -n 1)
    if [ -n "$own" ]; then mount --bind /dev/null "$own"; fi
  done
fi
python3 -c 'import json, sys
tasks = json.load(open(".vscode/tasks.json"))
json.load(open(".devcontainer/devcontainer.json"))
sys.exit(tasks["inputs"][0]["options"] != sys.argv[1:])' "$slug" || fail "VS Code's tasks do not offer $slug"
# A student's cache is empty.
export XDG_CACHE_HOME="$work/cache"
start=$(date +%s)
meson setup build >setup.log 2>&1 || { cat setup.log; fail "meson cannot configure it"; }
status=0
engine/bin/warpgrade test "$slug" || status=$?
[ "$status" -eq 77 ] || fail "the untouched skeleton gave $status, not 77"

echo 'static int started = 1; int is_started() { return started; }' >>"skeletons/$slug/$slug.cu"
meson test -C build --print-errorlogs --suite "$slug" >test.log 2>&1 && fail "an empty solution passed"
grep -q "^$slug, you: 0 of " build/meson-logs/testlog.txt || { cat test.log; fail "an empty solution did not score 0"; }
engine/bin/warpgrade test "$slug" --editor >editor.log && fail "an empty solution passed for an editor"
grep -q "^$PWD/skeletons/$slug/$slug.cu:[0-9]*: error: " editor.log || { cat editor.log; fail "no problem has a line"; }
cp "$course/reference/$slug/$slug.cu" "skeletons/$slug/$slug.cu"
meson test -C build --print-errorlogs --suite "$slug" >test.log 2>&1 || { cat test.log; fail "the model answer did not pass"; }
engine/bin/warpgrade doctor >doctor.log || true
grep -q 'not built' doctor.log && { cat doctor.log; fail "doctor asks a student to build something"; }
cd "$work/settimana"
[ "$(head -n 1 "assignments/$slug/handout.md")" = "$(head -n 1 "$course/assignments/$slug/handout.it.md")" ] ||
  fail "the statement is not the Italian one"
grep -q '^# Esercitazioni' README.md || fail "the README is not the Italian one"
engine/bin/warpgrade test "$slug" >untouched.log || [ $? -eq 77 ]
grep -q '^non iniziato: ' untouched.log || { cat untouched.log; fail "the tests do not speak Italian"; }
echo "unpacked, set up and judged four times in $(($(date +%s) - start)) s"
