#!/bin/sh
# SPDX-License-Identifier: MIT
# A kernel that never ends is ended by either limit and told of with its line, and with the other one where two wait for
# each other; so is a program that hangs outside of kernels.
#
# usage: budgets_test.sh PROGRAM LIBRARY_FOLDER
set -eu
export LD_LIBRARY_PATH="$2"

# expect STATUS TEXT VARIABLE=VALUE ARGUMENT
expect() {
  status=0
  said=$(env "$3" timeout 60 "$program" "$4" 2>&1) || status=$?
  case $said in *"$2"*) ;; *) echo "$3 $4: no \"$2\" in: $said"; exit 1 ;; esac
  [ "$status" -eq "$1" ] || { echo "$3 $4: exit status $status, not $1"; exit 1; }
}
program=$1
expect 3 "still running after 100000 warp instructions: a loop without end? [kernel spin(int volatile*), endless.cu:9," \
  WARPGRADE_INSTRUCTION_LIMIT=100000 kernel
expect 3 "still running when its 0.3 s are over: a loop without end? [kernel spin(int volatile*), endless.cu:9," \
  WARPGRADE_TIME_LIMIT=0.3 kernel
WARPGRADE_DEVICES='RTX 3090,H100' expect 3 \
  "a loop without end? It may wait for kernel wait_first(int volatile*, int volatile*) on device 0 at endless.cu:14, and that for it [kernel wait_first(int volatile*, int volatile*), endless.cu:14," \
  WARPGRADE_INSTRUCTION_LIMIT=100000 pair
expect 99 "the program is still running 0.2 s after its start, in no kernel" WARPGRADE_TIME_LIMIT=0.2 host
expect 0 "" WARPGRADE_TIME_LIMIT=60 empty
expect 99 "WARPGRADE_TIME_LIMIT=-1: write seconds" WARPGRADE_TIME_LIMIT=-1 empty
echo "both limits end what has no end"
