#!/bin/sh
# SPDX-License-Identifier: MIT
# `warpgrade devices` and `warpgrade doctor` beside a driver whose two GPUs are not there.
# usage: machine_test.sh WARPGRADE FOLDER_OF_THE_DRIVER COURSE
set -u
warpgrade=$1
course=$3
export LD_LIBRARY_PATH="$2"
failures=0

# says TEXT WANTED: the text has the words.
says() {
  case $1 in
    *"$2"*) ;;
    *) echo "wanted: $2"; echo "got: $1"; failures=$((failures + 1)) ;;
  esac
}

devices=$("$warpgrade" --course "$course" devices)
says "$devices" "GPUs (driver 580.1, CUDA 13.0)"
says "$devices" "  0   NVIDIA H100 80GB HBM3, compute capability 9.0, 80 GiB, 132 multiprocessors, GPU-11111111-aaaa
      grades all "
says "$devices" "  1   Tesla T4, compute capability 7.5"
says "$devices" "  RTX 3090   compute capability 8.6"
says "$("$warpgrade" --course "$course" devices --format json)" '"uuid": "GPU-22222222-bbbb"'

report=$("$warpgrade" --course "$course" doctor)
status=$?
if [ $status -gt 1 ]; then echo "doctor ended with $status"; failures=$((failures + 1)); fi
says "$report" "CUDA Toolkit: "
says "$report" "driver: driver 580.1, CUDA 13.0"
says "$report" "GPU 0: others use it, which disturbs times: /usr/bin/python3 (77), Xorg (78)"
says "$report" "GPU 1: persistence mode is off"
says "$report" "device nodes: "

nowhere=$("$warpgrade" --course "$course/no-such-folder" doctor)
status=$?
if [ $status -ne 1 ]; then echo "doctor without a course ended with $status"; failures=$((failures + 1)); fi
says "$nowhere" "missing  course: there are no rubrics"
says "$nowhere" "This machine cannot grade yet: mend what is missing."
exit $((failures > 0))
