#!/bin/sh
# SPDX-License-Identifier: MIT
# A course that lacks a part, a folder that cannot be written, half a toolkit and none: each command says what is wrong
# and what to do, and writes no result.
#
# usage: bad_course_test.sh WARPGRADE
set -u
warpgrade=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
failures=0

# ends STATUS TEXT COMMAND...: it ends so and says so.
ends() {
  status=$1 text=$2
  shift 2
  "$@" >"$work/said" 2>&1
  got=$?
  [ "$got" -eq "$status" ] || { echo "$*: ended with $got, not $status"; cat "$work/said"; failures=$((failures + 1)); }
  grep -qF -- "$text" "$work/said" || { echo "$*: did not say: $text"; cat "$work/said"; failures=$((failures + 1)); }
}

"$warpgrade" init "$work/whole" >/dev/null || exit 1
ends 2 "is not empty; name a folder that does not exist" "$warpgrade" init "$work/whole"

# A course that lacks a part.
# without PART: the course without it becomes the working directory.
without() {
  rm -rf "$work/course"
  cp -R "$work/whole" "$work/course"
  rm -r "${work:?}/course/$1"
  cd "$work/course" || exit 1
}
answer=$work/whole/reference/saxpy/saxpy.cu
without assignments/saxpy/driver.cu
for command in 'check saxpy' "grade saxpy $answer -o $work/results" 'test saxpy' "handout saxpy -o $work/handout"; do
  # shellcheck disable=SC2086
  ends 2 "lacks assignments/saxpy/driver.cu: restore what is missing, or remove the rubric" "$warpgrade" $command
done
without skeletons
ends 2 'lacks skeletons/saxpy/saxpy.cu:' "$warpgrade" check saxpy
ends 2 'lacks skeletons/saxpy/saxpy.cu:' "$warpgrade" handout saxpy -o "$work/handout"
without reference
ends 2 'lacks reference/saxpy/saxpy.cu:' "$warpgrade" check saxpy
without rubrics/saxpy.yaml
sed -i '/slug: saxpy}/d; s/^assignments:/assignments: []/' rubrics/course.yaml
for command in 'check saxpy' "grade saxpy $answer -o $work/results" 'test saxpy'; do
  # shellcheck disable=SC2086
  ends 2 'it has no rubric; run this inside a course' "$warpgrade" --course . $command
done
mkdir "$work/empty"
ends 2 'it has no rubric; run this inside a course' "$warpgrade" --course "$work/empty" lint
cd "$work/whole" || exit 1
ends 2 "has no assignment 'sapxy'; did you mean 'saxpy'?" "$warpgrade" test sapxy

# Folders that cannot be written: below a file, whoever the user is.
: >"$work/file"
ends 2 "cannot make $work/file" "$warpgrade" init "$work/file/course"
as_nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
# shellcheck disable=SC2086
if [ "$(id -u)" -eq 0 ] && $as_nobody test -x "$warpgrade" 2>/dev/null; then
  chmod 755 "$work"
  ends 2 'let this user write there, or name a folder that it may write' \
    $as_nobody "$warpgrade" init "$work/course-of-others"
fi

# Half a toolkit, and none.
mkdir -p "$work/half/bin"
printf '#!/bin/sh\necho "#$ TOP=%s" >&2\necho cuda_13.0\n' "$work/half" >"$work/half/bin/nvcc"
chmod +x "$work/half/bin/nvcc"
printf '\n// started\nstatic int started = 1;\nint is_started() { return started; }\n' >>skeletons/saxpy/saxpy.cu
for command in '99 test saxpy' '1 doctor'; do
  # shellcheck disable=SC2086
  ends ${command%% *} 'is not whole, it lacks bin/ptxas, nvvm/bin/cicc' env CUDA_HOME="$work/half" "$warpgrade" ${command#* }
done
if [ ! -e /usr/local/cuda/bin/nvcc ]; then
  ends 99 'nvcc was not found: install the CUDA Toolkit 13' env CUDA_HOME= PATH=/usr/bin:/bin "$warpgrade" test saxpy
fi

[ ! -e "$work/results" ] || { echo 'something was graded'; failures=$((failures + 1)); }
[ ! -e "$work/handout" ] || { echo 'something was handed out'; failures=$((failures + 1)); }
exit $((failures > 0))
