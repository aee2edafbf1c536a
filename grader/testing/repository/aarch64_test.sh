#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the emulated device for aarch64, syntax only: nothing in it may need an x86-64.
#
# usage: aarch64_test.sh GRADER
set -eu
compiler=$(command -v aarch64-linux-gnu-g++ || true)
[ -n "$compiler" ] || { echo "aarch64-linux-gnu-g++ is not installed (Debian: g++-aarch64-linux-gnu)"; exit 77; }

# Headers of libraries that are the same for every processor.
cd "$1"
find emulator/ptx emulator/exec emulator/memory emulator/counters emulator/checkers emulator/model \
  -name '*.cpp' ! -name '*_test.cpp' | sort | xargs -P 2 -n 8 "$compiler" -std=c++20 -Wall -Wextra -fsyntax-only -I . \
  -idirafter /usr/include
echo "compiles for aarch64"
