#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails where a C++ or CUDA file is not as clang-format 14 leaves it.

usage: format_test.py ROOT
"""
import pathlib
import shutil
import subprocess
import sys

import tree

TOOL = "clang-format-14"


def main():
    root = pathlib.Path(sys.argv[1])
    if shutil.which(TOOL) is None:
        print(f"skipped: {TOOL} is not installed (apt-get install {TOOL})")
        return 77
    names = [str(name) for name in tree.sources(root)]
    if names and subprocess.run([TOOL, "--dry-run", "-Werror", *names], cwd=root, check=False).returncode:
        print(f"put right with: {TOOL} -i FILE...")
        return 1
    print(f"{len(names)} files are formatted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
