#!/bin/sh
# SPDX-License-Identifier: MIT
# Lays a built engine out as it is installed: bin/, lib/warpgrade/ and share/ below PREFIX, which may be moved later.
#
# usage: engine.sh [--portable] BUILD SOURCE [PREFIX]        PREFIX: where Meson installs, if it calls this
# --portable: for machines that lack the packages. The libraries that the programs load are copied to
# lib/warpgrade/libs, where the programs look first, with their licences; the C and C++ libraries are the machine's
# own. lib/warpgrade/libs.txt says which program loads which.
set -eu

portable=''
if [ "${1:-}" = --portable ]; then
  portable=yes
  shift
fi
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  echo "usage: $0 [--portable] BUILD SOURCE [PREFIX]" >&2
  exit 2
fi
build=$1 source=$2 prefix=${3:-${MESON_INSTALL_DESTDIR_PREFIX:?}}
if [ -n "$portable" ]; then rm -rf "$prefix"; fi
parts=$prefix/lib/warpgrade
share=$prefix/share/warpgrade

put() {
  mkdir -p "$2"
  cp -L "$1" "$2/"
  case $1 in
    *.o | *.key) ;;
    *) strip --strip-unneeded "$2/$(basename "$1")" ;;
  esac
}

put "$build/warpgrade" "$prefix/bin"
for part in grader/cudart/libcudart.so.13 grader/emulator/device/warpgrade-device grader/sandbox/room-supervisor \
  grader/run/gpu/gpu-probe grader/course/warpgrade-zip; do
  put "$build/$part" "$parts"
done
# Only where the toolkit has CUPTI.
tracer=$build/grader/observe/injection/libwarpgrade-trace.so
if [ -e "$tracer" ]; then put "$tracer" "$parts"; fi

mkdir -p "$share/grader/base" "$share/grader/course" "$share/docs"
cp "$source/grader/base/npy_io.h" "$share/grader/base/"
mkdir -p "$share/grader/harness"
cp "$source"/grader/harness/*.h "$share/grader/harness/"
cp -R "$source/grader/course/templates" "$share/grader/course/"
cp "$source/docs/emulated.md" "$share/docs/"
cp "$source/LICENSE" "$share/"

if [ -z "$portable" ]; then exit 0; fi

# The course's own, compiled: a handout takes its assignments' out of them.
for file in "$build"/assignments/oracle-* "$build"/assignments/driver-*.o "$build"/assignments/driver-*.o.key; do
  case $file in
    *.p | */oracle-new-sample | *-of-*) ;;
    *) if [ -f "$file" ]; then put "$file" "$parts/assignments"; fi ;;
  esac
done

mkdir -p "$parts/libs" "$share/licences"
(
  cd "$prefix"
  for program in bin/warpgrade lib/warpgrade/*-* lib/warpgrade/assignments/oracle-*; do
    libraries=$(ldd "$program" 2>/dev/null | awk '$3 ~ /^\// { print $3 }' |
      grep -v -E '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[^/]*)\.so' || true)
    echo "$program" $(for library in $libraries; do basename "$library"; done)
    for library in $libraries; do
      if [ ! -e "lib/warpgrade/libs/$(basename "$library")" ]; then
        cp -L "$library" lib/warpgrade/libs/
        package=$(dpkg-query -S "$(realpath "$library")" 2>/dev/null | head -n 1 | cut -d: -f1)
        if [ -n "$package" ] && [ -e "/usr/share/doc/$package/copyright" ]; then
          cp -L "/usr/share/doc/$package/copyright" "share/warpgrade/licences/$package"
        fi
      fi
    done
  done
) >"$parts/libs.txt"
strip --strip-unneeded "$parts"/libs/* 2>/dev/null || true
