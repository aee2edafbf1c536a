#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever asks for a copy or a fill, the record tells how much was done in which direction, and that it took time.

usage: transfers_test.py PROGRAM LIBCUDART
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROW, ROWS = 64, 8
BYTES = ROW * ROWS
# By range: direction, number, bytes.
EXPECTED = {
    "to the device": {"HtoD": (1, BYTES)},
    "to the host": {"DtoH": (1, BYTES)},
    "on the host": {"HtoH": (1, ROW)},
    "2D": {"DtoD": (1, 4 * ROWS)},
    "fill": {"fill": (1, 4 * ROWS)},
    "batch": {"DtoD": (2, 2 * ROW), "DtoH": (1, 4)},
    "to an array": {"DtoD": (1, BYTES)},
    "between arrays": {"DtoD": (1, BYTES)},
    "from an array": {"DtoD": (1, BYTES)},
    "nodes": {"DtoD": (4, 2 * (BYTES + 4 * ROWS)), "fill": (2, 2 * 4 * ROWS)},
    "captured": {"DtoD": (2, 2 * BYTES), "fill": (2, 2 * ROW)},
    "kernel": {"DtoD": (2, ROW + 4 * ROWS), "fill": (1, 4)},
    "between devices": {"PtoP": (1, BYTES)},
}
LIKE = {"nodes": ["cudaMemcpyAsync", "cudaMemcpy2DAsync", "cudaMemsetAsync"] * 2,
        "kernel": ["cudaMemcpyAsync", "cudaMemcpy2DAsync", "cudaMemsetAsync"]}


def records_of(program, libcudart):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        environment = {"WARPGRADE_TRACE": str(trace), "WARPGRADE_QUIET": "1",
                       "NVTX_INJECTION64_PATH": str(pathlib.Path(libcudart).resolve())}
        subprocess.run([program], env={**os.environ, **environment}, check=True)
        return [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]


def main():
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    like = collections.defaultdict(list)
    records = records_of(*sys.argv[1:])
    for record in records:
        if "like" in record.get("args", {}):
            like[record["range"]].append(record["args"]["like"])
        for each in record.get("transfers", []):
            done = found[record["range"]][each["direction"]]
            done[0] += each["count"]
            done[1] += each["bytes"]
            is_free = each["direction"] == "HtoH"
            assert (each["ms"] == 0) == is_free, record
    seen = {name: {direction: tuple(done) for direction, done in found[name].items()} for name in EXPECTED}
    assert seen == EXPECTED, seen
    assert {name: sorted(like[name]) for name in LIKE} == {name: sorted(LIKE[name]) for name in LIKE}, like
    faults = [(record["result"] != 0, record.get("faulted", False)) for record in records
              if record["type"] == "launch" and record["range"] == "faults"]
    assert faults == [(True, True), (True, False)], f"the first ran and the second did not begin: {faults}"


main()
