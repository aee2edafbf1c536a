#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What grading a mixed class costs on the emulated device, against compiling the same files with bare nvcc.

The class is an assignment's sample class, mutants and accepted programs, over and over, each copy with a comment of its
own, so that no two are alike. Both sides use all cores, nothing is cached, and they take turns. Submissions that never
end are left out: they cost their time limit, not the grader's time. The driver is the course's own code, compiled by the
build. Where others use the machine, compare the processor time.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

FLAGS = ["-std=c++20", "-O2", "-lineinfo", "-cudart", "shared", "-gencode", "arch=compute_75,code=compute_75"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpgrade", type=pathlib.Path)
    parser.add_argument("nvcc", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path, help="of the course")
    parser.add_argument("--assignment", default="matmul-pitched")
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=1)
    return parser.parse_args()


def whole_mutant(options, name):
    made = subprocess.run([options.warpgrade, "--course", options.root, "mutant", options.assignment, name],
                          capture_output=True, text=True, check=False)
    if made.returncode != 0:
        sys.exit(made.stderr)
    return made.stdout


def answers(options):
    """The sources of the assignment's sample class, accepted programs and mutants that end."""
    folder = options.root / "reference" / options.assignment
    found = []
    for student in sorted((folder / "class").glob("*")):
        if not re.search("never (ends|returns)", (student / "loses.txt").read_text(), re.IGNORECASE):
            found += [path.read_text() for path in sorted(student.glob("*.cu"))]
    for path in sorted((folder / "accepted").glob("*.cu")) + sorted((folder / "mutants").glob("*.*")):
        text = whole_mutant(options, path.stem) if path.suffix == ".patch" else path.read_text()
        if not re.search("never (ends|returns)", text[:400], re.IGNORECASE):
            found.append(text)
    return found


def make_class(options, folder):
    """Writes the class and gives its files."""
    sources = answers(options)
    paths = []
    for number in range(options.submissions):
        path = folder / f"s{number:05}" / f"{options.assignment}.cu"
        path.parent.mkdir(parents=True)
        path.write_text(f"{sources[number % len(sources)]}\n// copy {number}\n")
        paths.append(path)
    return paths


class ControlGroup:
    """A control group that counts the processor time of all that is started in it, whoever waits for it."""

    def __init__(self):
        for place, file, unit_s in [("/sys/fs/cgroup/cpuacct", "cpuacct.usage", 1e-9), (self.own_folder(), "cpu.stat", 1e-6)]:
            self.folder, self.file, self.unit_s = pathlib.Path(place) / f"class-speed-{os.getpid()}", file, unit_s
            try:
                self.folder.mkdir()
                return
            except OSError:
                pass
        sys.exit("processor time cannot be measured: this needs root and control groups that it may make")

    @staticmethod
    def own_folder():
        own = re.search("^0::(.*)$", pathlib.Path("/proc/self/cgroup").read_text(), re.MULTILINE)
        return "/sys/fs/cgroup" + (own[1] if own else "")

    def used_s(self):
        return int(re.search(r"\d+", (self.folder / self.file).read_text())[0]) * self.unit_s

    def enter(self):
        """In a child process, before it becomes another program."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        self.folder.rmdir()


class Stopwatch:
    """Wall and processor time of what is done inside by processes of a control group."""

    def __init__(self, group):
        self.group = group

    def __enter__(self):
        self.wall_s, self.cpu_s = -time.monotonic(), -self.group.used_s()
        return self

    def __exit__(self, *_):
        self.wall_s += time.monotonic()
        self.cpu_s += self.group.used_s()

    def __str__(self):
        return f"{self.wall_s:.1f} s wall, {self.cpu_s:.1f} s of processors"


def peak_mb(process):
    """The most memory that the grader itself, without what it starts, had until now."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0


def grade(options, students, work, group):
    """The peak of the grader's memory in MB."""
    environment = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"))
    process = subprocess.Popen([options.warpgrade, "--course", options.root, "grade", options.assignment, students, "-o",
                                work / "results", "--device", "emulated"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment,
                               preexec_fn=group.enter)
    said = []
    reader = threading.Thread(target=lambda: said.append(process.stderr.read()))
    reader.start()
    peak = 0
    while process.poll() is None:
        peak = max(peak, peak_mb(process))
        time.sleep(0.05)
    reader.join()
    graded = len(list((work / "results" / "results").glob("*.json")))
    if process.returncode != 0 or graded != options.submissions:
        sys.exit(f"grade ended with {process.returncode}, {graded} graded:\n{said[0]}")
    return peak


def compile_all(options, paths, work, group):
    objects = work / "objects"
    objects.mkdir()
    environment = dict(os.environ, CCACHE_DISABLE="1")

    def compile_one(path):
        # Some do not compile, as in every class.
        subprocess.run([options.nvcc, *FLAGS, "-I", options.root / "assignments" / options.assignment, "-c", path,
                        "-o", objects / f"{path.parent.name}.o"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, preexec_fn=group.enter, check=False)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, paths))


def measure(options, paths, work, group):
    """One round, told in a line."""
    with Stopwatch(group) as grading:
        peak = grade(options, paths[0].parent.parent, work, group)
    with Stopwatch(group) as compiling:
        compile_all(options, paths, work, group)
    return (f"grade {grading}; nvcc alone {compiling}; ratio {grading.wall_s / compiling.wall_s:.2f} wall, "
            f"{grading.cpu_s / compiling.cpu_s:.2f} processors; {grading.cpu_s / len(paths) * 1000:.0f} ms a submission; "
            f"the grader itself has {peak:.0f} MB at most")


def run(options, work):
    paths = make_class(options, work / "class")
    subprocess.run(["chmod", "-R", "a+rX", work], check=True)
    print(f"{len(paths)} submissions of {options.assignment}, {len(answers(options))} different, {os.cpu_count()} cores")
    group = ControlGroup()
    try:
        for number in range(1, options.rounds + 1):
            folder = work / f"round-{number}"
            folder.mkdir()
            print(f"round {number}: {measure(options, paths, folder, group)}", flush=True)
            shutil.rmtree(folder)
    finally:
        group.remove()


def main():
    options = parse_arguments()
    options.root, options.warpgrade = options.root.resolve(), options.warpgrade.resolve()
    # Students' programs run as another user.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        run(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
