#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program under the sandbox's limit of data and holds it to that of resident memory, with and
without checkers.

usage: limits_test.py PROGRAM
"""
import os
import resource
import subprocess
import sys

DATA_BYTES = 2 << 30
RESIDENT_BYTES = 3 << 29


def limit_data():
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))


def main():
    for checkers in '', 'memory', 'memory,init,race,sync':
        environment = dict(os.environ, WARPGRADE_CHECK=checkers, WARPGRADE_QUIET='1')
        done = subprocess.run([sys.argv[1]], env=environment, preexec_fn=limit_data,
                              stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f'checkers "{checkers}": exit {done.returncode}\n{done.stdout}')
        # The largest of all children so far.
        resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        if resident > RESIDENT_BYTES:
            sys.exit(f'checkers "{checkers}": {resident >> 20} MiB were resident')
        print(f'checkers "{checkers}": {resident >> 20} MiB resident at most')


main()
