#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares modelled with measured times of rows of work in one stream.

usage: compare_rows.py LIBCUDART PROGRAM MEASURED.csv

Runs the program on the emulated H200. Fails where a row takes a fifth more or less than was measured.
"""
import csv
import os
import subprocess
import sys

MOST_WRONG = 1 / 5


def times_by_row(lines):
    """{row: {count: us}}"""
    return {cells.pop("row"): {count: float(us) for count, us in cells.items()} for cells in csv.DictReader(lines)}


def modelled_lines(libcudart, program):
    settings = {"LD_LIBRARY_PATH": os.path.dirname(os.path.realpath(libcudart)), "WARPGRADE_DEVICES": "H200",
                "WARPGRADE_CHECK": "none"}
    done = subprocess.run([program], env=os.environ | settings, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    libcudart, program, measured_file = sys.argv[1:]
    with open(measured_file, encoding="utf-8") as lines:
        measured = times_by_row(lines)
    modelled = times_by_row(modelled_lines(libcudart, program))
    if measured.keys() != modelled.keys():
        sys.exit("the program and the file do not hold the same rows")
    is_wrong = False
    for row, counts in measured.items():
        for count, us in counts.items():
            error = modelled[row][count] / us - 1
            is_wrong |= abs(error) > MOST_WRONG
            print(f"{count:>3} {row:<36}{us:9.2f} us measured {modelled[row][count]:9.2f} modelled {100 * error:+5.0f} %")
    return is_wrong


if __name__ == "__main__":
    sys.exit(main())
