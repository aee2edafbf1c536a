#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves that what `warpgrade new` makes passes `warpgrade check` as it is.
#
# usage: new_test.sh WARPGRADE COURSE
# The build has the oracle of the assignment new-sample, made from the same template.
set -eu
warpgrade=$1 course=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$course/grader" "$work/grader"
mkdir "$work/rubrics" "$work/assignments"

"$warpgrade" --course "$work" new new-sample --title 'A sample'
"$warpgrade" --course "$work" check new-sample
