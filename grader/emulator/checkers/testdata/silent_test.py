#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a correct program with the init, race and sync checkers under several orders: it must end with
0 and nothing may be found. (What programs do wrong on purpose to test the memory checker and error
codes is not looked at.)

usage: silent_test.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

ORDERS = range(3)


def complaints(program, order):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'trace.jsonl')
        environment = dict(os.environ, WARPGRADE_TRACE=trace, WARPGRADE_CHECK='init,race,sync',
                           WARPGRADE_ORDER=str(order), WARPGRADE_QUIET='1')
        done = subprocess.run([program], env=environment, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            yield f'order {order}: exit {done.returncode}\n{done.stdout}'
        for line in open(trace, encoding='utf-8'):
            record = json.loads(line)
            if record['type'] == 'finding' and record['checker'] in ('init', 'race', 'sync'):
                yield 'order {order}: {checker}: {message} [{kernel}, {file}:{line}]'.format(
                    order=order, **record)


def main():
    found = [text for order in ORDERS for text in complaints(sys.argv[1], order)]
    print('\n'.join(found) or f'nothing found under {len(ORDERS)} orders')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
