#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what the emulated device adds to the start of a program: one empty kernel under it, against the same
program doing nothing with the toolkit's own runtime.

usage: startup.py PROGRAM EMULATED_LIBRARY_FOLDER TOOLKIT_LIBRARY_FOLDER
"""
import os
import statistics
import subprocess
import sys
import time

RUNS = 21
LIMIT_MS = 30


def start_ms(program, word, folder):
    begin = time.perf_counter()
    subprocess.run([program, word], env=dict(os.environ, LD_LIBRARY_PATH=folder), check=True)
    return 1000 * (time.perf_counter() - begin)


def main():
    program, emulated, toolkit = sys.argv[1:]
    # Taken in turns: whatever else the machine does slows both.
    pairs = [(start_ms(program, "bare", toolkit), start_ms(program, "empty", emulated)) for _ in range(RUNS)]
    bare, empty = (statistics.median(column) for column in zip(*pairs))
    print(f"{bare:8.2f} ms   a program that does nothing, real runtime")
    print(f"{empty:8.2f} ms   the same with one empty kernel, emulated device")
    print(f"{empty - bare:8.2f} ms   difference of the medians of {RUNS}; at most {LIMIT_MS} are wanted")


if __name__ == "__main__":
    sys.exit(main())
