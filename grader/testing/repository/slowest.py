#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints which steps of a build, and which tests, took longest; times are of the last time that each ran.

usage: slowest.py BUILD_FOLDER [TARGET]     (TARGET: only what that target needs; default: everything)
"""
import json
import pathlib
import subprocess
import sys

SHOWN = 10


def build_steps(build):
    """{output: seconds} of ninja's log. A step with several outputs is under the first of them."""
    steps, seen = {}, set()
    for line in (build / ".ninja_log").read_text(encoding="utf-8").splitlines()[1:]:
        start_ms, end_ms, _, output, command = line.split("\t")
        step = (start_ms, end_ms, command)
        if step not in seen:
            seen.add(step)
            steps[output] = (int(end_ms) - int(start_ms)) / 1000
    return steps


def needed_by(build, target):
    """What ninja makes for `target`."""
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "inputs", target], text=True, capture_output=True, check=True)
    return set(listing.stdout.splitlines())


def test_times(build):
    """{test: seconds} of Meson's log, empty where no test ran yet."""
    log = build / "meson-logs" / "testlog.json"
    if not log.is_file():
        return {}
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return {entry["name"]: entry["duration"] for entry in entries if entry["result"] != "SKIP"}


def show(title, times):
    print(f"{title}: {len(times)}, {sum(times.values()):.0f} s in all; the slowest:")
    for name, seconds in sorted(times.items(), key=lambda pair: -pair[1])[:SHOWN]:
        print(f"{seconds:8.1f} s  {name}")


def main():
    build = pathlib.Path(sys.argv[1])
    steps = build_steps(build)
    if len(sys.argv) > 2:
        needed = needed_by(build, sys.argv[2])
        steps = {output: seconds for output, seconds in steps.items() if output in needed}
    show("steps of the build", steps)
    if len(sys.argv) == 2:
        show("tests", test_times(build))


if __name__ == "__main__":
    main()
