#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grades the course's model answers, skeletons and sample class with several CUDA Toolkits and compares the results.

usage: same_verdicts.py WARPGRADE ROOT [--toolkits FOLDER] [--only PART]... [--jobs N]

FOLDER holds toolkits as fetch.sh unpacks them; the machine's own toolkit is the one they are compared with. PART is a
slug, or `class`. Verdicts (points and status of each item), findings and counters must be equal, but for counts of
instructions, which are the compiler's; those differences are listed. Exits 77 where
FOLDER holds no toolkit.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
CLASS = "class"
CLASS_SLUG = "matmul-pitched"
# What follows from the instructions and registers that a compiler chooses.
COMPILERS = re.compile(r"^(ptx__(thread_)?inst_executed|ptx__branches|(launch|estimated)__(registers|occupancy)|sm__maximum_warps)")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warpgrade", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--toolkits", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--jobs", default="2")
    return parser.parse_args()


def submissions(root, part):
    """Slug and paths of what one part of the comparison grades."""
    if part == CLASS:
        return CLASS_SLUG, [root / "reference" / CLASS_SLUG / CLASS]
    return part, [root / "reference" / part, root / "skeletons" / part]


def grade(options, toolkit, part, out):
    """Results by student's name, of each of the part's paths."""
    slug, paths = submissions(options.root, part)
    environment = dict(os.environ)
    environment.pop("CUDA_HOME", None)
    if toolkit is not None:
        environment["CUDA_HOME"] = str(toolkit)
    found = {}
    for path in paths:
        folder = out / path.parent.name
        command = [options.warpgrade, "--course", options.root, "grade", slug, path, "-o", folder, "--device", "emulated",
                   "--seed", "1", "--jobs", options.jobs]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            sys.exit(f"{toolkit}: {path} was not graded: {ran.stderr[-2000:]}")
        for file in sorted((folder / "results").glob("*.json")):
            found[f"{path.parent.name}/{file.stem}"] = json.loads(file.read_text(encoding="utf-8"))
    return found


def verdicts(result):
    return {item["id"]: (item["points"], item["status"]) for item in result["items"]}


def findings(result):
    return sorted({(one["checker"], one["kernel"], one["line"]) for one in result["findings"]})


def metrics(result):
    seen, numbers = {}, {}
    for kernel in result["kernels"]:
        key = (kernel["case"], kernel["name"])
        seen[key] = seen.get(key, 0) + 1
        for name, value in kernel["metrics"].items():
            numbers[(*key, seen[key], name)] = value
    return numbers


def compare(name, ours, theirs):
    """What must be equal and is not, and the names of the counters that compilers choose."""
    wrong = []
    before, after = verdicts(ours), verdicts(theirs)
    for item in sorted(before.keys() | after.keys()):
        if before.get(item) != after.get(item):
            wrong.append(f"{name}: {item} is {after.get(item)} instead of {before.get(item)}")
    if findings(ours) != findings(theirs):
        wrong.append(f"{name}: findings {findings(theirs)} instead of {findings(ours)}")
    before, after, chosen = metrics(ours), metrics(theirs), {}
    for key in sorted(before.keys() | after.keys(), key=str):
        if before.get(key) == after.get(key):
            continue
        if not COMPILERS.match(key[-1]) or before.get(key) is None or after.get(key) is None:
            wrong.append(f"{name}: {' '.join(map(str, key))} is {after.get(key)} instead of {before.get(key)}")
        else:
            chosen[key[-1]] = chosen.get(key[-1], 0) + 1
    return wrong, chosen


def main():
    options = arguments()
    folder = options.toolkits or options.root / ".cache/toolkits"
    toolkits = sorted(path.parent.parent for path in folder.glob("*/bin/nvcc"))
    if not toolkits:
        print(f"{folder} holds no toolkit: run grader/testing/toolkits/fetch.sh")
        return SKIPPED
    slugs = sorted(path.parent.name for path in (options.root / "assignments").glob("*/oracle.cpp"))
    wrong, compared = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for part in options.only or [*slugs, CLASS]:
            own = grade(options, None, part, pathlib.Path(scratch) / part / "own")
            for toolkit in toolkits:
                other = grade(options, toolkit, part, pathlib.Path(scratch) / part / toolkit.name)
                chosen = {}
                for name in sorted(own.keys() | other.keys()):
                    bad, counts = compare(f"{toolkit.name} {name}", own[name], other[name])
                    wrong += bad
                    compared += 1
                    chosen.update({key: chosen.get(key, 0) + count for key, count in counts.items()})
                print(f"{part} {toolkit.name}: {len(own)} results, the compiler's own counters differ in: "
                      f"{', '.join(sorted(chosen)) or 'none'}", flush=True)
    print(*wrong, sep="\n")
    print(f"{compared} results compared, {len(wrong)} differences that must not be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
