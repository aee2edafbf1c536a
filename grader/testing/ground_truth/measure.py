#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the programs of this folder under ncu on a real GPU and writes what it counted.

usage: measure.py PROGRAMS OUT [NAME...]

PROGRAMS is a folder with the built programs (their PTX alone, which the driver compiles for its GPU); OUT gets
launches.csv, one row per launch with ncu's metrics, and occupancy.csv, what the runtime says of each kernel. NAME...
are the programs to run, if not all of PROGRAMS below.
"""
import csv
import pathlib
import re
import subprocess
import sys

PROGRAMS = ["global", "shared", "atomics", "flow", "ampere", "course", "layout"]
ONLY_MEMORY = {"shared", "atomics"}  # Many launches of one warp: no use in timing them.

MEMORY = (
    [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st", "atom", "red") for what in ("requests", "sectors")]
    + [f"l1tex__t_{what}_pipe_lsu_mem_local_op_{op}.sum" for op in ("ld", "st") for what in ("requests", "sectors")]
    + [f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom")]
    + [f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom", "ldgsts")]
    + [f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ["ld", "st", "atom", "ldsm", "ldgsts"]]
    + [f"smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in ["ld", "st", "atom", "ldsm", "ldgsts"]]
    + ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]
    + [f"smsp__inst_executed_op_{op}.sum" for op in (
        "global_ld", "global_st", "global_red", "shared_ld", "shared_st", "shared_atom",
        "shared_atom_dot_alu", "shared_atom_dot_cas", "local_ld", "local_st", "generic_ld", "generic_st",
        "generic_atom_dot_alu", "generic_atom_dot_cas", "branch", "ldsm", "ldgsts", "texture")]
    + ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "launch__registers_per_thread"]
)
FURTHER = (
    ["l1tex__t_requests_pipe_tex_mem_texture.sum", "l1tex__t_sectors_pipe_tex_mem_texture.sum"]
    + [f"smsp__thread_inst_executed{kind}_per_inst_executed.ratio" for kind in ("", "_pred_on")]
    + [f"smsp__sass_branch_targets{kind}.sum" for kind in ("", "_threads_divergent", "_threads_uniform")]
    + ["smsp__sass_average_branch_targets_threads_uniform.pct"]
    + [f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in (
        "fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "fp16", "fp32", "fp64", "integer", "bit", "control",
        "conversion", "memory", "misc", "inter_thread_communication")]
    + [f"smsp__sass_average_data_bytes_per_sector_mem_{space}.ratio" for space in (
        "global_op_ld", "global_op_st", "local_op_ld", "local_op_st")]
    + [f"smsp__sass_data_bytes_mem_{space}.sum" for space in ("global_op_ld", "global_op_st", "shared", "local")]
    + ["smsp__sass_average_data_bytes_per_wavefront_mem_shared.ratio"]
    + [f"launch__{name}" for name in (
        "registers_per_thread_allocated", "shared_mem_per_block_static", "shared_mem_per_block_dynamic",
        "shared_mem_per_block_driver", "shared_mem_per_block_allocated", "shared_mem_config_size",
        "occupancy_limit_registers", "occupancy_limit_shared_mem", "occupancy_limit_blocks",
        "occupancy_limit_warps", "occupancy_limit_barriers", "waves_per_multiprocessor", "sm_count",
        "thread_count")]
    + ["sm__maximum_warps_per_active_cycle_pct", "sm__warps_active.avg.pct_of_peak_sustained_active",
       "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors_op_read.sum",
       "lts__t_sectors_op_write.sum", "lts__t_sectors_srcunit_tex.sum", "lts__t_requests_srcunit_tex.sum"]
)


def run(*command):
    return subprocess.run(command, text=True, capture_output=True, check=False)


def profile(program, metrics, log, *options):
    """The program's own output and ncu's complaints; ncu's table goes to `log`."""
    done = run("ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--log-file",
               str(log), *options, "--metrics", ",".join(metrics), str(program))
    return done, log.read_text(encoding="utf-8") + done.stdout + done.stderr


def known(program, wanted, log):
    """`wanted` without what this ncu or GPU does not know; it names one unknown metric at a time."""
    listed = "".join(run("ncu", "--query-metrics", "--query-metrics-collection", kind).stdout
                     for kind in ("profiling", "launch", "source"))
    names = set(re.findall(r"^(\w+__\w+)", listed, re.M))
    sure = ("launch__", "smsp__sass_", "sm__maximum")
    metrics = [m for m in wanted if not names or m.split(".")[0] in names or m.startswith(sure)]
    while True:
        _, text = profile(program, metrics, log, "--launch-count", "1")
        unknown = [m for m in metrics if re.search(r"(?:Failed to find|Unknown|Invalid) metric\w* *.*" + re.escape(m) + r"\b", text)]
        if not unknown:
            break
        metrics = [m for m in metrics if m not in unknown]
    for metric in wanted:
        if metric not in metrics:
            print(f"not known here: {metric}")
    return metrics


def rows_of(log):
    """ncu's rows as dictionaries; the row under the header holds units."""
    lines = log.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    return list(csv.DictReader(lines[start:]))[1:]


def measure(program, metrics, log):
    done, text = profile(program, metrics, log)
    cases = [line.split("\t")[1] for line in done.stdout.splitlines() if line.startswith("case\t")]
    try:
        rows = rows_of(log)
    except StopIteration:
        sys.exit(f"{program.name}: ncu printed no table:\n{text[-3000:]}")
    if len(rows) != len(cases) or done.returncode != 0:
        sys.exit(f"{program.name}: {len(cases)} cases, {len(rows)} rows, exit code {done.returncode}\n{text[-3000:]}")
    return [{"program": program.name, "case": case, "kernel": row["Kernel Name"], "grid": row["Grid Size"],
             "block": row["Block Size"], **{m: row.get(m, "").replace(",", "") for m in metrics}}
            for case, row in zip(cases, rows)]


def origin():
    ncu = re.search(r"Version (\S+)", run("ncu", "--version").stdout)
    smi = run("nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader").stdout.strip()
    return f"# {smi}; ncu {ncu.group(1) if ncu else '?'}, --clock-control none; compute_75, compute_80 and compute_90 PTX compiled by the driver"


def write(path, columns, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(origin() + "\n")
        table = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(f"{path.name}: {len(rows)} rows")


def write_occupancy(folder, out, programs):
    columns = ["program", "case", "registers", "static_shared", "dynamic_shared", "local", "max_threads"]
    sizes = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]
    columns += [f"blocks_of_{size}" for size in sizes]
    rows = []
    for name in programs:
        for line in run(str(folder / name), "occupancy").stdout.splitlines():
            kind, *cells = line.split("\t")
            if kind == "occupancy":
                rows.append(dict(zip(columns, [name, *cells])))
    write(out / "occupancy.csv", columns, rows)


def main():
    folder, out = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    programs = sys.argv[3:] or PROGRAMS
    write_occupancy(folder, out, programs)
    log = out / "ncu.log"
    memory = known(folder / programs[-1], MEMORY, log)
    further = known(folder / programs[-1], FURTHER, log)
    rows = []
    for name in programs:
        rows += measure(folder / name, memory + ([] if name in ONLY_MEMORY else further), log)
        write(out / "launches.csv", ["program", "case", "kernel", "grid", "block", *memory, *further], rows)
    log.unlink()


if __name__ == "__main__":
    main()
