#!/bin/sh
# SPDX-License-Identifier: MIT
# A GPU on which nothing can be recorded: its driver answers, and its device node is not there.
# usage: silent_gpu_test.sh WARPGRADE FOLDER_OF_THE_DRIVER COURSE
set -u
if [ -e /dev/nvidiactl ]; then echo "this machine has a GPU"; exit 77; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
says() {
  grep -q "$2" "$folder/$1" || { echo "wanted in $1: $2"; cat "$folder/$1"; failures=$((failures + 1)); }
}

LD_LIBRARY_PATH="$2" "$1" --course "$3" grade vecadd "$3/reference/vecadd/vecadd.cu" -o "$folder/results" \
  --device gpu > "$folder/out" 2> "$folder/err"
status=$?
if grep "^speed waits for a GPU: .*lib.*is missing\|^speed waits for a GPU: .* has no lib" "$folder/err"; then exit 77; fi
[ $status -eq 1 ] || { echo "ended with $status"; failures=$((failures + 1)); }
says err "^programs cannot be observed on this GPU: the device /dev/nvidia[01] is missing"
says err "^of 1 submission nothing was recorded on the GPU"
says out "^Graded on emulated devices: "
says out "GPU: nothing was recorded there: case '[a-z0-9-]*' and [0-9]* more: the device /dev/nvidia"
exit $((failures > 0))
