#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of docs/cheats.md, or compares it: each kind of cheat, the files that try it, and what must become of them.

Fails where a kind has no file, and where a file names a kind or an item that there is not.

usage: cheats_page.py ROOT [--check]
"""
import itertools
import pathlib
import re
import sys
from typing import NamedTuple

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is missing (apt-get install python3-yaml)")
    sys.exit(77)

BEGIN, END = "<!-- table: meson compile -C build cheats-page -->", "<!-- end of table -->"
CHEAT = re.compile(r"^// cheat: (\d+), (rejected|earns nothing|flagged)\. (.+)$")
PROGRAMS = (".cu", ".patch")
GPU = re.compile(r"^// on a GPU: (.+)$")


class Kind(NamedTuple):
    number: int
    title: str
    defence: str
    files: list  # mutants that show it


class Exploit(NamedTuple):
    path: str
    kind: int
    outcome: str
    text: str
    gpu: list  # items that do not pass there; empty where it is judged as on the emulated device


def read_kinds(text):
    """Numbered by their places in the list `cheats` of course.yaml."""
    listed = yaml.safe_load(text)["proof"]["cheats"]
    return [Kind(number, each["title"], each["defence"], each.get("shown_by", [])) for number, each in enumerate(listed, 1)]


def header(text):
    """The comment lines at the top."""
    return list(itertools.takewhile(lambda line: line.startswith("//"), text.splitlines()))


def read_exploit(path, text):
    """None where the header has no line about the cheat."""
    cheat, gpu = None, []
    for line in header(text):
        cheat = CHEAT.match(line) or cheat
        on_gpu = GPU.match(line)
        if on_gpu:
            gpu = [item.strip() for item in on_gpu.group(1).split(",")]
    return Exploit(path, int(cheat.group(1)), cheat.group(2), cheat.group(3), gpu) if cheat else None


def faults(root, kinds, exploits):
    for path, exploit in exploits.items():
        if exploit is None:
            yield f"{path}: no line \"// cheat: KIND, OUTCOME. What it does.\""
            continue
        rubric = (root / "rubrics" / (pathlib.Path(path).parts[1] + ".yaml")).read_text()
        known = re.findall(r"^  - \{?id: ([\w-]+)", rubric[rubric.index("\nitems:"):], re.MULTILINE)
        for item in exploit.gpu:
            if item != "nothing" and item not in known:
                yield f"{path}: the rubric has no item {item}"
    for kind in kinds:
        if not kind.files and all(exploit is None or exploit.kind != kind.number for exploit in exploits.values()):
            yield f"kind {kind.number} ({kind.title}) has no file"
        for name in kind.files:
            if not (root / name).is_file():
                yield f"rubrics/course.yaml: {name} is missing"


def link(path):
    name = "/".join(pathlib.Path(path).parts[1:])
    return f"[{name}](../{path})"


def rows(kinds, exploits):
    yield "| | Cheat | Tried by | Must be | Judged on | How it is met |"
    yield "|---|---|---|---|---|---|"
    for kind in kinds:
        tries = [each for each in exploits.values() if each.kind == kind.number]
        files = [link(each.path) for each in tries] + [link(path) for path in kind.files]
        outcomes = dict.fromkeys([each.outcome for each in tries] + (["earns nothing"] if kind.files else []))
        where = "both" if any(each.gpu for each in tries) else "emulated device"
        yield f"| {kind.number} | {kind.title} | {', '.join(files)} | {', '.join(outcomes)} | {where} | {kind.defence} |"


def main():
    root = pathlib.Path(sys.argv[1])
    kinds = read_kinds((root / "rubrics/course.yaml").read_text(encoding="utf-8"))
    exploits = {}
    for path in sorted(path for path in root.glob("reference/*/exploits/*") if path.suffix in PROGRAMS):
        name = str(path.relative_to(root))
        exploits[name] = read_exploit(name, path.read_text())
    wrong = list(faults(root, kinds, exploits))
    page = root / "docs/cheats.md"
    before, rest = page.read_text().split(BEGIN)
    text = before + BEGIN + "\n" + "\n".join(rows(kinds, exploits) if not wrong else []) + "\n" + END + rest.split(END)[1]
    if not wrong and "--check" not in sys.argv:
        page.write_text(text)
    elif text != page.read_text():
        wrong.append("docs/cheats.md is not what meson compile -C build cheats-page writes")
    for fault in wrong:
        print(fault)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
