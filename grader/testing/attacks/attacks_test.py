#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hands in every attack of this folder as a class, grades it, and says what each attack earned and changed.

usage: attacks_test.py WARPGRADE COURSE [--only NAME...] [--ordinary-user] [--keep]

NAME is an attack's or its folder's. Each attack must earn no more than its control, which is graded beside it, and
leave unchanged what its header names. Exits with 77 where it can prove nothing.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import attack as attacks
import places as host
import undefended

NEIGHBOURS = ("aaa-neighbour", "mmm-neighbour", "zzz-neighbour")
SEED = "7"
ORDINARY_USER = 54321
SKIPPED = 77
POLL_S = 0.1


def lay_out_course(folder, course):
    """The course with the attacks' rubric in place of its own."""
    target = folder / "course"
    shutil.copytree(attacks.FOLDER / "rubrics", target / "rubrics")
    for name in ("assignments", "grader", "reference", "skeletons"):
        (target / name).symlink_to(course / name)
    return target


def hand_in(folder, text):
    folder.mkdir()
    (folder / "vecadd.cu").write_text(text, encoding="utf-8")


def lay_out_class(chosen, place):
    """Attacks, their controls and neighbours. What each student may earn where no control says so."""
    marks, most = place.marks(), {}
    for control in sorted({each.control for each in chosen if not each.control.isdigit()} | {"honest"}):
        hand_in(place.students / f"control-{control.replace('_', '-')}", control_text(control))
    for name in NEIGHBOURS:
        # Each a program of its own, as what is known of one program is not run again.
        hand_in(place.students / name, control_text("honest") + f"int {name.replace('-', '_')}() {{ return 0; }}\n")
    for each in chosen:
        if each.path.suffix == ".py":
            most[each.name] = each.module().hand_in(place.students, place) or {}
            continue
        try:
            text = attacks.expand(each.text, marks)
        except FileNotFoundError as missing:
            text = f"#error {missing.filename} is missing\n"
        for student in each.students():
            hand_in(place.students / student, text)
    return most


def control_text(name):
    return attacks.expand((attacks.FOLDER / "controls" / f"{name}.cu").read_text(encoding="utf-8"), {})


def grade(warpgrade, course, place):
    """The grader's exit status, its peak memory, and all that it printed."""
    for name in ("tmp", "cache"):
        (place.folder / name).mkdir(mode=0o711)
    environment = {**os.environ, "TMPDIR": str(place.folder / "tmp"), "XDG_CACHE_HOME": str(place.folder / "cache")}
    command = [warpgrade, "--course", course, "grade", "vecadd", place.students, "-o", place.results,
               "--device", "emulated", "--seed", SEED, "--submitted", place.times]
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
                              cwd=place.folder) as process:
            peak = 0
            while process.poll() is None:
                peak = max(peak, peak_bytes(process.pid))
                time.sleep(POLL_S)
        output.seek(0)
        return process.returncode, peak, output.read().decode(errors="replace")


def peak_bytes(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


def read_scores(results):
    """Points by student; None where there is no grade."""
    with open(results / "grades.csv", encoding="utf-8", newline="") as file:
        return {row["student"].lstrip("'"): float(row["score"]) if row["score"] else None
                for row in csv.DictReader(file)}


def read_built(results):
    """Whether the answer was compiled, by student."""
    read = [json.loads(path.read_text(encoding="utf-8")) for path in (results / "results").glob("*.json")]
    return {each["student"]: each["items"][0]["status"] == "passed" for each in read}


def shown(points):
    return "no grade" if points is None else f"{points:g}"


def earned_faults(each, scores, most, built):
    """How the attack's students did against what they may earn, and a line about it."""
    if each.path.suffix == ".py":
        limits = most[each.name]
        wrong = [f"{student} earned {shown(scores.get(student))} of at most {limit}"
                 for student, limit in limits.items() if (scores.get(student) or 0) > limit]
        return wrong, f"{len(limits)} submissions" if limits else "no submission"
    control = float(each.control) if each.control.isdigit() else scores[f"control-{each.control.replace('_', '-')}"]
    earned = [scores.get(student) for student in each.students()]
    said = f"earned {', '.join(map(shown, earned))}; {each.control} {shown(control)}"
    is_about_compiling = each.path.parent.name == "compile" or each.control == "does_not_compile"
    if not is_about_compiling and not all(built.get(student) for student in each.students()):
        return ["it does not compile, and proves nothing"], said
    at_most, exactly = attacks.EARNS
    right = {at_most: lambda points: (points or 0) <= control, exactly: lambda points: points == control}
    if not all(right[each.earns](points) for points in earned):
        return [f"it must earn {each.earns}"], said
    return [], said


def report(chosen, scores, most, built, changed, unproved):
    """One line for each attack; how many earned too much or changed something."""
    failed = 0
    for each in chosen:
        wrong, said = earned_faults(each, scores, most, built)
        blamed = [(who, word) for word in each.stays for who, _ in changed[word] if who in ("", *each.students())]
        wrong += [f"{word}: see below" for word in sorted({word for _, word in blamed})]
        wrong += unproved.get(each.name, [])
        failed += bool(wrong)
        print(f"{'FAILED' if wrong else 'ok':6} {each.name:44} {said}")
        for fault in wrong:
            print(f"       {fault}")
    return failed


def neighbours_lost(scores):
    return [("", f"{name} earned {shown(scores.get(name))}") for name in NEIGHBOURS if scores.get(name) != 100]


def hidden_cases_told(results):
    """Students whose text or page names a hidden case, outside of their own source."""
    found = []
    for path in sorted((results / "results").glob("*.json")):
        hidden = json.loads(path.read_text(encoding="utf-8"))["hidden_cases"]
        if not hidden:
            continue
        named = re.compile(f"(&#39;|['\">])({'|'.join(map(re.escape, hidden))})(&#39;|['\"<])")
        for suffix in (".html", ".txt"):
            page = results / "students" / (path.stem + suffix)
            told = host.without_source(page.read_text(encoding="utf-8"))
            found += [(path.stem, f"{page.name} names the hidden case {match[2]}") for match in named.finditer(told)]
    return found


def prove(arguments, folder):
    chosen = [each for each in attacks.all_attacks()
              if not arguments.only or {each.name, each.path.parent.name} & set(arguments.only)]
    place = host.Places(folder, arguments.course)
    started = time.monotonic()
    try:
        most = lay_out_class(chosen, place)
        status, peak, printed = grade(arguments.warpgrade, lay_out_course(folder, arguments.course), place)
        scores = read_scores(place.results) if (place.results / "grades.csv").exists() else {}
        if not scores:
            print(printed)
            return 1
        changed = {**place.faults(peak, printed), "neighbours": neighbours_lost(scores),
                   "pages": hidden_cases_told(place.results)}
    finally:
        place.stop_processes()
        place.close()
    graded_s = time.monotonic() - started
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tried = [each for each in chosen if each.undefended]
        unproved = dict(zip([each.name for each in tried],
                            pool.map(lambda each: undefended.faults(each, folder, place), tried)))
    failed = report(chosen, scores, most, read_built(place.results), changed, unproved)
    for word, faults in changed.items():
        for who, fault in faults:
            print(f"CHANGED {word}: {who}{': ' if who else ''}{fault}")
    print(f"graded in {graded_s:.0f} s with status {status}; the grader took {peak >> 20} MiB; "
          f"{len(tried)} attacks were tried without the sandbox")
    print(f"{len(chosen) - failed} of {len(chosen)} attacks earned no more than their control and changed nothing")
    return 1 if failed or any(changed.values()) else 0


def has_sandbox(user=()):
    command = [*user, "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return shutil.which("bwrap") is not None and subprocess.run(command, check=False).returncode == 0


def become_ordinary(arguments):
    """Runs this again as a user without privileges. The status, or None where we are one already."""
    if not arguments.ordinary_user:
        return None
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        print("only root with setpriv can become another user; the suite has run as this one")
        return SKIPPED
    user = ["setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups"]
    if subprocess.run([*user, "test", "-x", arguments.warpgrade, "-a", "-r", arguments.course / "rubrics"],
                      check=False).returncode != 0:
        print("an ordinary user may not read the build folder or the course")
        return SKIPPED
    if not has_sandbox(user):
        print("an ordinary user has no sandbox here")
        return SKIPPED
    again = [word for word in sys.argv if word != "--ordinary-user"]
    environment = {**os.environ, "HOME": "/nonexistent"}
    return subprocess.run([*user, sys.executable, "-B", *again], check=False, env=environment).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("warpgrade", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("course", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--ordinary-user", action="store_true")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    status = become_ordinary(arguments)
    if status is not None:
        return status
    if not has_sandbox():
        print("bubblewrap does not work here, and these programs are not run without a sandbox")
        return SKIPPED
    folder = pathlib.Path(tempfile.mkdtemp(prefix="warpgrade-attacks-"))
    # Students' programs run as another user, who may enter it.
    folder.chmod(0o711)
    try:
        return prove(arguments, folder)
    finally:
        if arguments.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
