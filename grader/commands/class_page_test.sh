#!/bin/sh
# SPDX-License-Identifier: MIT
# What staff add to a class's page: an answer to a group of equal failures, similar programs, and a leaderboard.
# usage: class_page_test.sh WARPGRADE COURSE
set -u
warpgrade=$(realpath "$1")
course=$(realpath "$2")
folder=$(mktemp -d)
# Students' programs run as another user.
chmod 711 "$folder"
trap 'rm -rf "$folder"' EXIT
failures=0
cd "$folder" || exit 1
mkdir -p class/ann class/bob class/cat class/dan

# ann does not build, bob hands her program in under other names, and cat breaks the skeleton; dan's answer is right.
{ cat "$course/reference/vecadd/vecadd.cu"; echo 'int broken words;'; } > class/ann/vecadd.cu
sed -e 's/\b\(n\|i\|bytes\|threads\|blocks\)\b/my_\1/g' -e 's://.*::' class/ann/vecadd.cu > class/bob/vecadd.cu
{ cat "$course/skeletons/vecadd/vecadd.cu"; echo 'int broken words;'; } > class/cat/vecadd.cu
cp "$course/reference/vecadd/vecadd.cu" class/dan/vecadd.cu

# call STATUS COMMAND ARGUMENTS...: the command ends with the status; its output lies in out and err.
call() {
  wanted=$1
  shift
  "$warpgrade" --course "$course" "$@" > out 2> err
  status=$?
  [ $status -eq "$wanted" ] && return
  echo "$* ended with $status instead of $wanted"; cat out err
  failures=$((failures + 1))
}
says() {
  grep -q -- "$2" "$1" || { echo "wanted in $1: $2"; head -c 500 "$1"; failures=$((failures + 1)); }
}
lacks() {
  if grep -q -- "$2" "$1"; then echo "unwanted in $1: $2"; failures=$((failures + 1)); fi
}
results=results/vecadd

mkdir broken && cp -r class/ann class/bob class/cat broken
call 0 grade vecadd broken
group=$(sed -n 's/.*<code>\(group:[^,]*\),\([^,]*\),POINTS.*/\1,\2/p' $results/index.html | head -n 1)
[ -n "$group" ] || { echo "the page names no group"; failures=$((failures + 1)); }
says $results/index.html 'Source of ann around line'
call 2 leaderboard $results
says err 'no student has earned points for speed in vecadd'

printf 'student,item,points,note,by,date\n%s,5,the statement was unclear,Mira,2026-11-24\n' "$group" > $results/decisions.csv
call 0 grade vecadd broken
for student in ann bob cat; do
  says $results/grades.csv "^$student,5,"
  says $results/students/$student.txt 'decided by Mira, 2026-11-24: 5 instead of 0 points: the statement was unclear'
done
says $results/index.html '<h2>Decisions</h2>'
printf 'student,item,points,note,by,date\ngroup:no.such@case,sum,5,n,Mira,\n' > $results/decisions.csv
call 2 grade vecadd broken
says err "decisions.csv:2: no reason is called 'no.such'"
rm $results/decisions.csv
call 0 grade vecadd broken
says $results/grades.csv '^cat,0,'

call 0 similarity $results
says out 'ann, bob'
lacks out 'cat'
says $results/index.html 'Pair 1: ann and bob side by side'
lacks $results/students/ann.html 'Similar programs'
echo '// another' >> broken/bob/vecadd.cu
call 0 grade vecadd broken
says $results/index.html '1 pair is not shown, since a submission has changed'
call 2 similarity "$folder/none"

call 0 grade vecadd class
call 0 leaderboard $results
name=$(sed -n 's/^Your name on the leaderboard is \(.*\)\.$/\1/p' $results/students/dan.txt)
[ -n "$name" ] || { echo "dan does not know his pseudonym"; failures=$((failures + 1)); }
says $results/leaderboard.html "$name"
lacks $results/leaderboard.html 'dan'
says $results/index.html "$name"
call 0 leaderboard $results --undo
[ ! -e $results/leaderboard.html ] || { echo "the leaderboard stays"; failures=$((failures + 1)); }
lacks $results/students/dan.txt 'leaderboard'
exit $failures
