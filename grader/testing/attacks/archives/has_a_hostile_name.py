# SPDX-License-Identifier: MIT
# attacks: names of students that a shell, a spreadsheet, a terminal, a path or a list of results takes for more
# control: 0
# must stay: host files, neighbours, reports
"""A name that is no plain word gets an id that is one."""
import os

NAMES = ("-rf", "--force", "$(touch {mark})", "`touch {mark}`", ";touch {mark};", "a\nb", "\x1b[31mred", "=cmd|' 'C'!A0",
         "+1+1", "@SUM(1)", "a,100,100", 'a"b', "\u202egnp.exe", "\u009b31m", "..\\x", "%2e%2e%2f", "grades.csv", "seed",
         "~", "*", "con", "x" * 250, "caf\u00e9", "cafe\u0301", "a b", "a_b", "A B", "{{mark}}", "%s%s%n", "results")


def hand_in(folder, place):
    """An empty answer of each, as nothing is compiled of it, and names that are no UTF-8."""
    for name in NAMES:
        student = folder / name.replace("{mark}", place.mark)
        student.mkdir()
        (student / "vecadd.cu").touch()
    broken = str(folder).encode() + b"/broken\xff\xfe"
    os.mkdir(broken)
    with open(broken + b"/vecadd.cu", "wb"):
        pass
    return {}
