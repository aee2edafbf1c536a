#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How near the model answers come to the best that a GPU does, and how much faster than their baselines
they and other good answers are.

usage: reference_speed.py build WORK [SLUG...]      here: compiles for compute capability 9.0 (SASS and PTX)
       reference_speed.py check WORK WARPGRADE      here: the answers are right on the emulated device
       reference_speed.py measure WORK OUT [candidates] [SLUG...]
                                                    on a GPU machine: writes OUT (JSON)
       reference_speed.py tables OUT [PAGE]         prints the tables, or writes them into PAGE between
                                                    its markers

`build` compiles each answer as its author wrote it into a library of its own, together with the file
of speed/ that calls its functions. `measure` loads all libraries of an assignment into one process and
calls them in turns with the limits: CUB, cuBLAS, copies. With `candidates` also what was put into
candidates/SLUG/ beside this file for trying: files like the model answers, which are not kept.
"""
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

import speed_tables

HERE = pathlib.Path(__file__).resolve().parent
COURSE = HERE.parents[2]
SPEED = HERE / "speed"
CANDIDATES = HERE / "candidates"
JOBS = 3
GROUP_S = 60
DEADLINE_S = 170  # of the whole; what is not begun by then is left out

FLAGS = ["-std=c++20", "-O2", "-lineinfo", "-cudart", "shared", "--extended-lambda", "--expt-relaxed-constexpr"]
# Answers as the grader compiles them, but with ptxas run here and not by the driver.
ANSWER_ARCH = ["-gencode", "arch=compute_75,code=[compute_75,sm_90]"]
LIMIT_ARCH = ["-arch=sm_90"]
HIDDEN = ["-Xcompiler", "-fPIC,-fvisibility=hidden"]


def slugs():
    return sorted(path.stem for path in SPEED.glob("*.cu") if (COURSE / "reference" / path.stem).is_dir())


def answers(slug):
    """(label, source) of each answer that is right, or that the rubric measures against."""
    folder = COURSE / "reference" / slug
    found = [("reference", folder / f"{slug}.cu")]
    for part in ["baselines", "ladder", "accepted"]:
        found += [(f"{part}/{path.stem}", path) for path in sorted((folder / part).glob("*.cu"))]
    return found + [(f"candidates/{path.stem}", path) for path in sorted((CANDIDATES / slug).glob("*.cu"))]


def library_of(work, slug, label):
    return work / f"{slug}-{label.replace('/', '-')}.so"


def compile_if_new(target, sources, options, headers=()):
    """Unless the same command made it from the same files."""
    command = ["nvcc", *FLAGS, "-I", COURSE / "grader", *options, "-o", target, *sources]
    key = hashlib.sha256(repr(list(map(str, command))).encode())
    for path in [*sources, *headers]:
        key.update(path.read_bytes())
    record = target.with_name(target.name + ".key")
    if target.exists() and record.exists() and record.read_text(encoding="utf-8") == key.hexdigest():
        return
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{target.name}: {done.stderr}")
    record.write_text(key.hexdigest(), encoding="utf-8")


def objects_and_libraries(work, slug):
    """What is to be compiled for an assignment, and what is then linked of it."""
    contract = COURSE / "assignments" / slug / f"{slug}.h"
    options = ["-c", *HIDDEN, "-I", contract.parent]
    calls = work / "objects" / f"{slug}.o"
    objects = [(calls, [SPEED / f"{slug}.cu"], [*options, *LIMIT_ARCH], [contract, *sorted(SPEED.glob("*.h"))])]
    libraries = []
    for label, source in answers(slug):
        library = library_of(work, slug, label)
        answer = calls.with_name(library.stem + ".o")
        objects.append((answer, [source], [*options, *ANSWER_ARCH], [contract]))
        libraries.append((library, [answer, calls], [*LIMIT_ARCH, "-shared"]))
    return objects, libraries


def build(work, chosen):
    work.joinpath("objects").mkdir(parents=True, exist_ok=True)
    headers = sorted(SPEED.glob("*.h"))
    compiled = [(work / "speed", [SPEED / "speed.cu", SPEED / "arrays.cu", SPEED / "kernel_clock.cu"],
                 [*LIMIT_ARCH, "-ldl"], headers)]
    for name, options in [("limits", []), ("cublas", ["-lcublas"])]:
        compiled.append((work / f"{name}.so", [SPEED / f"{name}.cu"],
                         [*LIMIT_ARCH, "-shared", *HIDDEN, *options], headers))
    linked = []
    for slug in chosen:
        objects, libraries = objects_and_libraries(work, slug)
        compiled += objects
        linked += libraries
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for batch in (compiled, linked):
            for done in [pool.submit(compile_if_new, *job) for job in batch]:
                done.result()
    print(f"{len(linked)} answers and their limits are in {work}")


def plan_of(work, slug, with_candidates, limits):
    """The lines of speed's plan: the limits, then the answers."""
    lines = [(slug, name, "all", work / f"{name}.so") for name in limits]
    for label, _ in answers(slug):
        is_candidate = label.startswith("candidates/")
        extent = "all" if label == "reference" else "judged"
        library = library_of(work, slug, label)
        if library.exists() and (with_candidates or not is_candidate):
            lines.append((slug, label, extent, library))
    return "".join("\t".join(map(str, line)) + "\n" for line in lines)


def write_plan(work, slug, *which):
    path = work / f"{slug}.plan"
    path.write_text(plan_of(work, slug, *which), encoding="utf-8")
    return path


def check(work, warpgrade):
    """Whether each answer's task is right where the emulated device runs it; baselines need not be."""
    wrong = []
    for slug in slugs():
        plan = write_plan(work, slug, True, ["limits"])
        done = subprocess.run([warpgrade, "run", "--device", "H100", "--check", "none", work / "speed", plan, "small"],
                              capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        tasks = [line for line in lines if "task" in line]
        if done.returncode or not tasks:
            wrong.append(f"{slug}: exit status {done.returncode}: {done.stderr[-400:]}")
        for line in tasks:
            if not line["right"] and not line["program"].startswith("baselines/"):
                wrong.append(f"{slug}: {line['program']}: {line['task']}")
        print(f"{slug}: {sum(line['right'] is True for line in tasks)} of {len(tasks)} tasks are right")
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


def toolkit_libraries():
    nvcc = subprocess.run(["sh", "-c", "command -v nvcc"], capture_output=True, text=True, check=False).stdout.strip()
    root = pathlib.Path(nvcc or "/usr/local/cuda/bin/nvcc").resolve().parents[1]
    return [str(path) for path in [root / "lib64", root / "lib", root / "extras/CUPTI/lib64"] if path.is_dir()]


def ask(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=20).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def machine_facts():
    # The programs run on the first GPU.
    smi = ["nvidia-smi", "--id=0", "--format=csv,noheader"]
    return {
        "driver": ask(*smi, "--query-gpu=driver_version"),
        "clocks": ask(*smi, "--query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw,"
                            "clocks_throttle_reasons.active"),
        "nvcc": ask("nvcc", "--version").splitlines()[-2:],
    }


def limits_of(slug):
    return ["limits", "cublas"] if slug == "dot" or slug.startswith("matmul") else ["limits"]


def measure_group(work, slug, size, with_candidates, environment, limit_s):
    """The device's line and the tasks' lines, and what went wrong."""
    large = size == "large"
    plan = write_plan(work, slug, with_candidates, limits_of(slug) if large else [])
    command = [work / "speed", plan] + ([] if large else [size])
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=limit_s)
        text, status, error = done.stdout, done.returncode, done.stderr
    except subprocess.TimeoutExpired as stopped:
        text, status, error = (stopped.stdout or b"").decode(), "timed out", ""
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]
    for line in lines:
        line["size"] = size
    return lines, [] if status == 0 else [f"{slug}, {size}: exit status {status}: {error[-400:]}"]


def measure(work, out, words):
    with_candidates = "candidates" in words
    chosen = [word for word in words if word != "candidates"] or slugs()
    path = ":".join(filter(None, [*toolkit_libraries(), os.environ.get("LD_LIBRARY_PATH", "")]))
    environment = {**os.environ, "LD_LIBRARY_PATH": path}
    result = {"date": datetime.date.today().isoformat(), **machine_facts(), "device": {}, "tasks": [], "errors": []}
    begun = time.monotonic()
    judged = {group for group, _, _, _ in speed_tables.ITEMS}
    runs = [(slug, "large") for slug in chosen] + [(slug, "graded") for slug in chosen if slug in judged]
    for slug, size in runs:
        started = time.monotonic()
        left_s = DEADLINE_S - (started - begun)
        lines, errors = [], [f"{slug}, {size}: left out, as {DEADLINE_S} s were over"]
        if left_s > 0:
            lines, errors = measure_group(work, slug, size, with_candidates, environment, min(GROUP_S, left_s))
        result["tasks"] += [line for line in lines if "task" in line]
        result["device"] = next((line for line in lines if "device" in line), result["device"])
        result["errors"] += errors
        out.write_text(json.dumps(result, indent=0), encoding="utf-8")  # after each, should the next never end
        print(f"{slug}, {size}: {len(lines)} lines in {time.monotonic() - started:.1f} s", *errors, flush=True)
    result["clocks_after"] = machine_facts()["clocks"]
    out.write_text(json.dumps(result, indent=0), encoding="utf-8")
    print(speed_tables.all_tables(result))
    return 1 if result["errors"] else 0


def main(words):
    if len(words) >= 2 and words[0] == "build":
        build(pathlib.Path(words[1]).resolve(), words[2:] or slugs())
        return 0
    if len(words) == 3 and words[0] == "check":
        return check(pathlib.Path(words[1]).resolve(), words[2])
    if len(words) >= 3 and words[0] == "measure":
        return measure(pathlib.Path(words[1]).resolve(), pathlib.Path(words[2]), words[3:])
    if len(words) in (2, 3) and words[0] == "tables":
        result = json.loads(pathlib.Path(words[1]).read_text(encoding="utf-8"))
        if len(words) == 2:
            print(speed_tables.all_tables(result))
        else:
            speed_tables.write_into(pathlib.Path(words[2]), result)
        return 0
    print(__doc__.strip())
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
