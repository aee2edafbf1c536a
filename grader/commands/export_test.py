#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs export, show and status on a results folder that it makes itself, and reads what they write by parsers of Python's own.

usage: export_test.py WARPGRADE
"""
import csv
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

WARPGRADE = str(pathlib.Path(sys.argv[1]).resolve())
SECRET = "secret-17"
HOSTILE = '=cmd() <script>"\x1b[31m, \u202e'
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def item(name, points, most, status="passed", visibility="public"):
    lost = status not in ("passed", "pending")
    return {"id": name, "title": f"Item {name} {HOSTILE}", "kind": "correctness", "points": points, "max_points": most,
            "status": status, "visibility": visibility, "message": f"case '{SECRET}': is 4242" if lost else "",
            "student_message": "1 hidden case: the result is wrong" if lost else "",
            "reason": {"id": "", "args": {}}, "cause": "", "provisional": False, "undecided": False, "flags": []}


def finding(case):
    return {"case": case, "checker": "race", "message": f"reads {HOSTILE}", "kernel": "add(float*)",
            "file": "vec add.cu", "line": 12, "block": [0, 0, 0], "thread": [1, 0, 0], "count": 2}


def write_result(folder, student, score, ids, name="", status="failed"):
    edge = item("edges", score - 60.0, 40.0, "passed" if score == 100 else status, "hidden")
    result = {"schema": 1, "assignment": "vecadd", "student": student,
              "identity": {"name": name, "ids": ids, "handed_in": "", "group": []}, "score": score,
              "max_score": 100.0, "late": None, "provisional": False, "device": {"kind": "emulated", "names": ["T4"]},
              "inputs": {"rubric": "ab12"}, "sandbox": {"isolation": "bubblewrap", "limits": "cgroup2", "unsafe": False},
              "diagnostics": "", "items": [item("sum", 60.0, 60.0), edge], "hidden_cases": [SECRET],
              "findings": [finding("open"), finding(SECRET)], "kernels": []}
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    result["hash"] = hashlib.sha256(text.encode()).hexdigest()
    (folder / "results").mkdir(parents=True, exist_ok=True)
    (folder / "results" / f"{student}.json").write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")


def run(*words, wanted=0):
    done = subprocess.run([WARPGRADE, *map(str, words)], capture_output=True, check=False, timeout=60)
    check(done.returncode == wanted, f"{words} ended with {done.returncode}, not {wanted}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


def check_gradescope(folder):
    metadata = folder / "submission_metadata.json"
    metadata.write_text(json.dumps({"id": 1, "previous_submissions": [{"score": "91.5", "results": None}]}))
    text, _ = run("export", folder, "--format", "gradescope", "--student", "ana", "--hidden-items", "after_due_date",
                  "--leaderboard", "--keep-best", metadata)
    check(SECRET not in text and "4242" not in text, "gradescope: a hidden case shows")
    whole = json.loads(text)
    number = (int, float)
    kinds = {"score": number, "output": str, "output_format": str, "test_output_format": str, "test_name_format": str,
             "visibility": str, "stdout_visibility": str, "extra_data": dict, "tests": list, "leaderboard": list}
    check(set(whole) == set(kinds), f"gradescope: keys {sorted(whole)}")
    check(all(isinstance(whole[key], kind) for key, kind in kinds.items()), "gradescope: types")
    check(whole["score"] == 91.5, "gradescope: the best does not count")
    kinds = {"name": str, "name_format": str, "status": str, "score": number, "max_score": number, "output": str,
             "output_format": str, "visibility": str}
    for test in whole["tests"]:
        check(set(test) == set(kinds) and all(isinstance(test[key], kind) for key, kind in kinds.items()), f"test {test}")
    check([test["status"] for test in whole["tests"]] == ["passed", "failed"], "gradescope: status")
    check([test["visibility"] for test in whole["tests"]] == ["visible", "after_due_date"], "gradescope: visibility")
    _, said = run("export", folder, "--format", "gradescope", wanted=2)
    check("name one with --student" in said, said)
    out, said = run("export", folder, "--format", "gradescope", "--student", "carl", wanted=1)
    check(out == "" and "is no score" in said, said)


def check_junit(folder):
    text, _ = run("export", folder, "--format", "junit")
    root = ElementTree.fromstring(text.encode())
    check(root.tag == "testsuites" and root.get("tests") == "6" and root.get("errors") == "1", "junit: counts")
    scores = {suite.get("name"): {each.get("name"): each.get("value") for each in suite.find("properties")}.get("score")
              for suite in root}
    check(scores == {"ana": "75", "bob": "100", "carl": None}, f"junit: scores {scores}")
    case = root.find("testsuite/testcase")
    check("<script>" in case.get("name") and "\\x1b[31m" in case.get("name"), f"junit: {case.get('name')}")
    check(SECRET in text, "junit: the staff's reasons are gone")
    check(SECRET not in run("export", folder, "--format", "junit", "--for-students")[0], "junit: a hidden case shows")


def check_sarif(folder):
    whole = json.loads(run("export", folder, "--format", "sarif")[0])
    check(whole["version"] == "2.1.0" and whole["$schema"].endswith("sarif-schema-2.1.0.json"), "sarif: version")
    for each in whole["runs"]:
        driver = each["tool"]["driver"]
        check(driver["name"] == "Warpgrade" and re.fullmatch(r"\d+\.\d+\.\d+", driver["version"]), f"sarif: {driver}")
        rules = {rule["id"] for rule in driver["rules"]}
        check(len(each["results"]) == 3, "sarif: one result a student")
        for result in each["results"]:
            check(result["ruleId"] in rules and result["level"] in ("none", "note", "warning", "error"), f"sarif: {result}")
            check(isinstance(result["message"]["text"], str) and result["occurrenceCount"] == 4, f"sarif: {result}")
            place = result["locations"][0]["physicalLocation"]
            check(re.fullmatch(r"[\w.~/%-]+/vec%20add\.cu", place["artifactLocation"]["uri"]), f"sarif: {place}")
            check(place["region"]["startLine"] == 12, f"sarif: {place}")
    check(SECRET not in run("export", folder, "--format", "sarif", "--for-students")[0], "sarif: a hidden case shows")


def check_github(folder):
    text, _ = run("export", folder, "--format", "github", "--student", "ana")
    check(all(re.match(r"::(error|warning|notice) [^:]*::", line) for line in text.splitlines()), f"github: {text}")
    check(text.endswith("::Points 75/100\n"), f"github: {text}")
    summary, _ = run("export", folder, "--format", "github-summary")
    for hidden in (SECRET, "<script>", "\x1b", "\u202e"):
        check(hidden not in text.replace("<script>", "") and hidden not in summary, f"github: {hidden!r} shows")


def check_sheets(folder):
    sheet = folder / "gradebook.csv"
    before = ("\ufeffStudent,ID,SIS Login ID,Section,vecadd (9),Final Score\r\n    Points Possible,,,,100,(read only)\r\n"
              f"\"{HOSTILE.replace(chr(34), chr(34) * 2)}\",1001,a,S,\"\",=1+1\r\nBob,1002,bob,S,,\r\nEve,1003,eve,S,-,")
    sheet.write_bytes(before.encode())
    filled = folder / "filled.csv"
    _, said = run("export", folder, "--format", "canvas", "--into", sheet, "-o", filled, wanted=1)
    wanted = before.replace('a,S,"",', 'a,S,"75",').replace("bob,S,,", "bob,S,100,")
    check(filled.read_bytes() == wanted.encode(), f"canvas: {filled.read_bytes()}")
    check(sheet.read_bytes() == before.encode(), "canvas: the LMS's own sheet was changed")
    check("row 5, Eve: no result" in said and "not in the sheet: carl: no row" in said, said)
    check("\x1b" not in said, "canvas: a name steers the terminal")
    run("export", folder, "--format", "canvas", wanted=2)
    _, said = run("export", folder, "--format", "moodle", "--into", sheet, wanted=2)
    check("is no sheet of Moodle" in said, said)
    before = "Identifier,Full name,Grade,Maximum grade\nParticipant 7,Ana,-,100.00\nParticipant 8,Bob,1,\"100,00\"\n"
    sheet.write_text(before, encoding="utf-8")
    out, said = run("export", folder, "--format", "moodle", "--into", sheet, "--student", "ana", "--student", "BOB")
    check(out == before.replace("Ana,-", "Ana,75").replace("Bob,1", "Bob,100"), f"moodle: {out}")
    check("bob: 100 replaces 1" in said, said)
    archive = folder / "feedback.zip"
    _, said = run("export", folder, "--format", "moodle-feedback", "--student", "carl", "-o", archive, wanted=1)
    check("not in the archive: carl: the submission could not be graded" in said, said)
    check("feedback.zip was not written" in said and "in Moodle" not in said and not archive.exists(), said)
    rows = list(csv.reader(run("export", folder, "--format", "csv")[0].splitlines()))
    check([row[:2] for row in rows[1:]] == [["ana", "'=cmd() <script>\"\\x1b[31m, \\u{202e}"], ["bob", ""], ["carl", ""]],
          f"csv: {rows}")
    check([row[rows[0].index("score")] for row in rows[1:]] == ["75", "100", ""], f"csv: {rows}")


def check_views(folder):
    out, _ = run("show", folder, "ana")
    check("vecadd, ana: 75 of 100" in out and SECRET in out and "canvas 1001" in out and "\x1b" not in out, out)
    check(SECRET not in run("show", folder, "ana", "--for-student")[0], "show: a hidden case shows")
    check("\x1b[32m" in run("show", folder, "1002", "--color")[0], "show: no colour, or no student by an id")
    _, said = run("show", folder, "ann", wanted=2)
    check("no result of 'ann'; did you mean 'ana'?" in said, said)
    out, _ = run("status", folder, wanted=1)
    for line in ("vecadd, ", ": 3 results", "not gradable    1: carl", "rubric          ab12", "missing         grades.csv"):
        check(line in out, f"status lacks {line}: {out}")
    (folder / "results" / "dora.json").write_text("{}")
    check("damaged         dora: " in run("status", folder, wanted=1)[0], "status: damage is not told")
    check("left out: dora" in run("export", folder, "--format", "csv", wanted=1)[1], "export: damage is not told")
    run("status", folder / "results", wanted=2)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_result(folder, "ana", 75.0, {"canvas": "1001", "moodle": "7"}, HOSTILE)
        write_result(folder, "bob", 100.0, {"canvas": "1002", "moodle": "8"})
        write_result(folder, "carl", 60.0, {}, status="system_error")
        for each in (check_gradescope, check_junit, check_sarif, check_github, check_sheets, check_views):
            each(folder)
    for command in ("export", "show", "status", "autograder"):
        check("warpgrade " + command + " " in run(command, "--help")[0], f"{command} --help has no example")
    check(re.fullmatch(r"warpgrade \d+\.\d+\.\d+\n", run("--version")[0]), "--version")
    print("\n".join(failures) or "every format reads as it should")
    return 1 if failures else 0


sys.exit(main())
