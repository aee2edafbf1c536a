#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs programs that race between streams, and their race-free twins, on the emulated device.

PROGRAM prints the names of its cases, or runs one: PROGRAM racy|race_free NAME. In SOURCE, a line
"// race: A" above STREAMS(NAME) says what the racy twin's finding is: parts of its id and arguments and of
" range=RANGE" behind them, with " & " between. A race-free twin raises no finding at all.

usage: streams_test.py SOURCE PROGRAM
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import finding_key


def expected_parts(source):
    """Case name -> parts of its finding."""
    expected = {}
    parts = None
    for line in open(source, encoding='utf-8'):
        if line.startswith('// race: '):
            parts = line.split(': ', 1)[1].strip().split(' & ')
        begin = re.match(r'STREAMS\((\w+)\)', line)
        if begin:
            expected[begin.group(1)] = parts
    return expected


def emulated_runtime():
    """The library that the programs find, which also takes their NVTX ranges."""
    folders = os.environ['LD_LIBRARY_PATH'].split(':')
    return next(path for path in (os.path.join(one, 'libcudart.so.13') for one in folders) if os.path.exists(path))


def run(program, kind, case):
    """(exit code, findings)"""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'trace.jsonl')
        environment = dict(os.environ, WARPGRADE_TRACE=trace, WARPGRADE_CHECK='all', WARPGRADE_QUIET='1',
                           WARPGRADE_GRADED='1', NVTX_INJECTION64_PATH=emulated_runtime())
        done = subprocess.run([program, kind, case], env=environment)
        records = [json.loads(line) for line in open(trace, encoding='utf-8')]
    return done.returncode, [f"{finding_key.key_of(one)} range={one.get('range', '')}"
                             for one in records if one['type'] == 'finding']


def failures_of(program, case, parts):
    code, found = run(program, 'racy', case)
    if code != 0:
        yield f'{case}: the racy twin ends with {code}'
    if not any(all(part in one for part in parts) for one in found):
        yield f'{case}: {parts} is not found, but: {found}'
    yield from (f'{case}: unexpected: {one}' for one in found if not one.startswith(('race.', 'unchecked.')))
    code, found = run(program, 'race_free', case)
    if code != 0:
        yield f'{case}: the race-free twin ends with {code}'
    yield from (f'{case}: the race-free twin: {one}' for one in found)


def main():
    source, program = sys.argv[1:]
    expected = expected_parts(source)
    cases = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    failures = [] if sorted(cases) == sorted(expected) else ['program and source have other cases']
    for case in cases:
        failures += failures_of(program, case, expected.get(case) or '?')
    print('\n'.join(failures) or f'{len(cases)} racy and race-free twins')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
