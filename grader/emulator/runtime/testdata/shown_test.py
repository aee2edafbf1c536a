#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where the device holds other inputs than the host, the record counts all that kernels decide and the host then knows.

usage: shown_test.py PROGRAM LIBCUDART
"""
import collections
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

CONDITION, ADDRESS, ROWS, ERROR = 4, 8, 24, 4
# By range. Bytes that a kernel has copied from the device to the host are on record as such.
EXPECTED = {"printed": 5, "written": ADDRESS + 64, "chosen": CONDITION, "if": CONDITION, "loop": CONDITION, "filled": ADDRESS + 3,
            "filled by rows": ROWS + 2 * 3, "read": ADDRESS + 16, "brought": ADDRESS, "inside": 0, "asked": ERROR,
            "failed": ERROR}


def write_array(path, value):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (32,), }".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack("<32f", *(value + i for i in range(32))))


def shown_in(program, libcudart, is_swapped):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_array(folder / "x.given.npy", 1)
        write_array(folder / "x.held.npy", 2)
        environment = {"WARPGRADE_TRACE": str(folder / "trace"), "WARPGRADE_QUIET": "1",
                       "NVTX_INJECTION64_PATH": str(pathlib.Path(libcudart).resolve())}
        if is_swapped:
            environment["WARPGRADE_SWAPPED_INPUTS"] = name
        subprocess.run([program], env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)
        shown = collections.Counter()
        for line in (folder / "trace").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            shown[record.get("range")] += record.get("args", {}).get("shown", 0)
        return shown


def main():
    shown = shown_in(*sys.argv[1:], True)
    assert {name: shown[name] for name in EXPECTED} == EXPECTED, shown
    assert not sum(shown_in(*sys.argv[1:], False).values()), "nothing is shown where nothing is swapped"


main()
