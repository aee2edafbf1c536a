#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How near the model answers come to the best that a GPU does: builds them with nvcc, times their
kernels with ncu at sizes far beyond the caches, and prints a Markdown table.

usage: reference_speed.py COURSE WORK [SLUG...]   on a GPU machine with nvcc and ncu
"""
import csv
import io
import pathlib
import subprocess
import sys

GIB = 1 << 30
N = 16384  # rows and columns of large matrices
SIDE = 4096  # of products

# The program (a file below reference/), its command line, and for each kernel, by a part of its name:
# the work of one launch, the limit it is held against, and the fraction that is wanted of it.
BYTES, FLOPS = "GB/s", "GFLOP/s"
PRODUCT = 2 * SIDE**3
ROWS = [
    ("vecadd/vecadd.cu", "268435456", [("", 12 * 268435456, BYTES, "copy", 0.90)]),
    ("matadd/matadd.cu", f"many {N} {N} 32 8", [("", 12 * N * N, BYTES, "copy", 0.85)]),
    ("transpose/transpose.cu", f"{N} {N} 3", [
        ("copy_kernel", 8 * N * N, BYTES, "copy", None),
        ("naive_kernel", 8 * N * N, BYTES, "copy", None),
        ("tile_kernel<0, 32>", 8 * N * N, BYTES, "copy", None),
        ("tile_kernel<1, 32>", 8 * N * N, BYTES, "copy", None),
        ("tile_kernel<1, 8>", 8 * N * N, BYTES, "copy", 0.80)]),
    ("histogram/histogram.cu", f"{GIB}", [
        ("global_kernel", GIB, BYTES, "cub_histogram_uniform", None),
        ("shared_kernel", GIB, BYTES, "cub_histogram_uniform", 0.90)]),
    ("histogram/histogram.cu", f"{GIB} equal", [
        ("shared_kernel", GIB, BYTES, "cub_histogram_equal", 0.90)]),
    ("dot/dot.cu", "static 268435456", [("", 8 * 268435456, BYTES, "cub_sum", 0.90)]),
    ("dot/dot.cu", "dynamic 268435456", [("", 8 * 268435456, BYTES, "cub_sum", None)]),
    ("pi/pi.cu", "global 134217728", [("", 8 * 134217728, BYTES, "cub_sum", None)]),
    ("pi/pi.cu", "shared 134217728", [("", 8 * 134217728, BYTES, "cub_sum", None)]),
    ("matmul-pitched/matmul-pitched.cu", f"{SIDE} {SIDE} {SIDE} 32 9", [
        ("", PRODUCT, FLOPS, "cublas_sgemm", None)]),
    ("matmul-tiled/matmul-tiled.cu", f"{SIDE} {SIDE} {SIDE} 32", [
        ("", PRODUCT, FLOPS, "cublas_sgemm", None)]),
    ("matmul-opt/matmul-opt.cu", f"{SIDE} {SIDE} {SIDE} one", [
        ("", PRODUCT, FLOPS, "cublas_sgemm", None)]),
    ("matmul-opt/matmul-opt.cu", f"{SIDE} {SIDE} {SIDE} two", [
        ("", PRODUCT, FLOPS, "cublas_sgemm", None)]),
    ("matmul-opt/matmul-opt.cu", f"{SIDE} {SIDE} {SIDE} own", [
        ("", PRODUCT, FLOPS, "cublas_sgemm", 0.60)]),
]


MS_OF = {"ns": 1e-6, "nsecond": 1e-6, "us": 1e-3, "usecond": 1e-3, "ms": 1.0, "msecond": 1.0,
         "s": 1e3, "second": 1e3}


def ladder(course):
    folder = course / "reference/matmul-opt/ladder"
    return [(f"matmul-opt/ladder/{path.name}", f"{SIDE} {SIDE} {SIDE} own",
             [("", PRODUCT, FLOPS, "cublas_sgemm", None)]) for path in sorted(folder.glob("*.cu"))]


def build(course, work, source):
    slug = source.split("/")[0]
    program = work / source.replace("/", "-").replace(".cu", "")
    if not program.exists():
        subprocess.run(["nvcc", "-std=c++20", "-arch=native", "-O3", "-lineinfo", "-cudart", "shared",
                        "-I", course / "grader", "-I", course / "assignments" / slug, "-o", program,
                        course / "reference" / source, course / "assignments" / slug / "driver.cu"],
                       check=True)
    return program


def limits(course, work):
    program = work / "limits"
    subprocess.run(["nvcc", "-std=c++20", "-arch=native", "-O3", "-o", program,
                    course / "grader/testing/gpu/limits.cu", "-lcublas"], check=True)
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {line.split()[0]: float(line.split()[1]) for line in text.splitlines()}


def kernel_times_ms(program, words):
    """The shortest launch of each kernel, by name."""
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--metrics",
               "gpu__time_duration.sum", program, *words.split()]
    text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    if len(rows) < 2:
        return {}
    unit = MS_OF[rows[0]["gpu__time_duration.sum"]]
    times = {}
    for row in rows[1:]:
        ms = float(row["gpu__time_duration.sum"].replace(",", "")) * unit
        times[row["Kernel Name"]] = min(ms, times.get(row["Kernel Name"], ms))
    return times


def print_rows(source, words, kernels, times_ms, limit):
    for part, work, unit, limit_name, wanted in kernels:
        matching = {name: ms for name, ms in times_ms.items() if part.replace(" ", "") in name.replace(" ", "")
                    or part.replace("<", "<(int)").replace(", ", ",(int)") in name.replace(" ", "")}
        if not matching:
            print(f"| {source} {words} | {part} | not measured | | | |")
            continue
        for name, ms in sorted(matching.items(), key=lambda item: item[1]):
            rate = work / 1e9 / (ms / 1e3)
            fraction = rate / limit[limit_name]
            goal = "" if wanted is None else f"{wanted:.2f} {'reached' if fraction >= wanted else 'missed'}"
            print(f"| {source} {words} | `{name[:name.rindex('(')][-60:]}` | {ms:.3f} | {rate:.0f} {unit} | "
                  f"{fraction:.2f} of {limit_name} | {goal} |")


def main(words):
    if len(words) < 2:
        print(__doc__.strip())
        return 2
    course, work = pathlib.Path(words[0]).resolve(), pathlib.Path(words[1]).resolve()
    work.mkdir(parents=True, exist_ok=True)
    limit = limits(course, work)
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                         capture_output=True, text=True, check=False).stdout.strip()
    print(f"{gpu}. Limits: " + ", ".join(f"{name} {value:.0f}" for name, value in limit.items()) + "\n")
    print("| Model answer | Kernel | ms | Rate | Of the limit | Wanted |\n|---|---|---|---|---|---|")
    for source, arguments, kernels in ROWS + ladder(course):
        if words[2:] and source.split("/")[0] not in words[2:]:
            continue
        if not (course / "reference" / source).exists():
            continue
        times_ms = kernel_times_ms(build(course, work, source), arguments)
        print_rows(source, arguments, kernels, times_ms, limit)
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
