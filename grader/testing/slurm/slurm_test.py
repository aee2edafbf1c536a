#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grades a class by a real Slurm, whose daemons this test starts and ends, and kills in between with kill -9: a task, slurmd
and slurmctld. The results must be those of a local run. Skipped where Slurm is not installed or may not be started.

usage: slurm_test.py WARPGRADE COURSE [--students N] [--tasks N]
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "reliability"))

import cluster  # noqa: E402
import kill_test  # noqa: E402

SKIPPED = 77
LONGEST_S = 900


def grade(options, work, results, environment, *more):
    """Starts it; what it says goes to a file beside the results."""
    environment = dict(environment, XDG_CACHE_HOME=str(work / f"cache-{results.name}"))
    with open(f"{results}.out", "w") as out:
        return subprocess.Popen([options.warpgrade, "--course", options.root, "grade", kill_test.SLUG, work / "class",
                                 "-o", results, "--device", "emulated", "--jobs", "2", *more],
                                stdout=out, stderr=out, env=environment, cwd=work)


def wait_for(holds, process, what):
    end = time.monotonic() + LONGEST_S
    while not holds():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"in vain waited for {what}; grade's status: {process.poll()}")
        time.sleep(0.1)


def graded(results):
    return len(list((results / "results").glob("*.json")))


def grade_by_slurm(options, work, slurm, results):
    """With all the kills. What went wrong."""
    process = grade(options, work, results, slurm.environment, "--executor", "slurm", "--tasks", str(options.tasks))
    try:
        wait_for(lambda: graded(results) > 0, process, "the first result")
        task = next((number for number in range(options.tasks, 0, -1) if slurm.kill_task(number)), None)
        wait_for(lambda: graded(results) > 1, process, "a result after the task's end")
        slurm.kill("slurmd")
        slurm.kill("slurmctld")
        status = process.wait(LONGEST_S)
    finally:
        process.kill()
    said = pathlib.Path(f"{results}.out").read_text()
    problems = [] if task else ["no task was at work when one was to be killed"]
    if status != 0:
        problems.append(f"grade ended with {status}:\n{said}")
    if f"tasks {task} were lost and are submitted again" not in said:
        problems.append(f"task {task} was killed, and nothing says so:\n{said}")
    return problems


def merged(options, results, into, environment):
    done = subprocess.run([options.warpgrade, "merge", results, "-o", into], env=environment, capture_output=True, text=True,
                          check=False)
    return [] if done.returncode == 0 else [f"merge ended with {done.returncode}:\n{done.stdout}{done.stderr}"]


def run(options, work, slurm):
    names = kill_test.make_class(pathlib.Path(options.root), work / "class", options.students)
    local, remote, whole = work / "local", work / "remote", work / "whole"
    problems = []
    if grade(options, work, local, os.environ).wait(LONGEST_S) != 0:
        return [(work / "local.out").read_text()]
    remote.mkdir()
    shutil.copy2(local / "seed", remote / "seed")
    problems += grade_by_slurm(options, work, slurm, remote)
    wanted = kill_test.verdicts(local)
    if sorted(wanted) != names:
        problems.append(f"locally {sorted(wanted)} are graded")
    problems += [f"by Slurm: {each}" for each in kill_test.differences(remote, wanted)]
    problems += merged(options, remote, whole, os.environ)
    return problems + [f"merged: {each}" for each in kill_test.differences(whole, wanted)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpgrade", type=os.path.abspath)
    parser.add_argument("root", type=os.path.abspath)
    parser.add_argument("--students", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=2)
    options = parser.parse_args()
    if reason := cluster.why_not():
        print(f"skipped: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        # Students' programs run as another user.
        os.chmod(folder, 0o711)
        work = pathlib.Path(folder)
        (work / "slurm").mkdir(mode=0o755)
        with cluster.Cluster(work / "slurm") as slurm:
            problems = run(options, work, slurm)
            if problems:
                print(slurm.logs())
        problems += [f"process {each} is left over" for each in slurm.processes()]
    print(f"{options.students} submissions by {options.tasks} tasks of Slurm, of which one was killed, as were slurmd and "
          f"slurmctld: {'as graded here' if not problems else f'{len(problems)} problems'}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
