#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Grading the sample class against compiling the same files with nvcc on all cores, interleaved, nothing cached.
# The driver is the course's own code, compiled by the build. Submissions that never end are left out: they cost
# their time limit, not the grader's time.
#
#   class_speed.sh WARPGRADE NVCC ROOT [ROUNDS]
set -eu
warpgrade=$1 nvcc=$2 root=$3 rounds=${4:-3}
slug=matmul-pitched
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/class" "$work/objects"
for student in "$root/reference/$slug/class"/*/; do
  grep -qiE "never (ends|returns)" "$student/loses.txt" || cp -r "$student" "$work/class/"
done
chmod -R a+rX "$work"
students=$(find "$work/class" -mindepth 1 -maxdepth 1 | wc -l)

seconds() { # runs a command and prints its wall time
  /usr/bin/env python3 - "$@" <<'EOF'
import subprocess, sys, time
start = time.monotonic()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
print(f"{time.monotonic() - start:.2f}")
EOF
}

compile_all() {
  find "$work/class" -name '*.cu' | xargs -P "$(nproc)" -I{} sh -c \
    '"$0" -std=c++20 -O2 -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 -I "$1" -c "$2" \
       -o "$3/$(basename "$(dirname "$2")").o"' "$nvcc" "$root/assignments/$slug" {} "$work/objects"
}
export -f compile_all
export work nvcc root slug

echo "$students submissions, $(nproc) cores"
for round in $(seq "$rounds"); do
  export XDG_CACHE_HOME=$work/cache-$round
  grade=$(seconds "$warpgrade" grade "$slug" "$work/class" -o "$work/results-$round")
  compile=$(seconds bash -c compile_all)
  echo "round $round: grade $grade s, nvcc alone $compile s, ratio $(python3 -c "print(f'{$grade / $compile:.2f}')")"
done

"$warpgrade" grade "$slug" "$work/class" -o "$work/memory" >"$work/output" 2>&1 &
grader=$!
peak=0
while kill -0 "$grader" 2>/dev/null; do
  now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$grader/status" 2>/dev/null || true)
  [ -z "$now" ] || peak=$now
  sleep 0.05
done
echo "peak memory of the grader itself: $((peak / 1024)) MB"
