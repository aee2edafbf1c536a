#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves that what `warpgrade new` makes passes `warpgrade check` as it is.
#
# usage: new_test.sh WARPGRADE
set -eu
warpgrade=$1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/rubrics" "$work/assignments"
# Its oracle is compiled on first use.
export XDG_CACHE_HOME="$work/cache"

"$warpgrade" --course "$work" new new-sample --title 'A sample'
# What the template asks of its author stands open, and nothing else.
"$warpgrade" --course "$work" check new-sample --seed 1 --jobs 2 >"$work/open" && { echo 'an unfinished handout was proved'; exit 1; }
[ "$(grep -c 'handout.md:[0-9]*: the template still asks here' "$work/open")" -eq 3 ] || { cat "$work/open"; exit 1; }
sed -i '/WRITE:/d' "$work/assignments/new-sample/handout.md"
"$warpgrade" --course "$work" check new-sample --seed 1 --jobs 2
"$warpgrade" --course "$work" check new-sample --seed 1 --seeds 2 --jobs 2 | tee "$work/seeds"
[ "$(tail -n 1 "$work/seeds")" = 'all was proved under 2 of 2 seeds (1 to 2); 1 of 1 assignments under every seed' ]
[ "$(grep -c '^seed [12]: all was proved in [0-9]* s' "$work/seeds")" -eq 2 ]
# Under the second seed the nine mutants and the skeleton ran where they had lost their items under the first.
grep -q '^seed 2: .*; 10 of 14 submissions ran only the cases that had shown their losses' "$work/seeds"
# A mutant that is a patch prints as a program, and one that no longer fits its base is a mistake of the course's.
"$warpgrade" --course "$work" mutant new-sample no-guard >"$work/no-guard.cu"
sed 's|^  if (i < n) y|  (void)n;\n  y|' "$work/reference/new-sample/new-sample.cu" >"$work/wanted.cu"
tail -n +3 "$work/no-guard.cu" | cmp - "$work/wanted.cu"
sed -i 's/if (i < n) y/if (i <  n) y/' "$work/reference/new-sample/new-sample.cu"
status=0
"$warpgrade" --course "$work" check new-sample >"$work/stale" 2>&1 || status=$?
[ "$status" -eq 2 ] || { cat "$work/stale"; exit 1; }
grep -q 'mutants/no-guard.patch:5: error: .*new-sample.cu has no line "  if (i < n) y' "$work/stale" || { cat "$work/stale"; exit 1; }
