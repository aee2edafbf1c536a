#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A class gets the same results in whatever order it is graded, and however many submissions are graded at a time.

The sources are an assignment's model answer, accepted programs and whole mutants. The grader takes students in the order of
their names, so that the class is graded backward where the names are given to the sources the other way round.

usage: order_test.py WARPGRADE COURSE [--assignment SLUG] [--most N]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SEED = "11"
# What is the student's and not the source's, and what holds them.
NAMES = ("student", "identity", "hash")


def sources(course, assignment, most):
    folder = course / "reference" / assignment
    name = f"{assignment}.cu"
    paths = [folder / name, course / "skeletons" / assignment / name, *sorted((folder / "mutants").glob("*.cu")),
             *sorted((folder / "accepted").glob("*.cu"))]
    return [path.read_text() for path in paths[:most]]


def grade(options, work, name, texts, jobs):
    """Results in the order of the sources, which get names in that order."""
    for number, text in enumerate(texts):
        folder = work / name / f"s{number:03}"
        folder.mkdir(parents=True)
        (folder / f"{options.assignment}.cu").write_text(text)
    environment = dict(os.environ, XDG_CACHE_HOME=str(work / f"cache-{name}"))
    done = subprocess.run([options.warpgrade, "--course", options.course, "grade", options.assignment, work / name,
                           "-o", work / f"results-{name}", "--device", "emulated", "--seed", SEED, "--jobs", str(jobs)],
                          env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name}: grade ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return [json.loads((work / f"results-{name}" / "results" / f"s{number:03}.json").read_text()) for number in range(len(texts))]


def differences(name, results, wanted):
    problems = []
    for number, (result, other) in enumerate(zip(results, wanted, strict=True)):
        keys = [key for key in sorted(set(result) | set(other)) if key not in NAMES and result.get(key) != other.get(key)]
        if keys:
            problems.append(f"{name}: source {number} differs in {', '.join(keys)}")
    return problems


def run(options, work):
    texts = sources(options.course, options.assignment, options.most)
    cores = os.cpu_count() or 1
    alone = grade(options, work, "alone", texts, 1)
    problems = differences("on all slots", grade(options, work, "all", texts, 2 * cores), alone)
    backward = grade(options, work, "backward", texts[::-1], 2 * cores)[::-1]
    problems += differences("backward", backward, alone)
    backward = grade(options, work, "backward-alone", texts[::-1], 1)[::-1]
    problems += differences("backward on one slot", backward, alone)
    if len({result["score"] for result in alone}) < 2:
        problems.append("all sources have one score, which shows nothing")
    print(f"{len(texts)} submissions of {options.assignment}, forward and backward, on 1 and on {2 * cores} slots: "
          f"{'identical' if not problems else f'{len(problems)} problems'}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpgrade", type=lambda word: pathlib.Path(word).resolve())
    parser.add_argument("course", type=lambda word: pathlib.Path(word).resolve())
    parser.add_argument("--assignment", default="race-atomics")
    parser.add_argument("--most", type=int, default=100, help="submissions")
    options = parser.parse_args()
    # Students' programs run as another user.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        return run(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
