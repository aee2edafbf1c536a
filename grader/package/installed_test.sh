#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves that an unpacked tarball starts, proves, grades and hands out a course, without the tree that it was built from, and
# that the Debian package and `meson install` hold the same files. As root the test hides the tree.
#
# usage: installed_test.sh BUILD SOURCE TARBALL PACKAGE.deb
set -eu

fail() {
  echo "installed_test: $*" >&2
  exit 1
}

if [ "$1" != judge ]; then
  build=$1 source=$2 tarball=$3 package=$4
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  tar -C "$work" -xf "$tarball"
  mv "$work"/warpgrade-* "$work/engine"
  # files FOLDER: what lies below it, but for the package's own papers.
  files() { (cd "$1" && find . -type f ! -path './share/doc/*' | sed 's,\.1\.gz$,.1,' | sort); }
  files "$work/engine" >"$work/of-tarball"

  dpkg-deb -x "$package" "$work/deb"
  files "$work/deb/usr" | diff "$work/of-tarball" - || fail "the Debian package holds other files than the tarball"
  dpkg-deb -f "$package" Depends | grep -q 'libc6 (>= .*bubblewrap' || fail "the Debian package names no libc6"
  others=$(dpkg-deb -f "$package" Depends | sed 's/, /\n/g' | grep -v -E '^(libc6|libgcc-s1|libstdc\+\+6|bubblewrap|g\+\+)( |$)' || true)
  [ -z "$others" ] || fail "the Debian package depends on libraries that it holds: $others"
  [ -s "$work/deb/usr/share/doc/warpgrade/copyright" ] || fail "the Debian package has no licence"
  rm -rf "$work/deb"

  meson install -C "$build" --no-rebuild --quiet --destdir "$work/root" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  installed=$(dirname "$(dirname "$(find "$work/root" -path '*/bin/warpgrade')")")
  files "$installed" | diff "$work/of-tarball" - || fail "meson install makes other files than the tarball holds"
  rm -rf "$work/root"

  cp "$0" "$work/test.sh"
  hidden=''
  if [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null; then hidden="unshare --mount"; fi
  cd "$work"
  $hidden sh "$work/test.sh" judge "$build" "$source" "$work" "${hidden:+hide}"
  exit 0
fi

build=$2 source=$3 work=$4
if [ "${5:-}" = hide ]; then
  mount --make-rprivate /
  mount -t tmpfs none "$source"
  case $build in "$source"/*) ;; *) mount -t tmpfs none "$build" ;; esac
fi
export XDG_CACHE_HOME="$work/cache" PATH="$work/engine/bin:$PATH"
warpgrade init course --title 'Kernels & threads' >/dev/null
cd course
meson setup build >"$work/log" || { cat "$work/log"; exit 1; }
meson test -C build --print-errorlogs >"$work/log" || { cat "$work/log"; exit 1; }
grep -q '^Ok: *2 *$' "$work/log" && grep -q '^Skipped: *1 *$' "$work/log" || { cat "$work/log"; fail "not lint and check alone"; }

warpgrade new second-one --title 'Another' >/dev/null
warpgrade grade second-one reference/second-one/second-one.cu -o "$work/results" --device emulated
[ "$(find "$XDG_CACHE_HOME/warpgrade/oracles" -name 'oracle-*' | wc -l)" -eq 2 ] || fail "not two oracles were compiled"
warpgrade handout saxpy second-one -o "$work/week.zip"
[ -s "$work/week.zip" ] || fail "no handout was written"
python3 -c '
import sys, zipfile
names = zipfile.ZipFile(sys.argv[1]).namelist()
staff = [name for name in names if "/man/" in name or "completion" in name or "/reference/" in name]
sys.exit("the handout holds " + ", ".join(staff[:3]) if staff else 0)' "$work/week.zip"
