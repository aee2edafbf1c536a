#!/bin/bash
# SPDX-License-Identifier: MIT
# Loads the completions and the manual pages that the build makes of --help, with each shell that the machine has.
#
# usage: help_pages_test.sh WARPGRADE PAGE [write]    PAGE is docs/commands.md, which `write` brings up to date
set -eu
warpgrade=$(realpath "$1")
page=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$warpgrade" help-pages "$work/share"
commands=$work/share/doc/warpgrade/commands.md
if [ "${3-}" = write ]; then exec cp "$commands" "$page"; fi
failures=0
cmp "$commands" "$page" || { echo 'meson compile -C build commands-page brings it up to date'; failures=1; }
cd "$work"
mkdir rubrics
touch rubrics/vecadd.yaml rubrics/course.yaml

# completes WANTED WORD...: bash offers WANTED for the last word.
completes() {
  wanted=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _warpgrade
  case " ${COMPREPLY[*]} " in
    *" $wanted "*) ;;
    *) echo "bash completes '$*' by '${COMPREPLY[*]}', without $wanted"; failures=$((failures + 1)) ;;
  esac
}
# shellcheck disable=SC1091
. share/bash-completion/completions/warpgrade
completes check warpgrade ch
completes --course warpgrade --
completes --quick warpgrade check --q
completes json warpgrade check --format j
completes vecadd warpgrade check v
completes vecadd warpgrade --course . grade ''
case " ${COMPREPLY[*]} " in *' course '*) echo 'bash takes course.yaml for an assignment'; failures=$((failures + 1)) ;; esac

# Where the machine has them.
if command -v zsh >/dev/null; then zsh -n share/zsh/site-functions/_warpgrade || failures=$((failures + 1)); fi
if command -v fish >/dev/null; then fish -n share/fish/vendor_completions.d/warpgrade.fish || failures=$((failures + 1)); fi

for command in $("$warpgrade" --help | awk '/^Subcommands:/ { on = 1; next } on && /^  [a-z]/ { print $1 }'); do
  manual=share/man/man1/warpgrade-$command.1
  [ -s "$manual" ] || { echo "$command has no manual page"; failures=$((failures + 1)); continue; }
  if command -v groff >/dev/null; then
    said=$(groff -man -Tutf8 -ww -W break -z "$manual" 2>&1) || true
    [ -z "$said" ] || { echo "$manual: $said"; failures=$((failures + 1)); }
  fi
done
[ ! -e share/man/man1/warpgrade-help-pages.1 ] || { echo 'the hidden command has a page'; failures=$((failures + 1)); }
exit $((failures > 0))
