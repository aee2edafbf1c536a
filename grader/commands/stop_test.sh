#!/bin/sh
# SPDX-License-Identifier: MIT
# A check that is interrupted ends at the next submission and says what it found out until then.
# usage: stop_test.sh WARPGRADE COURSE
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --course "$2" check vecadd --jobs 1 > "$folder/out" 2> "$folder/err" &
check=$!
sleep 2
kill -INT $check
wait $check
status=$?
failures=0
says() {
  grep -q "$2" "$folder/$1" || { echo "wanted in $1: $2"; cat "$folder/$1"; failures=$((failures + 1)); }
}
[ $status -eq 130 ] || { echo "ended with $status"; failures=$((failures + 1)); }
says err '^interrupted: [0-9]* of [0-9]* tasks were done'
says out '^0 of 1 assignments proved'
exit $((failures > 0))
