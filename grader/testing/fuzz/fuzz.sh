#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds one fuzzer with clang's libFuzzer, AddressSanitizer and UBSan, and runs it.
#
# usage: fuzz.sh GRADER WORK_FOLDER ptx|fatbin|calls|settings|intake|result|diagnostics CUDA_INCLUDE [SECONDS [LIBFUZZER_OPTION...]]
#
# New inputs are kept in WORK_FOLDER/corpus-NAME; what fails lies in WORK_FOLDER/NAME-crash-... Exits
# with 77 where clang or its libFuzzer is missing.
set -eu
grader=$(cd "$1" && pwd) work=$2 name=$3 cuda_include=$4 seconds=${5:-60}
[ $# -gt 5 ] && shift 5 || shift $#

clang=$(command -v clang++ || command -v clang++-14 || true)
runtime=$([ -n "$clang" ] && "$clang" -print-file-name=libclang_rt.fuzzer-x86_64.a || true)
[ -f "$runtime" ] || { echo "clang++ with libFuzzer is not installed"; exit 77; }
ccache=$(command -v ccache || true)

libraries=
generate=
case $name in
  settings)
    home=rubric
    sources="base/text.cpp base/files.cpp base/expression.cpp base/moment.cpp emulator/model/device_table.cpp"
    folders=rubric
    libraries=-lyaml-cpp
    limit_seconds=5 # A second of the processor alone, without sanitizers.
    words=$(cat "$grader"/rubric/*.cpp | grep -oE '"[a-z][a-z_]*"' || true)
    ;;
  diagnostics)
    home=build
    sources='base/text.cpp build/diagnostics.cpp'
    folders=
    limit_seconds=5
    words=$(grep -ohE '[a-z][a-z]+' "$grader/build/diagnostics.cpp" | sed 's/.*/"&"/')
    ;;
  result)
    home=report
    sources='base/text.cpp base/hash.cpp base/moment.cpp report/result.cpp report/measurement.cpp report/measurement_json.cpp'
    sources="$sources report/decisions.cpp report/csv_rows.cpp base/files.cpp base/expression.cpp emulator/model/device_table.cpp english.cpp"
    folders='score rubric sentences'
    generate='python3 sentences/embed.py sentences/en.txt kEnglish'
    generated=english.cpp
    libraries=-lyaml-cpp
    limit_seconds=5
    words=$(grep -ohE '"[a-z][a-z_]*"' "$grader"/report/*.cpp || true)
    ;;
  intake)
    home=intake
    sources='base/text.cpp base/hash.cpp base/moment.cpp base/files.cpp base/parallel.cpp testing/fake_files.cpp intake/submission.cpp'
    sources="$sources intake/archive/read_archive.cpp intake/archive/record.cpp intake/archive/archive_name.cpp"
    folders='intake/people intake/downloads'
    libraries='-larchive -lyaml-cpp'
    limit_seconds=5
    words=$(grep -ohE '"[A-Za-z][A-Za-z_ ]*"' "$grader"/intake/people/*.cpp "$grader"/intake/downloads/*.cpp || true)
    generate='python3 intake/people/fold_table.py'
    generated=fold_table.inc
    ;;
  *)
    home=emulator
    sources="base/text.cpp"
    folders='emulator/ptx emulator/exec emulator/exec/ops emulator/memory emulator/counters emulator/checkers emulator/model'
    [ "$name" != fatbin ] || sources="$sources emulator/runtime/program/fatbin.cpp"
    if [ "$name" = calls ]; then
      sources="$sources base/hash.cpp base/files.cpp base/npy.cpp base/remove_tree.cpp emulator/device/dispatch.cpp emulator/runtime/testing/no_program.cpp"
      for room in '' /graph /memory /program /record /stream; do
        folders="$folders emulator/runtime$room"
      done
    fi
    limit_seconds=10
    # The words of PTX, as the opcodes' tables and decoders know them.
    words=$(cat "$grader"/emulator/exec/ops/*.cpp "$grader"/emulator/ptx/*.cpp | grep -oE '"[.%]?[a-z][a-z0-9_.:]*"')
    ;;
esac
sources="$sources $home/fuzz/${name}_fuzzer.cpp"
for folder in $folders; do
  for path in "$grader/$folder"/*.cpp; do
    grep -q '^int main(' "$path" && continue
    case $path in *_test.cpp) ;; *) sources="$sources ${path#"$grader/"}" ;; esac
  done
done

mkdir -p "$work/objects" "$work/corpus-$name"
work=$(cd "$work" && pwd)
[ -z "$generate" ] || (cd "$grader" && $generate "$work/$generated")
# A program may pass any number where the API has an enumeration; compilers take that as it is (-fno-strict-enums).
sanitizers=address,undefined
compile() {
  object=$work/objects/$(echo "$1" | tr / _).o
  path=$grader/$1
  [ -e "$path" ] || path=$work/$1
  $ccache "$clang" -std=c++20 -O1 -g -fno-omit-frame-pointer -fno-strict-aliasing -ffp-contract=off -mcx16 \
    -fsanitize=fuzzer-no-link,$sanitizers -fno-sanitize=enum -fno-sanitize-recover=undefined \
    -I "$grader" -I "$work" -isystem "$cuda_include" -c "$path" -o "$object"
}
# A few at a time.
running=0
for source in $sources; do
  compile "$source" &
  running=$((running + 1))
  [ $((running % 4)) -eq 0 ] && wait
done
wait
objects=
for source in $sources; do objects="$objects $work/objects/$(echo "$source" | tr / _).o"; done
"$clang" -fsanitize=fuzzer,$sanitizers -pthread $objects -lfmt -lzstd -llz4 $libraries -o "$work/$name"

printf '%s\n' "$words" | sort -u >"$work/words.dict"

cd "$work"
exec "./$name" -max_total_time="$seconds" -timeout=$limit_seconds -rss_limit_mb=2048 -max_len=16384 -close_fd_mask=1 -dict=words.dict \
  -artifact_prefix="$work/$name-" "$@" "$work/corpus-$name" "$grader/$home/fuzz/corpus/$name"
