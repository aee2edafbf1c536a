#!/bin/sh
# SPDX-License-Identifier: MIT
# Lays a built engine out as it is installed: bin/, lib/warpgrade/ and share/ below PREFIX, which may be moved later.
# The libraries that the programs load lie in lib/warpgrade/libs, where the programs look first, with their licences;
# the C and C++ libraries are the machine's own. So the engine runs on machines that lack the packages.
#
# usage: engine.sh BUILD SOURCE [PREFIX]        PREFIX: where Meson installs, if it calls this
set -eu

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  echo "usage: $0 BUILD SOURCE [PREFIX]" >&2
  exit 2
fi
build=$1 source=$2 prefix=${3:-${MESON_INSTALL_DESTDIR_PREFIX:?}}
parts=$prefix/lib/warpgrade
share=$prefix/share/warpgrade
rm -rf "$share" "$parts/libs" "$parts/more-libs"

put() {
  mkdir -p "$2"
  cp -L "$1" "$2/"
  strip --strip-unneeded "$2/$(basename "$1")"
}

put "$build/warpgrade" "$prefix/bin"
for part in grader/cudart/libcudart.so.13 grader/cudart/toolkit12/libcudart.so.12 \
  grader/cudart/toolkit11/libcudart.so.11.0 grader/emulator/device/warpgrade-device grader/sandbox/room-supervisor \
  grader/run/gpu/gpu-probe grader/course/warpgrade-zip grader/intake/warpgrade-unpack; do
  put "$build/$part" "$parts"
done
put "$build/grader/cudart/driver/libcuda.so.1" "$parts/driver"
# Only where the toolkit has cuBLAS and cuRAND.
for library in libcublas.so.13 libcurand.so.10; do
  if [ -e "$build/grader/cudart/driver/$library" ]; then put "$build/grader/cudart/driver/$library" "$parts/driver"; fi
done
# Only where the toolkit has CUPTI.
tracer=$build/grader/observe/injection/libwarpgrade-trace.so
if [ -e "$tracer" ]; then put "$tracer" "$parts"; fi
cp "$build/grader/check/libwarpgrade-oracle.a" "$parts/"
strip --strip-debug "$parts/libwarpgrade-oracle.a"

mkdir -p "$share/docs" "$share/grader/course"
for folder in base check harness; do
  mkdir -p "$share/grader/$folder"
  cp "$source/grader/$folder"/*.h "$share/grader/$folder/"
done
cp -R "$source/grader/course/templates" "$share/grader/course/"
for page in emulated add-an-assignment rubric; do cp "$source/docs/$page.md" "$share/docs/"; done
cp "$source/LICENSE" "$share/"
# Manual pages and completions, of the words of --help.
"$build/warpgrade" help-pages "$prefix/share"

# needed PROGRAM...: paths of the libraries that they load, but for those of C and C++.
needed() {
  for program in "$@"; do
    if [ -f "$program" ]; then ldd "$program" 2>/dev/null || true; fi
  done | awk '$3 ~ /^\// { print $3 }' | sort -u |
    { grep -v -E '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[^/]*)\.so' || true; }
}

# take LIBRARIES FOLDER
take() {
  mkdir -p "$2" "$share/licences"
  for library in $1; do
    cp -L "$library" "$2/"
    # By its name: where /lib is a link to /usr/lib, packages list some libraries under /lib.
    package=$(dpkg-query -S "*/$(basename "$(realpath "$library")")" 2>/dev/null | head -n 1 | cut -d: -f1)
    if [ -n "$package" ] && [ -e "/usr/share/doc/$package/copyright" ]; then
      cp -L "/usr/share/doc/$package/copyright" "$share/licences/$package"
    fi
  done
  strip --strip-unneeded "$2"/*
}

# What each grading copies into its sandbox is kept small: apart from it lies what only the oracles, which a handout adds, and
# warpgrade-zip and warpgrade-unpack load.
shared=$(needed "$build/warpgrade" "$build/grader/emulator/device/warpgrade-device" "$build/grader/run/gpu/gpu-probe")
more=$(needed "$build/grader/course/warpgrade-zip" "$build/grader/intake/warpgrade-unpack" "$build"/assignments/oracle-*)
take "$shared" "$parts/libs"
take "$(printf '%s\n' $more | grep -v -x -F "$(printf '%s\n' $shared)" || true)" "$parts/more-libs"
# Ninja knows a folder by its own time.
touch "$prefix"
