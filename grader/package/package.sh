#!/bin/sh
# SPDX-License-Identifier: MIT
# Packs an engine that engine.sh has laid out: a tarball that runs from any folder, and a Debian package. Both hold the
# stripped programs, the libraries that they load with their licences, manual pages and completions.
#
# usage: package.sh ENGINE VERSION TARBALL PACKAGE.deb
set -eu

if [ $# -ne 4 ]; then
  echo "usage: $0 ENGINE VERSION TARBALL PACKAGE.deb" >&2
  exit 2
fi
engine=$(realpath "$1") version=$2 tarball=$(realpath -m "$3") package=$(realpath -m "$4")
for tool in xz dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null ||
    { echo "$0: $tool is missing: apt-get install xz-utils dpkg dpkg-dev" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The same bytes from the same engine.
tar -C "$engine" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" \
  --transform "s,^\.,warpgrade-$version," -cf - . | xz -T0 -2 >"$tarball.part"
mv "$tarball.part" "$tarball"

root=$work/debian/warpgrade
mkdir -p "$root/usr" "$root/DEBIAN"
cp -R "$engine/bin" "$engine/lib" "$engine/share" "$root/usr/"
mkdir -p "$root/usr/share/doc/warpgrade"
cp "$engine/share/warpgrade/LICENSE" "$root/usr/share/doc/warpgrade/copyright"
gzip -9n "$root"/usr/share/man/man1/*.1
find "$root" -type d -exec chmod 755 {} +

# dpkg-shlibdeps knows which versions of the C and C++ libraries the programs need; all others are in the package.
printf 'Source: warpgrade\n\nPackage: warpgrade\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && find debian/warpgrade/usr/bin debian/warpgrade/usr/lib -type f ! -name '*.a')
own='-ldebian/warpgrade/usr/lib/warpgrade/libs -ldebian/warpgrade/usr/lib/warpgrade/more-libs'
# shellcheck disable=SC2086
needed=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info $own $libraries 2>"$work/said" | sed -n 's/^shlibs:Depends=//p')
if [ -z "$needed" ]; then
  cat "$work/said" >&2
  echo "$0: dpkg-shlibdeps names no library" >&2
  exit 1
fi
# It takes libraries of libraries for the machine's own. Those in the package have their package's licence beside them.
needed=$(printf '%s\n' "$needed" | sed 's/, /\n/g' | while read -r name version; do
  [ -e "$engine/share/warpgrade/licences/$name" ] || printf '%s, ' "$name $version"
done)
cat >"$root/DEBIAN/control" <<CONTROL
Package: warpgrade
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: Warpgrade <maintainers@users.noreply.github.com>
Section: education
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: ${needed}bubblewrap, g++
Recommends: libfmt-dev, libopenblas-dev
Suggests: nvidia-cuda-toolkit, meson
Description: grades CUDA course assignments on any machine
 nvcc compiles each submission once, and the same binary is judged on an emulated
 device that runs on the CPU. It needs nvcc 13 from the CUDA Toolkit, and no GPU.
CONTROL
dpkg-deb --root-owner-group -Zxz -z2 --build "$root" "$package.part" >"$work/said" || { cat "$work/said" >&2; exit 1; }
mv "$package.part" "$package"
