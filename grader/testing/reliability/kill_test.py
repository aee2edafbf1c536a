#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ends graders by SIGKILL at random moments, starts them again, and holds the results against those of a grader
that nothing disturbed: each submission is there exactly once, with the same verdict.

usage: kill_test.py WARPGRADE ROOT [--students N] [--kills K] [--shards S] [--jobs J] [--random SEED]
"""
import argparse
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SLUG = "vecadd"
# What may differ between two runs of the same thing.
TIMES = ("hash", "gpu_holds")
LONGEST_S = 600


def make_class(root, folder, students):
    """Right answers, untouched skeletons and sources that do not compile, no two of them alike."""
    bodies = [(root / "reference" / SLUG / f"{SLUG}.cu").read_text(),
              (root / "skeletons" / SLUG / f"{SLUG}.cu").read_text(), "int broken\n"]
    names = [f"s{number:03}" for number in range(students)]
    for number, name in enumerate(names):
        (folder / name).mkdir(parents=True)
        (folder / name / f"{SLUG}.cu").write_text(f"{bodies[number % len(bodies)]}\n// {name}\n")
    return names


class Graders:
    """All shards of a class, each a process group of its own."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"))

    def start(self, results):
        processes = []
        for shard in range(1, self.options.shards + 1):
            command = [self.options.warpgrade, "--course", self.options.root, "grade", SLUG, self.work / "class", "-o", results,
                       "--device", "emulated", "--jobs", str(self.options.jobs), "--shard", f"{shard}/{self.options.shards}",
                       "--retry-parked"]
            with open(self.work / f"shard-{shard}.log", "w") as log:
                processes.append(subprocess.Popen(command, stdout=log, stderr=log, env=self.environment,
                                                  start_new_session=True))
        return processes

    def interrupt(self, results, after_s):
        """Whether the graders were still at work when they were killed."""
        processes = self.start(results)
        end = time.monotonic() + after_s
        while time.monotonic() < end and any(each.poll() is None for each in processes):
            time.sleep(0.005)
        running = [each for each in processes if each.poll() is None]
        for each in running:
            os.killpg(each.pid, signal.SIGKILL)
        for each in processes:
            each.wait()
        return bool(running)

    def finish(self, results):
        """What went wrong; nothing in the best case."""
        processes = self.start(results)
        statuses = [each.wait(LONGEST_S) for each in processes]
        logs = [(self.work / f"shard-{number}.log").read_text() for number in range(1, len(processes) + 1)]
        return [f"shard {number} ended with {status}:\n{log}"
                for number, (status, log) in enumerate(zip(statuses, logs), 1) if status != 0]


def verdicts(results):
    found = {}
    for path in (results / "results").glob("*.json"):
        result = json.loads(path.read_text())
        found[path.stem] = {key: value for key, value in result.items() if key not in TIMES}
    return found


def torn(results):
    """Names of results that are no whole JSON, which there must never be."""
    broken = []
    for path in (results / "results").glob("*.json"):
        try:
            json.loads(path.read_text())
        except ValueError:
            broken.append(path.name)
    return broken


def differences(results, wanted):
    """How a folder that was killed differs from one that was not."""
    found = verdicts(results)
    problems = [f"{name} has no result" for name in wanted if name not in found]
    problems += [f"{name} came from nowhere" for name in found if name not in wanted]
    for name in set(found) & set(wanted):
        keys = [key for key in wanted[name] if found[name].get(key) != wanted[name][key]]
        if keys:
            problems.append(f"{name} differs in {', '.join(keys)}")
    with open(results / "grades.csv", newline="") as table:
        rows = [row["student"] for row in csv.DictReader(table)]
    if rows != sorted(wanted):
        problems.append(f"grades.csv has the rows {rows}")
    left = [path.name for path in (results / "attempts").glob("*") if ".tmp." not in path.name]
    return problems + [f"the mark of {name} is left over" for name in left]


def run(options, work):
    chance = random.Random(options.random)
    names = make_class(pathlib.Path(options.root), work / "class", options.students)
    graders = Graders(options, work)
    folders, problems, kills, seed = [], [], 0, None
    while kills < options.kills and not problems:
        results = work / f"results-{len(folders)}"
        folders.append(results)
        if seed:
            results.mkdir()
            shutil.copy2(seed, results / "seed")
        # A folder that is complete is put aside for the comparison, and the next one begins.
        while kills < options.kills and graders.interrupt(results, chance.uniform(0.05, options.longest)):
            kills += 1
            problems += [f"after kill {kills}: {name} is torn" for name in torn(results)]
        problems += graders.finish(results)
        seed = results / "seed"
    plain = work / "undisturbed"
    plain.mkdir()
    shutil.copy2(seed, plain / "seed")
    problems += graders.finish(plain)
    wanted = verdicts(plain)
    if sorted(wanted) != names:
        problems.append(f"undisturbed, {sorted(wanted)} are graded")
    for results in folders:
        problems += [f"{results.name}: {problem}" for problem in differences(results, wanted)]
    print(f"{kills} kills of {options.shards} graders over {len(folders)} classes of {len(names)} students: "
          f"{'nothing lost, doubled or different' if not problems else f'{len(problems)} problems'}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpgrade")
    parser.add_argument("root")
    parser.add_argument("--students", type=int, default=50)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--longest", type=float, default=4, help="seconds until a kill, at most")
    parser.add_argument("--random", type=int, default=1)
    options = parser.parse_args()
    # Students' programs run as another user.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        problems = run(options, pathlib.Path(folder))
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
