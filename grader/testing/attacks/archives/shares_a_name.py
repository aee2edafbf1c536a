# SPDX-License-Identifier: MIT
# attacks: a file and folders whose names come to the same id as a neighbour's, to take or to replace the neighbour's
# grade
# control: 0
# must stay: neighbours
"""Each submission keeps a row of its own, whatever the others are called."""


def hand_in(folder, _):
    """The neighbour's name as a file, in other letters, and with what an id cannot have."""
    (folder / "aaa-neighbour.cu").write_text("#error another student\n", encoding="utf-8")
    for name in ("AAA-NEIGHBOUR", "aaa-neighbour ", "mmm\u2010neighbour", "zzz-neighbour\u200b", "aaa-neighbour.json"):
        (folder / name).mkdir()
        (folder / name / "vecadd.cu").write_text("\n", encoding="utf-8")
    return {"AAA-NEIGHBOUR": 0}
