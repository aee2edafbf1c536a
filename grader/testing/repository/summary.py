#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums the last `meson test` of a build folder; the last line is `N passed, N failed[, N skipped]`.

usage: summary.py BUILD_FOLDER
Exits 0 only where tests ran and none failed. A time-out, an error, an interruption and an unexpected
pass count as failures.
"""
import json
import pathlib
import re
import sys

PASSED = {"OK", "EXPECTEDFAIL"}


# So many lines of a failed test's output are repeated.
MOST_TELLING = 12
TELLING = re.compile(r"\b(error|fail(s|ed|ure)?|expected|assert\w*|Traceback|\w+Error)\b", re.IGNORECASE)


def output_of(record):
    return (record.get("stdout") or "") + (record.get("stderr") or "")


def telling_lines(output):
    """The last lines of a failed test's output that speak of a failure; its last lines where none does."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if TELLING.search(line)]
    return (telling or lines)[-MOST_TELLING:]


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("skipped: ") if lines else "no reason given"


def skipped_cases(output):
    """(case, reason) of each GoogleTest case that skipped itself inside a test program."""
    found = []
    reason = ""
    lines = output.splitlines()
    for index, line in enumerate(lines):
        if line.endswith(": Skipped") and index + 1 < len(lines):
            reason = lines[index + 1].strip()
        case = re.fullmatch(r"\[  SKIPPED \] (\S+) \(\d+ ms\)", line)
        if case:
            found.append((case.group(1), reason or "no reason given"))
            reason = ""
    return found


def summarise(results):
    """Lines to print, and whether all is well; `results` are the records of testlog.json."""
    failed = [r for r in results if r["result"] not in PASSED | {"SKIP"}]
    skipped = [r for r in results if r["result"] == "SKIP"]
    passed = len(results) - len(failed) - len(skipped)
    lines = []
    for record in results:
        output = output_of(record)
        if record["result"] == "SKIP":
            lines.append(f"skipped: {record['name']}: {last_line(output)}")
            continue
        for case, reason in skipped_cases(output):
            lines.append(f"skipped: {record['name']}, within it {case}: {reason}")
    # Last, as whoever keeps the end of a log alone must see them.
    for record in failed:
        lines.append(f"failed:  {record['name']} ({record['result']}, {record.get('duration', 0):.1f} s)")
        lines += [f"  | {line}" for line in telling_lines(output_of(record))]
    closing = f"{passed} passed, {len(failed)} failed"
    if skipped:
        closing += f", {len(skipped)} skipped"
    return lines + [closing], passed > 0 and not failed


def main():
    log = pathlib.Path(sys.argv[1]) / "meson-logs" / "testlog.json"
    if not log.exists():
        print(f"No test was run: {log} is missing.", file=sys.stderr)
        return 1
    with log.open(encoding="utf-8") as records:
        lines, well = summarise([json.loads(line) for line in records if line.strip()])
    print("\n" + "\n".join(lines))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
