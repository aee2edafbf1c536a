#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks an autograder as Gradescope does, runs its setup.sh and its run_autograder on nothing, on an answer that does not
# build and on a right one, and reads results.json.
#
# usage: autograder_test.sh WARPGRADE COURSE SLUG
set -eu
warpgrade=$1 course=$2 slug=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Students' programs run as other users.
chmod 711 "$work"

if [ ! -x /usr/bin/bwrap ]; then
  echo "skipped: bubblewrap is not installed"
  exit 77
fi
"$warpgrade" --course "$course" autograder "$slug" -o "$work/autograder.zip" --keep-best --hidden-items after_published
export AUTOGRADER_ROOT="$work/autograder"
mkdir -p "$AUTOGRADER_ROOT/submission" "$work/bin"
python3 -c 'import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as packed:
    for each in packed.infolist():
        os.chmod(packed.extract(each, sys.argv[2]), each.external_attr >> 16 & 0o777)' \
  "$work/autograder.zip" "$AUTOGRADER_ROOT/source"
cd "$AUTOGRADER_ROOT"
for needed in setup.sh run_autograder; do [ -x "source/$needed" ] || { echo "$needed is not at the top"; exit 1; }; done
if find source -path '*mutants*' -o -path '*exploits*' | grep -q .; then echo "wrong answers were packed"; exit 1; fi

# No package may be needed where nvcc, g++ and bubblewrap are.
printf '#!/bin/sh\necho "apt-get was called" >&2\nexit 1\n' >"$work/bin/apt-get"
chmod +x "$work/bin/apt-get"
PATH="$work/bin:${CUDA_HOME:-/usr/local/cuda}/bin:$PATH"
export PATH
sh -n source/run_autograder
source/setup.sh >setup.log 2>&1 || { cat setup.log; exit 1; }
for hidden in source/course source/engine/lib/warpgrade/assignments/oracle-*; do
  [ "$(stat -c %a "$hidden")" = 700 ] || { echo "others may read $hidden"; exit 1; }
done
cp source/run_autograder .

# expect SCORE: what run_autograder makes of the submission.
expect() {
  ./run_autograder >run.log 2>&1 || { cat run.log; exit 1; }
  python3 - "$1" "$course/rubrics/$slug.yaml" <<'PYTHON' || { cat run.log results/results.json; exit 1; }
import json, re, sys
text = open("results/results.json", encoding="utf-8").read()
whole = json.loads(text)
assert whole["score"] == float(sys.argv[1]), whole["score"]
assert sum(test.get("max_score", 0) for test in whole["tests"]) == 100
assert {test["visibility"] for test in whole["tests"]} <= {"visible", "after_published"}
hidden = re.findall(r"- {id: ([\w-]+), kinds:", open(sys.argv[2], encoding="utf-8").read())
assert hidden and not [each for each in hidden if f"'{each}'" in text], hidden
PYTHON
}

expect 0
echo 'int broken' >"submission/$slug.cu"
echo '{"previous_submissions": [{"score": "62.5", "autograder_error": false}]}' >submission_metadata.json
expect 62.5
cp "$course/reference/$slug/$slug.cu" submission/
expect 100

# What is not the student's fault makes no score.
mv source/course/rubrics/"$slug".yaml rubric.yaml
if ./run_autograder >run.log 2>&1 || [ -e results/results.json ]; then cat run.log; echo "a failure made a score"; exit 1; fi
