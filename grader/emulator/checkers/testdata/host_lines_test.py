#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings about what the host does name the line that does it, whatever the program's host code was compiled with.

PROGRAM prints the names of its cases, or runs one. In SOURCE, a line that ends with "// finds: ID" is the place of such a
finding of the case whose function it stands in. PROGRAM's findings have no place where it was built without -g.

usage: host_lines_test.py SOURCE PROGRAM WITH_LINES
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

MOST_SECONDS = 20


def expected(source):
    """Case -> (id, line)."""
    found, case = {}, None
    for number, line in enumerate(open(source, encoding="utf-8"), 1):
        function = re.match(r"static void (\w+)\(\) \{", line)
        case = function.group(1) if function else case
        mark = re.search(r"// finds: (\S+)", line)
        if mark:
            found[case] = (mark.group(1), number)
    return found


def records_of(trace):
    """Those that are written in full."""
    text = open(trace, encoding="utf-8").read() if os.path.exists(trace) else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def findings(program, case):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.jsonl")
        environment = dict(os.environ, WARPGRADE_TRACE=trace, WARPGRADE_CHECK="memory,race,api", WARPGRADE_QUIET="1",
                           WARPGRADE_WALL_MS="400")
        subprocess.run([program, case], env=environment, stdout=subprocess.DEVNULL, check=False)
        # The device of a program that crashes writes its record after that.
        ends = time.monotonic() + MOST_SECONDS
        while not (records := records_of(trace)) or (records[-1]["type"] not in ("exit", "finding") and time.monotonic() < ends):
            time.sleep(0.02)
    return [(one["id"], one["file"], one["line"]) for one in records if one["type"] == "finding"]


def main():
    source, program, with_lines = sys.argv[1], sys.argv[2], sys.argv[3] == "true"
    wanted = expected(source)
    cases = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    failures = [] if sorted(cases) == sorted(wanted) else ["program and source have other cases"]
    for case in cases:
        name, line = wanted[case]
        place = (os.path.basename(source), line) if with_lines else ("", 0)
        found = findings(program, case)
        if name == "time.host" and not with_lines:  # It is a line, or nothing.
            failures += [f"{case}: {found}"] if found else []
        elif (name, *place) not in found:
            failures.append(f"{case}: no {name} at {place}, but {found}")
    print("\n".join(failures) or f"{len(cases)} cases")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
