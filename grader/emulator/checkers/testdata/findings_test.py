#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program case by case on the emulated device and compares what is found with its source.

PROGRAM prints the names of its cases, one a line, or runs the one it is given. A line of SOURCE that
ends with "// finds: A | B" is where a finding A and a finding B must be; "// finds at exit: A" stands
for a finding without a line, and "// finds at CODE: A" for one in the next line that has CODE. A finding is written as parts of its id and arguments,
"id(name=value, ...)", with " & " between, and " or " between two forms of a part. No other finding may be made. Where something was found,
WARPGRADE_ERROR_EXITCODE is how the program ends.

usage: findings_test.py SOURCE PROGRAM
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import finding_key

MARK = re.compile(r'// finds(?: at (.+?))?: (.+)$')


def expected_findings(source):
    """[(line or 0, parts)]"""
    expected = []
    lines = open(source, encoding='utf-8').read().splitlines()
    for number, line in enumerate(lines, 1):
        mark = MARK.search(line)
        if mark is None:
            continue
        place, found = mark.groups()
        if place == 'exit':
            number = 0
        elif place is not None:
            number = next(below for below in range(number + 1, len(lines) + 1)
                          if place in lines[below - 1] and not MARK.search(lines[below - 1]))
        expected += [(number, one.split(' & ')) for one in found.split(' | ')]
    return expected


def findings_of(program, case):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'trace.jsonl')
        environment = dict(os.environ, WARPGRADE_TRACE=trace, WARPGRADE_CHECK='all',
                           WARPGRADE_QUIET='1', WARPGRADE_ERROR_EXITCODE='9', WARPGRADE_INSTRUCTION_LIMIT='100000000')
        done = subprocess.run([program, case], env=environment, stdout=subprocess.DEVNULL)
        records = [json.loads(line) for line in open(trace, encoding='utf-8')]
    findings = [one for one in records if one['type'] == 'finding']
    if done.returncode != (9 if findings else 0):
        sys.exit(f'{case} ended with {done.returncode} after {len(findings)} findings')
    return findings


def holds(part, key):
    return any(one in key for one in part.split(' or '))


def main():
    source, program = sys.argv[1:]
    expected = expected_findings(source)
    cases = subprocess.run([program], stdout=subprocess.PIPE, text=True).stdout.split()
    missing = list(expected)
    failures = [] if cases else ['the program has no cases']
    for case in cases:
        for finding in findings_of(program, case):
            key = finding_key.key_of(finding)
            fits = [(line, parts) for line, parts in expected
                    if line == finding['line'] and all(holds(part, key) for part in parts)]
            if not fits:
                failures.append(f'{case}: unexpected in line {finding["line"]}: {key}')
            missing = [one for one in missing if one not in fits]
    failures += [f'not found in line {line}: {" & ".join(parts)}' for line, parts in missing]
    print('\n'.join(failures) or f'{len(expected)} findings in {len(cases)} cases')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
