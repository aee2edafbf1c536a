#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: programs_test.sh WARPGRADE ROOT CLIENTS FOLDER
#
# With each toolkit in FOLDER, as fetch.sh unpacks them: our layouts of its structs are its headers', our client exports
# what its runtime library does, and programs that use what CUDA 13 dropped run. CLIENTS is the folder of our clients
# in the build. Exits 77 where FOLDER holds no toolkit.
set -eu

warpgrade=$1 root=$2 clients=$3 folder=$4
programs=$root/grader/emulator/runtime/testdata
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0 tried=0

report() {
  if [ "$1" -eq 0 ]; then echo "ok    $2"; else echo "WRONG $2"; failed=1; fi
}

# run_program TOOLKIT NAME
run_program() {
  program=$scratch/$2-$(basename "$1")
  "$1/bin/nvcc" -w -std=c++17 -lineinfo -gencode arch=compute_75,code=compute_75 -cudart shared -I"$root/grader" \
    "$programs/$2.cu" -o "$program"
  status=0
  "$warpgrade" run --device 'RTX 3090' "$program" >"$program.txt" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then cat "$program.txt"; fi
  report "$status" "$2 with CUDA $(basename "$1")"
}

for toolkit in "$folder"/*; do
  if [ ! -x "$toolkit/bin/nvcc" ]; then continue; fi
  tried=1
  name=$(basename "$toolkit")
  status=0
  g++ -std=c++20 -fsyntax-only -I"$root/grader" -isystem "$toolkit/include" "$root/grader/cudart/older_layouts_check.cpp" || status=$?
  report "$status" "layouts of CUDA $name"
  case $name in
    11.*) client=$clients/toolkit11/libcudart.so.11.0 ;;
    *) client=$clients/toolkit12/libcudart.so.12 ;;
  esac
  status=0
  sh "$root/grader/cudart/exports_test.sh" "$client" "$toolkit/lib64/$(basename "$client")" || status=$?
  report "$status" "exports of CUDA $name"
  run_program "$toolkit" older_calls
  case $name in 11.*) run_program "$toolkit" texture_references ;; esac
done
if [ "$tried" -eq 0 ]; then
  echo "$folder holds no toolkit: run grader/testing/toolkits/fetch.sh"
  exit 77
fi
exit "$failed"
