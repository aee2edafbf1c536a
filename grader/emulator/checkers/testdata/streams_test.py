#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs programs that race between streams, and their race-free twins, on the emulated device.

PROGRAM prints the names of its cases, or runs one: PROGRAM racy|race_free NAME. In SOURCE, a line
"// race: words" above STREAMS(NAME) says what the finding in the racy twin says. A race-free twin
raises no finding at all.

usage: streams_test.py SOURCE PROGRAM
"""
import json
import os
import re
import subprocess
import sys
import tempfile


def expected_words(source):
    """Case name -> words of its finding."""
    expected = {}
    words = None
    for line in open(source, encoding='utf-8'):
        if line.startswith('// race: '):
            words = line.split(': ', 1)[1].strip()
        begin = re.match(r'STREAMS\((\w+)\)', line)
        if begin:
            expected[begin.group(1)] = words
    return expected


def run(program, kind, case):
    """(exit code, findings)"""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'trace.jsonl')
        environment = dict(os.environ, WARPGRADE_TRACE=trace, WARPGRADE_CHECK='all', WARPGRADE_QUIET='1')
        done = subprocess.run([program, kind, case], env=environment)
        records = [json.loads(line) for line in open(trace, encoding='utf-8')]
    return done.returncode, ['{checker}: {message}'.format(**one) for one in records if one['type'] == 'finding']


def failures_of(program, case, words):
    code, found = run(program, 'racy', case)
    if code != 0:
        yield f'{case}: the racy twin ends with {code}'
    if not any(one.startswith('race: ') and words in one for one in found):
        yield f'{case}: "{words}" is not found, but: {found}'
    yield from (f'{case}: unexpected: {one}' for one in found if not one.startswith('race: '))
    code, found = run(program, 'race_free', case)
    if code != 0:
        yield f'{case}: the race-free twin ends with {code}'
    yield from (f'{case}: the race-free twin: {one}' for one in found)


def main():
    source, program = sys.argv[1:]
    expected = expected_words(source)
    cases = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    failures = [] if sorted(cases) == sorted(expected) else ['program and source have other cases']
    for case in cases:
        failures += failures_of(program, case, expected.get(case) or '?')
    print('\n'.join(failures) or f'{len(cases)} racy and race-free twins')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
