#!/bin/sh
# SPDX-License-Identifier: MIT
# What the staff mistypes ends every command with exit 2 before anything is graded.
# usage: names_test.sh WARPGRADE COURSE
set -u
warpgrade=$1 course=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/rubrics" "$work/class"
for shared in assignments reference skeletons grader; do ln -s "$course/$shared" "$work/$shared"; done
cp "$course/rubrics/vecadd.yaml" "$work/rubrics/"
cp "$course/reference/vecadd/vecadd.cu" "$work/class/anna.cu"
failures=0
# ends STATUS TEXT COMMAND...: it ends so and says so.
ends() {
  status=$1 text=$2
  shift 2
  "$warpgrade" --course "$work" "$@" >"$work/said" 2>&1
  got=$?
  [ "$got" -eq "$status" ] || { echo "$*: ended with $got, not $status"; cat "$work/said"; failures=$((failures + 1)); }
  grep -qF -- "$text" "$work/said" || { echo "$*: did not say: $text"; cat "$work/said"; failures=$((failures + 1)); }
}

ends 0 'no mistakes' lint
ends 2 "has no public case 'nosuch'" test vecadd nosuch

printf 'late:\n  extensions:\n    - {student: ana, days: 7}\n' >"$work/rubrics/course.yaml"
printf 'student,submitted\nanna,2026-10-05 23:59 Z\nbrois,2026-10-05 23:59 Z\n' >"$work/times.csv"
ends 2 "times.csv:3: no submission is called 'brois'" \
  grade vecadd "$work/class" -o "$work/results" --submitted "$work/times.csv" --strict
ends 2 "course.yaml:3: no submission is called 'ana'; did you mean 'anna'?" \
  grade vecadd "$work/class" -o "$work/results" --strict
[ ! -e "$work/results" ] || { echo 'something was graded'; failures=$((failures + 1)); }
rm "$work/rubrics/course.yaml"

sed -i 's/range: add/range: adc/' "$work/rubrics/vecadd.yaml"
for command in lint 'plan vecadd' "grade vecadd $work/class -o $work/results" 'check vecadd' 'test vecadd'; do
  # shellcheck disable=SC2086
  ends 2 "the driver opens no range 'adc'; did you mean 'add'?" $command
done
exit $((failures > 0))
