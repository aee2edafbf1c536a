#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each header compiles alone, in the language of those who include it, and may be included twice.

A header that a built source file or another header includes before anything else is compiled alone with that file; the
others are compiled here.

usage: headers_test.py ROOT BUILD_FOLDER CXX CUDA_ROOT
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]


def first_included(root, path):
    """The header that a file includes before anything else, or None where that is none of ours."""
    first = INCLUDE.search(path.read_text(encoding="utf-8"))
    places = [root / "grader" / first.group(1), path.parent / first.group(1)] if first else []
    return next((place.resolve() for place in places if place.is_file()), None)


def built_alone(root, build):
    """Headers that some file of the build includes first of all."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    paths = {tree.joined_sources(entry)[0] for entry in entries}
    return {first_included(root, path) for path in paths if path.suffix in {".cpp", ".cu"} and path.is_file()}


def compile_alone(root, name, cxx, cuda_root):
    """The compiler's complaint about a unit that holds nothing but the header, or an empty string."""
    path = (root / name).resolve()
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / "alone.cu"
        unit.write_text(f'#include "{path}"\n', encoding="utf-8")
        if name.parts[0] == "assignments":
            command = [f"{cuda_root}/bin/nvcc", "-std=c++20", "-arch=compute_75", "-ptx", "-o", os.devnull]
        else:
            command = [cxx, *FLAGS, "-fsyntax-only", "-x", "c++", "-isystem", f"{cuda_root}/include"]
        done = subprocess.run([*command, "-I", f"{root}/grader", str(unit)], text=True, capture_output=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def main():
    root, build, cxx, cuda_root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    if shutil.which(cxx) is None:
        print(f"skipped: {cxx} is not here")
        return 77
    headers = [n for n in tree.sources(root, {".h", ".cuh"}) if n.parts[0] in {"grader", "assignments"}]
    unguarded = [name for name in headers if "\n#pragma once\n" not in (root / name).read_text(encoding="utf-8")]
    for name in unguarded:
        print(f"{name} has no line #pragma once")
    built = built_alone(root, build) | {first_included(root, root / name) for name in headers}
    rest = [name for name in headers if (root / name).resolve() not in built]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = list(pool.map(lambda name: compile_alone(root, name, cxx, cuda_root), rest))
    bad = [(name, text) for name, text in zip(rest, complaints) if text]
    for name, text in bad:
        print(f"{name} does not compile alone:\n{text}")
    print(f"{len(headers) - len(bad)} of {len(headers)} headers compile alone, {len(headers) - len(rest)} of them in the build")
    return 1 if bad or unguarded else 0


if __name__ == "__main__":
    sys.exit(main())
