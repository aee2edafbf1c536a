#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A class as an LMS delivers it becomes submissions, times and a count against the roster.

usage: intake_test.py WARPGRADE COURSE
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

WARPGRADE, COURSE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SOURCE = "int broken"
FAILURES = []


def warpgrade(work, status, *words):
    """Runs a command of the copied course; it must end with `status`. What it says."""
    # A cache of its own: no submission builds, so grading ends while the model answer still runs.
    done = subprocess.run([WARPGRADE, "--course", work, *words], capture_output=True, text=True, errors="replace",
                          cwd=work, check=False, env=dict(os.environ, XDG_CACHE_HOME=str(work / "cache")))
    said = done.stdout + done.stderr
    if done.returncode != status:
        FAILURES.append(f"{words}: ended with {done.returncode}, not {status}\n{said}")
    return said


def expect(said, *wanted):
    for text in wanted:
        if text not in said:
            FAILURES.append(f"did not say: {text}\n{said}")


def copy_course(work):
    (work / "rubrics").mkdir()
    for shared in ("assignments", "reference", "skeletons", "grader"):
        (work / shared).symlink_to(COURSE / shared)
    shutil.copy(COURSE / "rubrics/vecadd.yaml", work / "rubrics")
    (work / "rubrics/course.yaml").write_text(
        "assignments:\n  - {slug: vecadd, due: 2026-10-05 23:59 +00:00}\n"
        "late:\n  points_per_day: 10\n  extensions:\n    - {student: ana@x.edu, days: 7}\n")


def canvas_zip(path):
    with zipfile.ZipFile(path, "w") as download:
        download.writestr("anicana_1_10_VecAdd.CU", SOURCE)
        download.writestr("leebob_LATE_2_11_vecadd.cu", SOURCE)
        download.writestr("leebob_LATE_2_12_driver.cu", "int main() {}")
        download.writestr("__MACOSX/._leebob_2_11_vecadd.cu", "x")
        with zipfile.ZipFile(path.with_name("inner.zip"), "w") as inner:
            inner.writestr("lab/src/vecadd.cu", SOURCE)
            inner.writestr("../../escaped.cu", SOURCE)
        download.write(path.with_name("inner.zip"), "kaycy_3_13_lab.zip")
        download.writestr("roedi_4_14_report.pdf", "pdf")


def try_canvas(work):
    canvas_zip(work / "lab.zip")
    (work / "roster.csv").write_text(
        "Student,ID,SIS Login ID,Section\n\"Anić, Ana\",1,ana@x.edu,A\n\"Lee, Bob\",2,bob,A\n\"Kay, Cy\",3,cy,A\n"
        "\"Zoe, Eve\",5,eve,A\n", encoding="utf-8")
    (work / "times.csv").write_text(
        "student,submitted\nANIC\u0301 ana,2026-10-05 23:00 Z\nana anic\u0301,2026-10-06 08:00 Z\nbob,2026-10-05 23:00 Z\n"
        "eve,2026-10-05 23:00 Z\nnobody,2026-10-05 23:00 Z\n", encoding="utf-8")
    said = warpgrade(work, 2, "grade", "vecadd", "lab.zip", "--roster", "roster.csv", "--submitted", "times.csv",
                     "--strict", "-o", work / "results")
    expect(said, "lab.zip: read as a Canvas download, 4 students\n",
           "anicana_1: VecAdd.CU was taken for vecadd.cu\n",
           "leebob_2: the student's driver.cu differs from the course's, which is used instead\n",
           "kaycy_3_13_lab.zip: '../../escaped.cu' was left out: the path leaves the archive's folder\n",
           "roedi_4: nothing to grade, which earns 0: vecadd.cu is missing; the folder holds report.pdf\n",
           "3 of 4 students on roster.csv handed in\n  Zoe, Eve (roster.csv:5) handed nothing in\n"
           "  roedi_4 is not on the roster\n",
           "no time of submission in times.csv: kaycy_3, roedi_4\n",
           "times.csv:6: no submission is called 'nobody'\n",
           "times.csv:2: no submission is called 'ANIC\u0301 ana'")
    for wrong in ("ana@x.edu", "times.csv:3", "times.csv:5", "the LMS marks these as late"):
        if wrong in said:
            FAILURES.append(f"said of {wrong}\n{said}")
    expect(warpgrade(work, 0, "plan", "vecadd", "lab.zip"), "vecadd, kaycy_3",
           "roedi_4: nothing to grade, which earns 0: vecadd.cu is missing")
    if (work / "escaped.cu").exists() or (work.parent / "escaped.cu").exists():
        FAILURES.append("a file left its archive")


def try_pattern(work):
    (work / "odd").mkdir()
    (work / "odd/7+ann.cu").write_text(SOURCE)
    expect(warpgrade(work, 2, "grade", "vecadd", "odd", "--name-pattern", "(.*)"), "--name-pattern needs a group")
    expect(warpgrade(work, 2, "grade", "vecadd", "odd", "--name-pattern", r"\d\+(?<student>\w+)\.cu", "--strict"),
           "course.yaml:6: no submission is called 'ana@x.edu'",
           "write a student's id, such as ann, or give the class by --roster")


def git(folder, *words):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
                   "GIT_AUTHOR_DATE": "2026-10-07T01:00:00+02:00", "GIT_COMMITTER_DATE": "2026-10-07T01:00:00+02:00"}
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@x", *words], check=True,
                   capture_output=True, env=environment)


def try_classroom(work):
    """The clone's configuration would run a program for whoever calls git in it."""
    for login in ("annlee", "bobkay"):
        clone = work / "clones" / f"lab-1-{login}"
        clone.mkdir(parents=True)
        (clone / "vecadd.cu").write_text(SOURCE)
        git(clone, "init", "-q")
        git(clone, "add", ".")
        git(clone, "commit", "-q", "-m", "done")
        with (clone / ".git/config").open("a") as config:
            config.write(f"[core]\n\tfsmonitor = touch {work}/ran\n\tpager = touch {work}/ran\n")
    (work / "clones/lab-1-bobkay/vecadd.cu").unlink()
    expect(warpgrade(work, 0, "grade", "vecadd", "clones", "--submitted", "git", "-o", work / "results"),
           "clones: read as clones of GitHub Classroom's repositories lab-1-*, 2 students\n",
           "bobkay: nothing to grade, which earns 0: vecadd.cu is missing")
    result = work / "results/results/annlee.json"
    if not result.exists():
        return
    late = json.loads(result.read_text())
    if late["late"]["submitted"] != "2026-10-07 01:00 +02:00" or late["late"]["source"] != "git":
        FAILURES.append(f"annlee came {late['late']}")
    if late["identity"]["ids"] != {"github": "annlee"}:
        FAILURES.append(f"annlee is {late['identity']}")
    if (work / "ran").exists():
        FAILURES.append("a clone's configuration ran a program")


def try_roster_in_two_batches(work):
    for student in ("ann", "bob"):
        (work / f"by-{student}").mkdir()
        (work / f"by-{student}/{student}.cu").write_text(SOURCE)
    (work / "two.csv").write_text("student,name\nann,Ann Lee\nbob,Bob Kay\n")
    told = [warpgrade(work, 0, "grade", "vecadd", f"by-{student}", "--roster", "two.csv", "-o", work / "batches")
            for student in ("ann", "bob")]
    expect(told[0], "1 of 2 students on two.csv handed in\n", "handed nothing in")
    expect(told[1], "2 of 2 students on two.csv handed in\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        work.chmod(0o711)
        copy_course(work)
        try_canvas(work)
        try_pattern(work)
        try_roster_in_two_batches(work)
        if shutil.which("git", path="/usr/bin"):
            try_classroom(work)
    print("\n".join(FAILURES) or "read as they were handed in")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
