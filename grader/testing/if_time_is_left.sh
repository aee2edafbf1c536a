#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a long test unless the machine was too slow for those before it: after TESTS_END, in seconds since 1970, it is
# skipped. Where TESTS_END is not set it always runs.
#
# usage: if_time_is_left.sh PROGRAM [ARGUMENT...]
if [ -n "${TESTS_END:-}" ] && [ "$(date +%s)" -gt "$TESTS_END" ]; then
  echo "skipped: no time was left on this machine for it"
  exit 77
fi
exec "$@"
