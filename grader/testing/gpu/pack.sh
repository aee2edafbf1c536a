#!/bin/sh
# SPDX-License-Identifier: MIT
# Packs a built tree for a GPU machine that has nvcc but none of the Debian packages: the grader's
# programs without their debug information, the course, and the libraries they load.
# WORK, what `report.py prepare BUILD WORK` made, becomes gpu-report in there.
# There, as root:   mkdir warpgrade && tar -xf FILE -C warpgrade && sh warpgrade/libraries/install.sh
#                   cd warpgrade && build/warpgrade doctor
set -eu

if [ $# -ne 2 ] && [ $# -ne 3 ]; then
  echo "usage: $0 BUILD FILE.tar.xz [WORK]" >&2
  exit 2
fi
if [ $# -eq 3 ]; then work=$(realpath "$3"); fi
build=$(realpath "$1")
file=$(realpath "$(dirname "$2")")/$(basename "$2")
cd "$(dirname "$0")/../../.."
# A packed tree has no ninja to see that an oracle is older than its source.
ninja -C "$build" grading >&2
packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT

# The course, the headers that drivers are compiled with, and all else that a handout holds, which
# `check` proves.
git ls-files -z | xargs -0 cp --parents -t "$packed"

mkdir "$packed/build" "$packed/libraries"
touch "$packed/build/build.ninja"
programs="warpgrade grader/sandbox/room-supervisor grader/cudart/libcudart.so.13 grader/emulator/device/warpgrade-device
  grader/run/gpu/gpu-probe grader/intake/warpgrade-unpack grader/observe/injection/libwarpgrade-trace.so"
for program in $programs; do
  if [ ! -e "$build/$program" ]; then continue; fi
  mkdir -p "$(dirname "$packed/build/$program")"
  cp -L "$build/$program" "$packed/build/$program"
done
mkdir -p "$packed/build/assignments"
cp "$build"/assignments/oracle-* "$build"/assignments/driver-*.o "$build"/assignments/driver-*.key \
  "$packed/build/assignments/" 2>/dev/null || true
rm -rf "$packed"/build/assignments/*.p
find "$packed/build" -type f ! -name '*.o' ! -name '*.key' ! -name build.ninja -exec strip -S {} +

# The C library is the machine's own; a newer one runs what an older one built.
cp -L "$(command -v bwrap)" "$packed/libraries/"
for program in "$packed/build/warpgrade" "$packed/build/grader/intake/warpgrade-unpack" "$packed/build/grader/emulator/device/warpgrade-device" "$packed"/build/assignments/oracle-* "$packed/libraries/bwrap"; do
  ldd "$program" | awk '$3 ~ /^\// { print $3 }'
done | sort -u | grep -v -E '/(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so' |
  xargs -I{} cp -L {} "$packed/libraries/"
cat >"$packed/libraries/install.sh" <<'END'
#!/bin/sh
# Puts what the machine lacks where its loader looks; what it has stays.
set -eu
cd "$(dirname "$0")"
mkdir -p /usr/local/lib/warpgrade
for library in *.so*; do
  ldconfig -p | grep -q "^[[:space:]]$library " || cp "$library" /usr/local/lib/warpgrade/
done
echo /usr/local/lib/warpgrade >/etc/ld.so.conf.d/warpgrade.conf
ldconfig
command -v bwrap >/dev/null || install -m 755 bwrap /usr/bin/bwrap
END
if [ $# -eq 3 ]; then
  mkdir -p "$packed/gpu-report/speed"
  cp -r "$work/traces" "$work/cache" "$packed/gpu-report/"
  cp "$work/speed/speed" "$work"/speed/*.so "$packed/gpu-report/speed/"
fi
# Hundreds of programs with the same driver in each: one dictionary for all of them.
tar -C "$packed" --sort=name -cf - . | xz -T1 -6e --lzma2=preset=6e,dict=256MiB >"$file"
du -h "$file"
