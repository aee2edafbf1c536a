#!/bin/sh
# SPDX-License-Identifier: MIT
# Without a sandbox that works, submissions are graded only by --unsafe-no-sandbox, and each result says so. A student's
# own program is tested all the same.
# usage: no_sandbox_test.sh WARPGRADE COURSE
set -u
warpgrade=$1
course=$2
folder=$(mktemp -d)
# Students' programs run as another user.
chmod 711 "$folder"
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME="$folder/cache"
unshare -m --propagation private sh -c 'mount --bind /dev/null /usr/bin/bwrap' 2> /dev/null || { echo "no file can be hidden here"; exit 77; }
mkdir -p "$folder/class/ann"
cp "$course/reference/vecadd/vecadd.cu" "$folder/class/ann/"
failures=0

# without SUBCOMMAND...: runs warpgrade where bubblewrap starts nothing; leaves `status` and $folder/log.
without() {
  unshare -m --propagation private sh -c 'mount --bind /dev/null /usr/bin/bwrap && exec "$0" "$@"' \
    "$warpgrade" --course "$course" "$@" > "$folder/log" 2>&1
  status=$?
}

# expect WHAT STATUS TEXT: the last run ended so and printed the words.
expect() {
  if [ "$status" -ne "$2" ] || ! tr '\n' ' ' < "$folder/log" | grep -qF -- "$3"; then
    echo "$1: status $status; wanted $2 and: $3"
    cat "$folder/log"
    failures=$((failures + 1))
  fi
}

refused="Without a sandbox a submission can read and change all that you can, so nothing was graded."
without grade vecadd "$folder/class" -o "$folder/out" --device emulated --seed 7
expect "grade" 1 "$refused"
[ ! -e "$folder/out/results/ann.json" ] || { echo "grade wrote a result"; failures=$((failures + 1)); }
(cd "$folder/class" && python3 -m zipfile -c ../class.zip ann)
without grade vecadd "$folder/class.zip" -o "$folder/zipped" --device emulated --seed 7
expect "grade of an archive" 1 "archives are opened in the sandbox only"
without check vecadd --seed 7
expect "check" 1 "$refused"
without doctor
expect "doctor" 1 "missing  sandbox: bubblewrap does not work"

without grade vecadd "$folder/class" -o "$folder/out" --device emulated --seed 7 --unsafe-no-sandbox
expect "grade --unsafe-no-sandbox" 0 "--unsafe-no-sandbox: submissions run without a sandbox"
expect "grade --unsafe-no-sandbox" 0 "Graded without a sandbox (--unsafe-no-sandbox)"
tr -d '\n ' < "$folder/out/results/ann.json" | grep -q '"sandbox":{"isolation":"rlimits","limits":"[a-z0-9]*","unsafe":true}' ||
  { echo "the result does not say that there was no sandbox"; failures=$((failures + 1)); }
grep -q '^ann,100' "$folder/out/grades.csv" || { echo "the model answer does not earn 100"; cat "$folder/out/grades.csv"; failures=$((failures + 1)); }

# With a sandbox again, the same command grades the submission again.
"$warpgrade" --course "$course" grade vecadd "$folder/class" -o "$folder/out" --device emulated --seed 7 > "$folder/log" 2>&1
status=$?
expect "grade in a sandbox" 0 ""
tr -d '\n ' < "$folder/out/results/ann.json" | grep -q '"sandbox":{"isolation":"bubblewrap"' ||
  { echo "the result of no sandbox was kept"; failures=$((failures + 1)); }

mkdir -p "$folder/own/skeletons/vecadd"
for part in assignments rubrics grader; do ln -s "$course/$part" "$folder/own/$part"; done
cp "$course/reference/vecadd/vecadd.cu" "$folder/own/skeletons/vecadd/"
course="$folder/own"
without test vecadd
expect "test" 0 "so your program runs without a sandbox"
exit $((failures > 0))
