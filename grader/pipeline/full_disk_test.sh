#!/bin/sh
# SPDX-License-Identifier: MIT
# However large the disk for temporary files is, a model answer gets all its points or no grade, and
# nothing of a failure is kept: with room enough, the next run gives it all points.
# usage: full_disk_test.sh WARPGRADE COURSE LIBCUDART DEVICE
set -u
warpgrade=$1
course=$2
unshare -m --propagation private sh -c 'mount -t tmpfs none /mnt' 2> /dev/null || { echo "no file system can be mounted here"; exit 77; }
folder=$(mktemp -d)
# Students' programs run as another user.
chmod 711 "$folder"
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/class/ann" "$folder/tmp"
cp "$course/reference/vecadd/vecadd.cu" "$folder/class/ann/"
# What the grader itself puts there comes first.
device_kib=$((($(stat -L -c %s "$3") + $(stat -L -c %s "$4")) / 1024))
failures=0

# grade CACHE KIB: the model answer on a disk with that much room beyond the device.
grade() {
  rm -rf "$folder/out"
  unshare -m --propagation private sh -c '
    mount -t tmpfs -o size="$1"k none "$2/tmp" || exit 99
    export TMPDIR="$2/tmp" XDG_CACHE_HOME="$2/$3"
    exec "$4" --course "$5" grade vecadd "$2/class" -o "$2/out" --device emulated --jobs 1 --seed 7' \
    sh $((device_kib + $2)) "$folder" "$1" "$warpgrade" "$course" > "$folder/log" 2>&1
  status=$?
  row=$(grep '^ann,' "$folder/out/grades.csv" 2> /dev/null | cut -d, -f2)
  score=${row:-none}
  case "$status $score" in
    "0 100" | "1 none") ;;
    *) echo "with $2 KiB: status $status, score $score"; cat "$folder/log" "$folder/out/grades.csv"; failures=$((failures + 1)) ;;
  esac
}

for kib in 600 1500 2600 3400 4400; do grade compiling $kib; done
grade compiling 400000
[ "$score" = 100 ] || { echo "with room enough: $score"; cat "$folder/log"; failures=$((failures + 1)); }
graded=0
refused=0
for kib in 1100 1300 1500 1700 2000 2500 3200 4500 8000 16000; do
  grade compiling $kib
  [ "$score" = 100 ] && graded=$((graded + 1)) || refused=$((refused + 1))
done
echo "with a program from the cache: $graded graded, $refused refused"
exit $((failures > 0))
