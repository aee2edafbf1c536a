#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves that an installed engine judges a course that it has never seen, without the tree that it was built from: it compiles the
# oracle and the driver, grades, proves and hands out. As root the test hides the tree.
#
# usage: installed_test.sh BUILD SOURCE
set -eu
build=$1 source=$2

if [ -z "${3:-}" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  meson install -C "$build" --no-rebuild --quiet --destdir "$work/root" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  # It may be moved.
  mv "$(dirname "$(dirname "$(find "$work/root" -path '*/bin/warpgrade')")")" "$work/engine"
  cp "$0" "$work/test.sh"
  hidden=''
  if [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null; then hidden="unshare --mount"; fi
  cd "$work"
  $hidden sh "$work/test.sh" "$build" "$source" "$work" "${hidden:+hide}"
  exit 0
fi

work=$3
if [ "${4:-}" = hide ]; then
  mount --make-rprivate /
  mount -t tmpfs none "$source"
  case $build in "$source"/*) ;; *) mount -t tmpfs none "$build" ;; esac
fi
warpgrade=$work/engine/bin/warpgrade
export XDG_CACHE_HOME="$work/cache"
mkdir -p "$work/course/rubrics" "$work/course/assignments"
cd "$work/course"
"$warpgrade" new scale-rows --title 'Scaled rows' >/dev/null
"$warpgrade" new second-one --title 'Another' >/dev/null
sed -i '/WRITE:/d' assignments/*/handout.md
"$warpgrade" lint
"$warpgrade" check scale-rows --seed 1 --jobs 2
"$warpgrade" grade second-one reference/second-one/second-one.cu -o "$work/results" --device emulated
[ "$(find "$XDG_CACHE_HOME/warpgrade/oracles" -name 'oracle-*' | wc -l)" -eq 2 ]
"$warpgrade" handout scale-rows second-one -o "$work/week.zip"
[ -s "$work/week.zip" ]
