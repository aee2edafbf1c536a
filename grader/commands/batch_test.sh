#!/bin/sh
# SPDX-License-Identifier: MIT
# A class in shards on one folder and in two folders, with decisions, regrading, release and the course's sheet.
# No submission here compiles, so that only the work on results takes time.
# usage: batch_test.sh WARPGRADE COURSE
set -u
warpgrade=$(realpath "$1")
course=$2
folder=$(mktemp -d)
# Students' programs run as another user.
chmod 711 "$folder"
trap 'rm -rf "$folder"' EXIT
failures=0
for student in ann bob carol dan; do
  mkdir -p "$folder/class/$student"
  echo "int broken_$student" > "$folder/class/$student/vecadd.cu"
done
cd "$folder" || exit 1

# expect STATUS ARGUMENTS...: the command ends with the status; its output lies in out and err.
expect() {
  wanted=$1
  shift
  "$warpgrade" --course "$course" "$@" > out 2> err
  status=$?
  [ $status -eq "$wanted" ] && return
  echo "$* ended with $status instead of $wanted"; cat out err
  failures=$((failures + 1))
}
says() {
  grep -q -- "$2" "$1" || { echo "wanted in $1: $2"; cat "$1"; failures=$((failures + 1)); }
}
fails() {
  echo "$1"; failures=$((failures + 1))
}

# Two shards at once, one folder: one seed, all rows, and each result once.
for shard in 1 2; do
  "$warpgrade" --course "$course" grade vecadd class -o shared --shard $shard/2 > log-$shard 2>&1 &
  eval "shard_$shard=\$!"
done
wait "$shard_1" || { cat log-1; fails "shard 1 failed"; }
wait "$shard_2" || { cat log-2; fails "shard 2 failed"; }
[ "$(cut -d, -f1 shared/grades.csv | tr '\n' ' ')" = "student ann bob carol dan " ] || { cat shared/grades.csv; fails "rows are missing"; }
expect 2 grade vecadd class -o shared --shard 3/2
says err 'expected I/N with 1 <= I <= N, such as 2/8'

# Two folders with seeds of their own do not belong together; with one seed they do.
expect 0 grade vecadd class -o one --shard 1/2
expect 0 grade vecadd class -o two --shard 2/2
expect 2 merge one two -o all
says err 'was graded with another seed than'
[ ! -e all ] || fails "merge refused and wrote"
mkdir -p three && cp one/seed three/seed
expect 0 grade vecadd class -o three --shard 2/2
expect 0 merge one three -o all
says out '4 students of vecadd in all/grades.csv'
expect 0 merge one three -o all
[ ! -e all/earlier ] || fails "merging again replaced results"

# Decisions are checked before anything is graded, and survive grading.
echo 'student,item,points,note,by,date' > all/decisions.csv
echo 'anm,,+5,explained it well,Mira,2026-11-20' >> all/decisions.csv
expect 2 grade vecadd class -o all
says err "decisions.csv:2: no submission is called 'anm'; did you mean 'ann'?"
sed -i s/anm/ann/ all/decisions.csv
expect 0 regrade all --dry-run
says out '^ann: 0 -> 5 of 100$'
says out 'would change; nothing was written'
says all/grades.csv '^ann,0,'
expect 0 regrade all
says out '^1 of 4 results changed'
says all/grades.csv '^ann,5,.*score: decided by Mira, 2026-11-20: 5 instead of 0 points: explained it well'
says all/students/ann.txt 'Score: decided by Mira'
ls all/earlier/ann/*.json > /dev/null || fails "the earlier result is gone"
[ ! -e all/earlier/bob ] || fails "what did not change was replaced"
rm -r class
mv all/seed kept-seed
expect 2 regrade all
says err "all/seed is missing"
mv kept-seed all/seed
expect 0 regrade all ann --force
says out '^0 of 1 result changed'
says all/grades.csv '^ann,5,'
expect 2 regrade all anm
says err "all holds no result of 'anm'; did you mean 'ann'?"

# What brought the grader down three times waits until it is asked for.
echo '2 elsewhere 1' > all/attempts/bob
expect 1 regrade all bob
says err 'bob was not graded: 3 graders ended without a word'
expect 0 regrade all bob --retry-parked
[ ! -e all/attempts/bob ] || fails "the mark stays"

expect 0 course all -o course.csv
says out 'no results of index, matadd'
says course.csv '^ann,,5,5,5,,,$'
expect 2 course all three -o course.csv
says err 'both hold results of vecadd'
expect 0 release all
says out '^4 texts in all/students now show hidden cases'
expect 2 merge nowhere -o all
says err 'nowhere holds no results'

# Grading again without --submitted keeps the time of submission, and takes lateness from the decided score.
mkdir due class class/ann
for part in assignments skeletons reference; do ln -s "$course/$part" "due/$part"; done
cp -r "$course/rubrics" due/rubrics
sed -i 's/{slug: vecadd}/{slug: vecadd, due: 2026-01-10 12:00 +00:00}/' due/rubrics/course.yaml
printf 'late:\n  points_per_day: 10\n' >> due/rubrics/course.yaml
echo 'int broken' > class/ann/vecadd.cu
printf 'student,submitted\nann,2026-01-11 11:00 +00:00\n' > times.csv
mkdir late && printf 'student,item,points,note,by,date\nann,,50,a good plan,Mira,\n' > late/decisions.csv
course=due
expect 0 grade vecadd class -o late --submitted times.csv
says late/grades.csv '^ann,40,100,50,2026-01-11 11:00 +00:00,'
expect 0 regrade late ann
says out '^0 of 1 result changed'
says late/grades.csv '^ann,40,100,50,2026-01-11 11:00 +00:00,'

# An extension names a person by a name that only the roster knows; later calls know it from the results.
printf 'student,name\nann,Ann Archer\n' > roster.csv
printf "  extensions: [{student: 'Archer, Ann', days: 3}]\n" >> due/rubrics/course.yaml
expect 0 grade vecadd class -o late --submitted times.csv --roster roster.csv
says late/grades.csv '^ann,50,100,50,2026-01-11 11:00 +00:00,'
expect 0 regrade late ann
says out '^0 of 1 result changed'
expect 0 grade vecadd class -o late --submitted times.csv
says late/grades.csv '^ann,50,100,50,2026-01-11 11:00 +00:00,'
exit $((failures > 0))
