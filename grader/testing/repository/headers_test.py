#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles each header alone, in the language of those who include it, and twice in one unit.

usage: headers_test.py ROOT CXX CUDA_ROOT
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import tree

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]


def compile_alone(root, name, cxx, cuda_root):
    """The compiler's complaint about a unit that holds nothing but the header, or an empty string."""
    path = (root / name).resolve()
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / "alone.cu"
        unit.write_text(f'#include "{path}"\n#include "{path}"\n', encoding="utf-8")
        if name.parts[0] == "assignments":
            command = [f"{cuda_root}/bin/nvcc", "-std=c++20", "-arch=compute_75", "-ptx", "-o", os.devnull]
        else:
            command = [cxx, *FLAGS, "-fsyntax-only", "-x", "c++", "-isystem", f"{cuda_root}/include"]
        done = subprocess.run([*command, "-I", f"{root}/grader", str(unit)], text=True, capture_output=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def main():
    root, cxx, cuda_root = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    if shutil.which(cxx) is None:
        print(f"skipped: {cxx} is not here")
        return 77
    headers = [n for n in tree.sources(root, {".h", ".cuh"}) if n.parts[0] in {"grader", "assignments"}]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = list(pool.map(lambda name: compile_alone(root, name, cxx, cuda_root), headers))
    bad = [(name, text) for name, text in zip(headers, complaints) if text]
    for name, text in bad:
        print(f"{name} does not compile alone:\n{text}")
    print(f"{len(headers) - len(bad)} of {len(headers)} headers compile alone")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
