#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: call_names_test.sh LIST TOOLKITS. Passes when LIST names exactly the functions of the API that TOOLKITS exports.
set -eu
trap 'rm -f listed.txt.$$ exported.txt.$$' EXIT
sed -n 's/^"\(.*\)",$/\1/p' "$1" | LC_ALL=C sort > listed.txt.$$
nm -D --defined-only "$2" | awk '$2 != "A" { print $3 }' | sed -n 's/@.*//; s/_pt[sd][sz]$//; /^cuda/p' |
  LC_ALL=C sort -u > exported.txt.$$
diff listed.txt.$$ exported.txt.$$ || { echo "< only in $1, > only in the toolkit"; exit 1; }
