#!/bin/bash
# SPDX-License-Identifier: MIT
# Measures the variants on a real GPU.
# usage: measure.sh prepare FOLDER    here: builds the programs and copies this script
#        FOLDER/measure.sh run CSV    on the machine with the GPU: writes the times
#        FOLDER/measure.sh rows CSV   the same for rows of work in one stream
set -eu
here=$(dirname "$(readlink -f "$0")")

prepare() {
  mkdir -p "$1"
  for source in fit validation course_test unseen rows; do
    group=${source%_test}
    older=-gencode=arch=compute_75,code=compute_75
    [ $group != unseen ] || older=  # has clusters
    nvcc -std=c++20 -O3 -lineinfo -I"$here/../../.." -gencode=arch=compute_90,code=sm_90 $older \
      "$here/$source.cu" -o "$1/$group"
  done
  cp "$here/measure.sh" "$1/"
}

run() {
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader |
    sed 's/^/# /' > "$1"
  "$here/fit" 51 >> "$1"
  "$here/validation" 51 | tail -n +2 >> "$1"
  "$here/course" 51 | tail -n +2 >> "$1"
  "$here/unseen" 51 | tail -n +2 >> "$1"
}

rows() {
  "$here/rows" 51 > "$1"
}

[ $# = 2 ] || { sed -n '4,6s/^# //p' "$0" >&2; exit 2; }
"$1" "$2"
