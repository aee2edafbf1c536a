#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the counters that README.md and docs/*.md name with the columns that programs on the
emulated device print (`warpgrade run --metrics csv`).

usage: metric_names_test.py ROOT PROGRAM...
"""
import csv
import io
import itertools
import os
import pathlib
import re
import subprocess
import sys

# "ptx__inst_executed.sum"; "ptx__..." names all that begin so.
COUNTER = re.compile(r"\b[a-z0-9]+__[a-z0-9_]+\.[a-z_]+|`[a-z0-9]+__(?:\.\.\.)?`")


def columns(programs):
    """Of all programs, each of them with ptxas and without."""
    names = set()
    for program, ptxas in itertools.product(programs, ["ptxas", "none"]):
        environment = dict(os.environ, WARPGRADE_METRICS="csv", WARPGRADE_QUIET="1",
                           WARPGRADE_METRICS_FILE="/dev/stderr", WARPGRADE_PTXAS=ptxas)
        printed = subprocess.run([program], env=environment, capture_output=True, text=True).stderr
        names.update(next(csv.reader(io.StringIO(printed)), []))
    return names


def unknown(text, names):
    """Names in a page that nothing prints, each with its line."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in COUNTER.findall(line):
            prefix = match.strip("`.")
            known = any(name.startswith(prefix) for name in names) if match[0] == "`" else match in names
            if not known:
                yield number, match


def main():
    root = pathlib.Path(sys.argv[1])
    printed = columns(sys.argv[2:])
    if "kernel" not in printed:
        sys.exit(f"the programs print no table: {sorted(printed)}")
    wrong = list(unknown("`ptx__nothing.sum`, `nothing__...`, `ptx__inst_executed.sum` and `ptx__...`", printed))
    if [name for _, name in wrong] != ["ptx__nothing.sum", "`nothing__...`"]:
        sys.exit(f"self-test: {wrong}")
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    found = [f"{page.relative_to(root)}:{number}: no column is called {name}"
             for page in pages for number, name in unknown(page.read_text(encoding="utf-8"), printed)]
    print("\n".join(found) or f"{len(pages)} pages name only what is printed")
    sys.exit(bool(found))


main()
