#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs twins.cuh programs on the emulated device under several thread orders.

Every racy kernel must be caught under every order, at lines marked "// race" and at no others;
every race-free one must raise no finding at all and compute the same under every order.

usage: twins_test.py SOURCE PROGRAM racy|race_free
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ORDERS = range(6)


def marked_lines(source):
    """Case name -> set of the lines at which its racy twin may be caught."""
    marks = {}
    name = None
    for number, line in enumerate(open(source, encoding='utf-8'), 1):
        begin = re.match(r'TWIN\((\w+)\)', line)
        if begin:
            name = begin.group(1)
            marks[name] = set()
        elif line.rstrip().endswith('// race'):
            marks[name].add(number)
    return marks


def run(program, kind, order):
    """(exit code, output, findings)"""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'trace.jsonl')
        environment = dict(os.environ, WARPGRADE_TRACE=trace, WARPGRADE_CHECK='all',
                           WARPGRADE_ORDER=str(order), WARPGRADE_QUIET='1',
                           WARPGRADE_INSTRUCTION_LIMIT='100000000')
        done = subprocess.run([program, kind], env=environment, stdout=subprocess.PIPE, text=True)
        records = [json.loads(line) for line in open(trace, encoding='utf-8')]
    return done.returncode, done.stdout, [one for one in records if one['type'] == 'finding']


def kernel_of(finding):
    found = re.search(r'(\w+)<(true|false)>', finding['kernel'])
    return found.group(1) if found else finding['kernel']


def told(finding):
    return '{kernel} line {line}: {checker}: {message} (thread {thread})'.format(
        **dict(finding, kernel=kernel_of(finding)))


def check_racy(marks, findings):
    races = {}
    for finding in findings:
        if finding['checker'] == 'race':
            races.setdefault(kernel_of(finding), []).append(finding)
    for name, lines in marks.items():
        if name not in races:
            yield f'{name} is not caught'
        for race in races.get(name, []):
            if race['line'] not in lines:
                yield 'unexpected: ' + told(race)


def check_race_free(findings):
    for finding in findings:
        yield 'unexpected: ' + told(finding)


def main():
    source, program, kind = sys.argv[1:]
    marks = marked_lines(source)
    failures = []
    outputs = {}
    for order in ORDERS:
        code, output, findings = run(program, kind, order)
        outputs[order] = output
        ran = [line.split()[0] for line in output.splitlines()]
        if code != 0 or sorted(ran) != sorted(marks):
            failures.append(f'order {order}: exit {code}, ran {len(ran)} of {len(marks)} cases')
        found = check_racy(marks, findings) if kind == 'racy' else check_race_free(findings)
        failures += [f'order {order}: {what}' for what in found]
        if kind == 'race_free' and output != outputs[0]:
            failures.append(f'order {order}: computes something else than order 0')
    print('\n'.join(failures) or f'{len(marks)} {kind} twins under {len(ORDERS)} orders')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
