# SPDX-License-Identifier: MIT
# attacks: the time of its submission: times of the file, names that read like rows of the list of times, a list of its own
# control: 0
# must stay: neighbours, reports
"""The list of times is the staff's, and a right answer that it calls late is late."""
import os

LATE = "late-comer"
EARLY = "2025-01-01 00:00 +00:00"


def hand_in(folder, place):
    """A right answer that came after its due day, and what might make it early."""
    answer = (place.students / "control-honest" / "vecadd.cu").read_text(encoding="utf-8")
    for name in (LATE, f"x\n{LATE},{EARLY}", f'"{LATE}",{EARLY}', f"{LATE} "):
        (folder / name).mkdir()
        (folder / name / "vecadd.cu").write_text(answer if name == LATE else "\n", encoding="utf-8")
    (folder / LATE / "times.csv").write_text(f"student,submitted\n{LATE},{EARLY}\n", encoding="utf-8")
    for path in (folder / LATE / "vecadd.cu", folder / LATE):
        os.utime(path, (0, 0))
    place.times.write_text(f"student,submitted\n{LATE},2026-06-01 00:00 +00:00\n", encoding="utf-8")
    return {LATE: 0}
