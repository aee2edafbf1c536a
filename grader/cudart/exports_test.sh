#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: exports_test.sh OURS TOOLKITS. Passes when OURS exports every function of TOOLKITS under the same version.
set -eu
exports() { nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort -u; }
exports "$1" > ours.txt.$$
exports "$2" > toolkits.txt.$$
trap 'rm -f ours.txt.$$ toolkits.txt.$$' EXIT
missing=$(comm -13 ours.txt.$$ toolkits.txt.$$)
[ -z "$missing" ] && exit 0
echo "not exported:"
echo "$missing"
exit 1
