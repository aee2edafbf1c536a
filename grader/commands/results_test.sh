#!/bin/sh
# SPDX-License-Identifier: MIT
# A results folder belongs to one assignment, and nothing in it is lost, edited or mixed without a word.
# usage: results_test.sh WARPGRADE COURSE
set -u
warpgrade=$(realpath "$1")
course=$2
folder=$(mktemp -d)
# Students' programs run as another user.
chmod 711 "$folder"
trap 'rm -rf "$folder"' EXIT
failures=0
mkdir -p "$folder/class/ann" "$folder/class/bob"
echo 'int broken' > "$folder/class/ann/vecadd.cu"
echo 'int broken' > "$folder/class/bob/vecadd.cu"
cd "$folder" || exit 1

# call COMMAND STATUS ARGUMENTS...: the command ends with the status; its output lies in out and err.
call() {
  command=$1
  wanted=$2
  shift 2
  "$warpgrade" --course "$course" "$command" "$@" > out 2> err
  status=$?
  [ $status -eq "$wanted" ] && return
  echo "$command $* ended with $status instead of $wanted"; cat out err
  failures=$((failures + 1))
}
grade() { call grade "$@"; }
report() { call report "$@"; }
says() {
  grep -q -- "$2" "$1" || { echo "wanted in $1: $2"; cat "$1"; failures=$((failures + 1)); }
}

grade 0 vecadd class
[ -f results/vecadd/grades.csv ] || { echo "no results/vecadd"; failures=$((failures + 1)); }

mkdir -p other/ann && echo 'int broken' > other/ann/dot.cu
cp -r results/vecadd before
grade 2 dot other -o results/vecadd
says err 'results/vecadd holds results of vecadd'
says err 'without -o it is results/dot'
diff -r before results/vecadd || { echo "something was touched"; failures=$((failures + 1)); }

sed -i 's/"score": 0.0/"score": 100.0/' results/vecadd/results/ann.json
grade 0 vecadd class
says err 'ann.json was not used: its hash does not fit'
says results/vecadd/grades.csv '^ann,0,'
[ -f results/vecadd/results/ann.json.damaged-1 ] || { echo "the edited file is gone"; failures=$((failures + 1)); }

truncate -s 100 results/vecadd/results/bob.json
grade 1 vecadd class/ann
says err 'bob.json cannot be used, and grades.csv has no row of bob'
rm results/vecadd/index.html results/vecadd/students/*
report 1 results/vecadd
says err 'bob.json has no page: it is no whole JSON object: grade the submission again'
says results/vecadd/students/ann.html 'int broken'
says results/vecadd/index.html 'students/ann.html'
[ ! -e results/vecadd/students/bob.html ] || { echo "a damaged result has a page"; failures=$((failures + 1)); }
report 2 class
says err 'class holds no results'
mkdir begun && cp results/vecadd/seed begun
call status 2 begun
says err 'begun holds no results yet: .*Start the same grade again'
grade 0 vecadd class
says results/vecadd/grades.csv '^bob,0,'

: > results/vecadd/seed
grade 1 vecadd class
says err 'results/vecadd/seed is damaged'
says err 'remove it, and everyone is graded again'
rm results/vecadd/seed
grade 0 vecadd class/ann
says out '1 of 2 rows in grades.csv was graded with another seed (bob)'
says results/vecadd/grades.csv 'graded_with'
grade 0 vecadd class
! grep -q graded_with results/vecadd/grades.csv || { echo "the column stays"; failures=$((failures + 1)); }

ln class/ann/vecadd.cu class/carol.cu
grade 1 vecadd class
says results/vecadd/grades.csv '^carol,,'
says results/vecadd/grades.csv 'is a hard link'

# The rest needs file systems of its own.
if unshare -m --propagation private true 2> /dev/null; then
  rm class/carol.cu
  mkdir -p small
  unshare -m --propagation private sh -c '
    mount -t tmpfs -o size=16k none small || exit 77
    "$1" --course "$2" grade vecadd class -o small/vecadd; status=$?; ls -R small; exit $status' \
    sh "$warpgrade" "$course" > out 2> err
  status=$?
  [ $status -eq 1 ] || [ $status -eq 77 ] || { echo "on a full disk: $status"; cat out err; failures=$((failures + 1)); }
  [ $status -eq 77 ] || says err 'No space left on device'
fi
exit $((failures > 0))
