#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one program of this folder on the emulated device and compares its counters with those that ncu read.

usage: compare.py PROGRAM LIBCUDART_FOLDER PTXAS LAUNCHES OCCUPANCY

Every launch must be equal in all of GROUPS but those that its case in the source names, with the reason. A case that
names a group in which it is equal fails, too. LAUNCHES and OCCUPANCY are what measure.py wrote. What rests on registers
is compared only with the ptxas of the data's driver.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def per_op(names, ops):
    return [f"{name}_op_{op}.sum" for name in names for op in ops]


GLOBAL = ["l1tex__t_requests_pipe_lsu_mem_global", "l1tex__t_sectors_pipe_lsu_mem_global"]
SHARED = ["l1tex__data_pipe_lsu_wavefronts_mem_shared", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"]
SASS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared"
BYTES = "smsp__sass_average_data_bytes_per_sector_mem_global"
GROUPS = {
    "global": per_op(GLOBAL, ["ld", "st"]),
    "atom": per_op(GLOBAL, ["atom"]),
    "red": per_op(GLOBAL, ["red"]),
    "local": per_op(["l1tex__t_requests_pipe_lsu_mem_local", "l1tex__t_sectors_pipe_lsu_mem_local"], ["ld", "st"]),
    "shared_ld": per_op(SHARED, ["ld"]),
    "shared_st": per_op(SHARED, ["st"]),
    "shared_atom": per_op(SHARED, ["atom"]),
    "async": [f"smsp__sass_l1tex_data_{name}_mem_shared_op_ldgsts.sum"
              for name in ("pipe_lsu_wavefronts", "bank_conflicts_pipe_lsu")],
    "bytes": [f"{BYTES}_op_{op}.ratio" for op in ("ld", "st")],
    "arithmetic": [f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum"
                   for op in ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma")],
    "launch": [f"launch__{name}" for name in (
        "registers_per_thread", "shared_mem_per_block_static", "shared_mem_per_block_dynamic",
        "shared_mem_per_block_driver", "shared_mem_per_block_allocated", "occupancy_limit_registers",
        "occupancy_limit_shared_mem", "occupancy_limit_blocks", "occupancy_limit_warps", "waves_per_multiprocessor",
        "sm_count", "thread_count")] + ["sm__maximum_warps_per_active_cycle_pct"],
}
RELEASE = "13.0"  # The release of the ptxas in driver 580.
# The driver sizes shared memory to what a kernel needs; here the limit is told only where it counts.
WHERE_TOLD = {"launch__occupancy_limit_shared_mem"}
ROUNDING = 0.006  # ncu prints these with two digits.
ROUNDED = (".ratio", "_pct", "waves_per_multiprocessor")


def lines_of(program, library, kind, *arguments, **settings):
    """The cells of the lines of a kind that the program prints on an emulated H200."""
    environment = {**os.environ, "LD_LIBRARY_PATH": library, "WARPGRADE_DEVICES": "H200", "WARPGRADE_QUIET": "1",
                   **settings}
    done = subprocess.run([program, *arguments], env=environment, text=True, capture_output=True, check=True)
    return [line.split("\t")[1:] for line in done.stdout.splitlines() if line.startswith(kind + "\t")]


def emulated(program, library, ptxas):
    """The program's cases and the emulated device's metrics, launch by launch."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "metrics.json"
        cases = lines_of(program, library, "case", WARPGRADE_PTXAS=ptxas, WARPGRADE_METRICS="json",
                         WARPGRADE_METRICS_FILE=str(table))
        return cases, [row["metrics"] for row in json.loads(table.read_text(encoding="utf-8"))]


def measured(data, program):
    with open(data, encoding="utf-8", newline="") as file:
        file.readline()
        return [row for row in csv.DictReader(file) if row["program"] == program]


def is_of_release(ptxas):
    said = subprocess.run([ptxas, "--version"], text=True, capture_output=True, check=False).stdout
    return re.search(rf"release {re.escape(RELEASE)}\b", said) is not None


def check_occupancy(program, library, ptxas, rows, exempt):
    """What is wrong with registers, memory and resident blocks as the runtime tells them, but for cases in `exempt`."""
    ours = lines_of(program, library, "occupancy", "occupancy", WARPGRADE_PTXAS=ptxas)
    theirs = [list(row.values())[1:] for row in rows]
    wrong = [f"{real[0]}: {mine} here, {real} on the GPU" for mine, real in zip(ours, theirs)
             if mine != real and real[0] not in exempt]
    print(f"occupancy: {len(theirs) - len(wrong)} of {len(theirs)} launches equal")
    return wrong + (["occupancy: another number of kernels"] if len(ours) != len(theirs) else [])


def told(metric, theirs):
    """What ncu read, as text. What it calls l1tex__ also counts that warps are in each other's way, and that an atomic by a
    generic address looks whether it is of shared memory; what it calls smsp__sass_ does not, but knows no lanes that share a
    wavefront with their neighbours, and has no conflicts."""
    if not metric.startswith(tuple(SHARED)):
        return theirs.get(metric, "")
    operation = metric.rsplit("_op_")[1]
    l1tex = theirs.get(f"{SHARED[0]}_op_{operation}", "")
    sass = [theirs.get(f"{SASS}_op_{each}", "") for each in (operation, *(["ldsm.sum"] if operation == "ld.sum" else []))]
    if l1tex == "" or sass[0] == "":
        return theirs.get(metric, "")
    alone = min(float(l1tex), sum(float(each or 0) for each in sass))
    if metric.startswith(SHARED[0]):
        return str(alone)
    noise = 0 if operation == "atom.sum" else float(l1tex) - alone
    return str(float(theirs[metric]) - noise)


def differences(group, ours, theirs):
    """(metric, emulated, measured) of those that ncu gave and that are not equal."""
    found = []
    for metric in GROUPS[group]:
        if told(metric, theirs) == "" or (metric in WHERE_TOLD and metric not in ours):
            continue
        mine, real = ours.get(metric, 0), float(told(metric, theirs))
        if abs(mine - real) > (ROUNDING if metric.endswith(ROUNDED) else 0):
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
    program, library, ptxas, launches, occupancy = sys.argv[1:]
    with_registers = is_of_release(ptxas)
    if not with_registers:
        print(f"{ptxas} is not of release {RELEASE}: registers and occupancy are not compared")
        del GROUPS["launch"]
    cases, metrics = emulated(program, library, ptxas)
    rows = measured(launches, pathlib.Path(program).name)
    if not len(cases) == len(metrics) == len(rows):
        sys.exit(f"{len(cases)} cases, {len(metrics)} launches here, {len(rows)} on the GPU: measure again")
    equal, marked, wrong = check(cases, metrics, rows)
    if with_registers:
        exempt = {name for name, differs, _ in cases if "launch" in differs.split(",")}
        wrong += check_occupancy(program, library, ptxas, measured(occupancy, pathlib.Path(program).name), exempt)
    print("\n".join(wrong[:40]))
    for group in GROUPS:
        print(f"{group}: {equal[group]} of {len(rows)} launches equal, {marked[group]} not")
    print(f"{len(rows)} launches of {len({row['kernel'] for row in rows})} kernels")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
