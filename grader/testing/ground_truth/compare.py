#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one program of this folder on the emulated device and compares its counters with those that ncu read.

usage: compare.py PROGRAM LIBCUDART_FOLDER DATA

Every launch must be equal in all of GROUPS but those that its case in the source names, with the reason. A case that
names a group in which it is equal fails, too. DATA is measure.py's launches.csv.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def per_op(names, ops):
    return [f"{name}_op_{op}.sum" for name in names for op in ops]


GLOBAL = ["l1tex__t_requests_pipe_lsu_mem_global", "l1tex__t_sectors_pipe_lsu_mem_global"]
SHARED = ["l1tex__data_pipe_lsu_wavefronts_mem_shared", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"]
BYTES = "smsp__sass_average_data_bytes_per_sector_mem_global"
GROUPS = {
    "global": per_op(GLOBAL, ["ld", "st"]),
    "atom": per_op(GLOBAL, ["atom"]),
    "red": per_op(GLOBAL, ["red"]),
    "local": per_op(["l1tex__t_requests_pipe_lsu_mem_local", "l1tex__t_sectors_pipe_lsu_mem_local"], ["ld", "st"]),
    "shared_ld": per_op(SHARED, ["ld"]),
    "shared_st": per_op(SHARED, ["st"]),
    "shared_atom": per_op(SHARED, ["atom"]),
    "bytes": [f"{BYTES}_op_{op}.ratio" for op in ("ld", "st")],
    "arithmetic": [f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum"
                   for op in ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma")],
}
ROUNDING = 0.006  # ncu prints ratios with two digits.


def emulated(program, library):
    """The program's cases and the emulated device's metrics, launch by launch."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "metrics.json"
        environment = {**os.environ, "LD_LIBRARY_PATH": library, "WARPGRADE_DEVICES": "H200", "WARPGRADE_QUIET": "1",
                       "WARPGRADE_METRICS": "json", "WARPGRADE_METRICS_FILE": str(table)}
        done = subprocess.run([program], env=environment, text=True, capture_output=True, check=True)
        rows = json.loads(table.read_text(encoding="utf-8"))
    cases = [line.split("\t")[1:] for line in done.stdout.splitlines() if line.startswith("case\t")]
    return cases, [row["metrics"] for row in rows]


def measured(data, program):
    with open(data, encoding="utf-8", newline="") as file:
        file.readline()
        return [row for row in csv.DictReader(file) if row["program"] == program]


def differences(group, ours, theirs):
    """(metric, emulated, measured) of those that ncu gave and that are not equal."""
    found = []
    for metric in GROUPS[group]:
        if theirs.get(metric, "") == "":
            continue
        mine, real = ours.get(metric, 0), float(theirs[metric])
        if abs(mine - real) > (ROUNDING if metric.endswith(".ratio") else 0):
            found.append((metric, mine, real))
    return found


def check(cases, metrics, rows):
    """How many launches are equal and marked, group by group, and what is wrong."""
    equal, marked, wrong = dict.fromkeys(GROUPS, 0), dict.fromkeys(GROUPS, 0), []
    for (name, differs, why), ours, theirs in zip(cases, metrics, rows):
        if name != theirs["case"]:
            wrong.append(f"{name}: the data has {theirs['case']} here; measure again")
        exempt = set(differs.split(",")) - {"-"}
        wrong += [f"{name}: no group is called {group}" for group in exempt - set(GROUPS)]
        for group in GROUPS:
            unequal = differences(group, ours, theirs)
            equal[group] += not unequal
            marked[group] += bool(unequal)
            if group in exempt and not unequal:
                wrong.append(f"{name}: {group} is equal, though it is said to differ ({why})")
            if group not in exempt:
                wrong += [f"{name}: {metric} is {mine:g} here and {real:g} on the GPU" for metric, mine, real in unequal]
    return equal, marked, wrong


def main():
    program, library, data = sys.argv[1:]
    cases, metrics = emulated(program, library)
    rows = measured(data, pathlib.Path(program).name)
    if not len(cases) == len(metrics) == len(rows):
        sys.exit(f"{len(cases)} cases, {len(metrics)} launches here, {len(rows)} on the GPU: measure again")
    equal, marked, wrong = check(cases, metrics, rows)
    print("\n".join(wrong[:40]))
    for group in GROUPS:
        print(f"{group}: {equal[group]} of {len(rows)} launches equal, {marked[group]} not")
    print(f"{len(rows)} launches of {len({row['kernel'] for row in rows})} kernels")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
