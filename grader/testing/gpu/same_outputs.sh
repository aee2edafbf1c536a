#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Proves that the reference's binary, unchanged, gives on a real GPU under NVIDIA's libcudart what it gives on the
# emulated device. Outputs that measure time are left out.
#
#   same_outputs.sh prepare BUILD DIR       here: makes the cases and the emulated device's outputs in DIR
#   same_outputs.sh compare DIR [LIBRARIES] on a GPU machine: runs the same binary and compares byte by byte;
#                                           LIBRARIES is the folder of NVIDIA's libcudart.so.13
set -eu

readonly slug=matmul-pitched
# M N K height, the family of inputs, and the gap behind host rows.
readonly cases='32 32 32 32 integers 0
64 32 96 16 integers 0
1 1 1 16 integers 0
33 17 65 16 positions 0
32 64 32 16 positions 3
32 65 64 32 uniform 0
37 53 19 32 uniform 0
129 5 7 32 positions 0
64 33 96 32 uniform 5
130 127 129 16 uniform 0'

# The compute capability that both sides select: an H100 or H200.
readonly major=9

run_case() { # folder, words of the case
  mkdir -p "$1/out"
  WARPGRADE_CASE=$1 "$dir/program" "$2" "$3" "$4" "$5" "$major" "$7" >"$1/stdout"
  rm -f "$1/out/times.npy"
}

prepare() {
  build=$1
  rm -rf "$dir" && mkdir -p "$dir"
  cp "$build/reference/reference-$slug" "$dir/program"
  printf '%s\n' "$cases" | while read -r m n k height family gap; do
    folder=$dir/$m-$n-$k-$height-$family-$gap
    mkdir -p "$folder"
    "$build/assignments/oracle-$slug" inputs "$folder" --seed 7 --family "$family" \
      "M=$m" "N=$n" "K=$k" "height=$height" "major=$major" "gap=$gap"
    LD_LIBRARY_PATH=$build/grader/emulator/runtime WARPGRADE_DEVICES="T4,H100" \
      run_case "$folder" "$m" "$n" "$k" "$height" "$family" "$gap"
    mv "$folder/out" "$folder/emulated"
  done
  echo "prepared $(printf '%s\n' "$cases" | wc -l) cases in $dir"
}

compare() {
  export LD_LIBRARY_PATH=${1:-/usr/local/cuda/lib64}:${LD_LIBRARY_PATH-}
  same=0 different=0
  while read -r m n k height family gap; do
    folder=$dir/$m-$n-$k-$height-$family-$gap
    run_case "$folder" "$m" "$n" "$k" "$height" "$family" "$gap"
    for file in "$folder"/emulated/*.npy; do
      if cmp -s "$file" "$folder/out/${file##*/}"; then
        same=$((same + 1))
      else
        different=$((different + 1))
        echo "different: $folder ${file##*/}"
      fi
    done
  done <<EOF
$cases
EOF
  echo "$(nvidia-smi --query-gpu=name --format=csv,noheader): $same outputs the same, $different different"
  [ "$different" -eq 0 ] && [ "$same" -gt 0 ]
}

case ${1-} in
  prepare) dir=$(realpath -m "$3") && prepare "$(realpath "$2")" ;;
  compare) dir=$(realpath "$2") && compare "${3-}" ;;
  *) sed -n '3,9p' "$0" && exit 2 ;;
esac
