#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grades a small class over and over in one folder, and shows that nothing is left behind: no process, no file in shared
memory or in the folders for temporary files, no control group; and that the grader's descriptors and memory are flat from
the first submission of a run to the last.

usage: soak.py WARPGRADE COURSE [--gradings N] [--students N] [--jobs J]
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import kill_test  # noqa: E402

# A grader makes these for itself.
OWN_NAME = re.compile(r"warpgrade-")
FLAT_MB, FLAT_DESCRIPTORS = 30, 20


def traces(work):
    """What graders may leave on this machine: names of files, groups and processes."""
    found = {str(path) for place in ("/dev/shm", "/tmp") for path in pathlib.Path(place).iterdir() if path != work}
    found |= {str(path) for path in pathlib.Path("/sys/fs/cgroup").glob("*/warpgrade-*")}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if OWN_NAME.search(words.decode(errors="replace")) and str(work).encode() in words:
            found.add(f"process {folder.name}: {words[:200]!r}")
    return found


def state_of(process):
    """Descriptors and resident megabytes of the grader itself; none where it has ended."""
    try:
        descriptors = len(os.listdir(f"/proc/{process.pid}/fd"))
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return None
    resident = re.search(r"VmRSS:\s*(\d+) kB", status)
    return (descriptors, int(resident[1]) / 1024) if resident else None


def watch(process):
    """The grader's state at times, until it ends."""
    states = []
    while process.poll() is None:
        state = state_of(process)
        if state:
            states.append(state)
        time.sleep(0.05)
    return states


def growth(states, which):
    """From a run's second quarter to its last one: what a submission leaves behind adds up in between."""
    part = max(1, len(states) // 4)
    first, last = states[part:2 * part] or states[:1], states[-part:]
    return max(state[which] for state in last) - max(state[which] for state in first)


def grade(options, work, number):
    environment = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"))
    with open(work / "log", "w") as log:
        process = subprocess.Popen([options.warpgrade, "--course", options.course, "grade", kill_test.SLUG, work / "class", "-o",
                                    work / "results", "--device", "emulated", "--jobs", str(options.jobs), "--force"],
                                   stdout=log, stderr=log, env=environment)
        states = watch(process)
    if process.returncode != 0:
        sys.exit(f"run {number} ended with {process.returncode}:\n{(work / 'log').read_text()}")
    return states


def run(options, work):
    names = kill_test.make_class(options.course, work / "class", options.students)
    before, problems, graded, peaks, number = traces(work), [], 0, [], 0
    while graded < options.gradings and not problems:
        number += 1
        states = grade(options, work, number)
        graded += len(names)
        if not states:
            continue
        descriptors, memory_mb = growth(states, 0), growth(states, 1)
        peaks.append((max(state[0] for state in states), max(state[1] for state in states)))
        # The first run fills the build cache.
        if number > 1 and descriptors > FLAT_DESCRIPTORS:
            problems.append(f"run {number}: {descriptors} more descriptors at its end")
        if number > 1 and memory_mb > FLAT_MB:
            problems.append(f"run {number}: {memory_mb:.0f} MB more at its end")
        quarter = max(1, len(states) // 4)
        megabytes = ", ".join(f"{max(state[1] for state in states[at:at + quarter]):.0f}" for at in range(0, 4 * quarter, quarter)
                              if states[at:at + quarter])
        print(f"{graded} gradings: at most {peaks[-1][0]} descriptors; MB in each quarter of the run: {megabytes}", flush=True)
    # Who was killed is gone in a moment.
    time.sleep(2)
    left = sorted(each for each in traces(work) - before if not is_of_living_grader(each))
    problems += [f"left behind: {each}" for each in left]
    results = len(list((work / "results" / "results").glob("*.json")))
    if results != len(names):
        problems.append(f"{results} results of {len(names)} students")
    print(f"{graded} gradings in {number} runs: at most {max(peak[0] for peak in peaks)} descriptors and "
          f"{max(peak[1] for peak in peaks):.0f} MB; {'nothing left behind' if not problems else f'{len(problems)} problems'}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


def is_of_living_grader(name):
    """Other graders may be at work here: a control group of one names it."""
    found = re.search(r"cgroup/.*warpgrade-(\d+)", name)
    return bool(found) and os.path.exists(f"/proc/{found[1]}")


def alone(words):
    """Runs this program again where /dev/shm and /tmp are its own: other graders of the machine leave nothing there."""
    mounts = "for place in /dev/shm /tmp; do mount -t tmpfs -o mode=1777 soak $place || exit; done; "
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounts + 'exec "$0" "$@"', sys.executable,
                          "-B", os.path.abspath(__file__), "--alone", *words])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpgrade", type=lambda word: pathlib.Path(word).resolve())
    parser.add_argument("course", type=lambda word: pathlib.Path(word).resolve())
    parser.add_argument("--gradings", type=int, default=5000)
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.alone:
        alone(sys.argv[1:])
    # Students' programs run as another user.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        return run(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
