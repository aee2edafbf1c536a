#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: compare.sh LIBCUDART PROGRAM MEASURED.csv GROUP
# Runs the variants on the emulated H200 and compares their modelled times with the measured ones.
set -eu
here=$(dirname "$(readlink -f "$0")")
modelled=$(mktemp)
trap 'rm -f "$modelled"' EXIT
LD_LIBRARY_PATH=$(dirname "$(readlink -f "$1")") WARPGRADE_DEVICES=H200 WARPGRADE_CHECK=none "$2" > "$modelled"
"$here/compare.py" "$3" "$modelled" "$4"
