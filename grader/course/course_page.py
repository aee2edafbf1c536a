#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/course.md, which assignment covers which item of the lectures, or compares it.

Fails where a handout names no items or an unknown one, and where an item is in no handout and no concept.

usage: course_page.py ROOT [--check]
"""
import pathlib
import re
import sys
from typing import NamedTuple

ITEMS_LINE = re.compile(r"^Lecture items: (.+)$")
ITEMS_WITHIN_LINES = 5
COMMAND = "meson compile -C build course-page"


class Item(NamedTuple):
    heading: str
    name: str
    title: str
    note: str  # a concept's place, "as ITEM", or empty


def read_lectures(text):
    """The order of the assignments, and all items."""
    order, items, heading = [], [], ""
    for line in text.splitlines():
        if line.startswith("order:"):
            order = line.split()[1:]
        elif line.startswith("== "):
            heading = line[3:].strip()
        elif line.strip() and not line.startswith("#"):
            name, title, note = ([part.strip() for part in line.split("|")] + [""])[:3]
            items.append(Item(heading, name, title, note))
    return order, items


def read_handout(text):
    """Its title, and the names of its items or None where the line is missing."""
    lines = text.splitlines()
    title = lines[0].lstrip("# ") if lines else ""
    for line in lines[:ITEMS_WITHIN_LINES]:
        match = ITEMS_LINE.match(line)
        if match:
            return title, [name.strip() for name in match.group(1).rstrip(".").split(",")]
    return title, None


def covering(item, handouts):
    """Slugs of the handouts that cover the item, in the handouts' order."""
    name = item.note[3:] if item.note.startswith("as ") else item.name
    return [slug for slug, (_, names) in handouts.items() if name in (names or [])]


def is_concept(item):
    return item.note != "" and not item.note.startswith("as ")


def faults(items, handouts):
    known = {item.name for item in items}
    for slug, (_, names) in handouts.items():
        if names is None:
            yield f"assignments/{slug}/handout.md has no line \"Lecture items: ...\" below its title"
        for name in names or []:
            if name not in known:
                yield f"assignments/{slug}/handout.md names {name}, which is no item of docs/lectures.txt"
    for item in items:
        if not covering(item, handouts) and not is_concept(item):
            yield f"{item.name} ({item.title}) is in no handout, and no concept in docs/lectures.txt"


def link(slug):
    return f"[{slug}](../assignments/{slug}/handout.md)"


def page(items, handouts):
    yield "# The course"
    yield ""
    yield "Which assignment covers which item of the lectures. Generated from `docs/lectures.txt` and the"
    yield f"handouts by `{COMMAND}`; a test compares."
    yield ""
    yield "| Assignment | Subject | Items |"
    yield "|---|---|---|"
    for slug, (title, names) in handouts.items():
        yield f"| {link(slug)} | {title} | {', '.join(names or [])} |"
    heading = ""
    for item in items:
        if item.heading != heading:
            heading = item.heading
            yield ""
            yield f"## {heading}"
            yield ""
            yield "| Item | What it is about | Assignment |"
            yield "|---|---|---|"
        slugs = ", ".join(link(slug) for slug in covering(item, handouts))
        where = slugs or ("Concept: " + item.note if is_concept(item) else "**none**")
        yield f"| {item.name} | {item.title} | {where} |"


def self_test():
    """Each kind of fault must be seen, and none in a good course."""
    order, items = read_lectures("# x\norder: b a\n== One\n0.1 | A\n0.2 | B | as 0.1\n0.3 | C | elsewhere\n0.4 | D\n")
    good = {"a": read_handout("# A\n\nLecture items: 0.1, 0.4\n")}
    bad = {"a": read_handout("# A\nLecture items: 0.4, 0.9.\n"), "b": read_handout("# B\n")}
    wanted = ([], 4, ["b", "a"])
    found = (list(faults(items, good)), len(list(faults(items, bad))), order)
    return [] if found == wanted else [f"self-test: {found}, wanted {wanted}"]


def read_course(root):
    order, items = read_lectures((root / "docs/lectures.txt").read_text(encoding="utf-8"))
    slugs = sorted(path.parent.name for path in root.glob("assignments/*/oracle.cpp"))
    slugs.sort(key=lambda slug: order.index(slug) if slug in order else len(order))
    return items, {slug: read_handout((root / f"assignments/{slug}/handout.md").read_text(encoding="utf-8"))
                   for slug in slugs}


def main():
    root = pathlib.Path(sys.argv[1])
    items, handouts = read_course(root)
    found = self_test() + list(faults(items, handouts))
    path, text = root / "docs/course.md", "\n".join(page(items, handouts)) + "\n"
    if sys.argv[2:] != ["--check"]:
        path.write_text(text, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        found.append(f"docs/course.md is not what handouts and docs/lectures.txt say: {COMMAND}")
    print("\n".join(found) if found else f"{len(items)} items in {len(handouts)} assignments")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
