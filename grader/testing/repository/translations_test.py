#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds each translation to the English text: no sentence, title, hint, heading or line of code is missing, and all
numbers, names of code and links are the same.

A language LL has grader/sentences/LL.txt, grader/emulator/sentences/LL.txt, and for each assignment of the course
assignments/SLUG/handout.LL.md and assignments/SLUG/rubric.LL.yaml, the titles and hints of its rubric; and a README
of handouts.

usage: translations_test.py ROOT [LL [SLUG]]
"""
import collections
import pathlib
import re
import sys

try:
    import yaml
except ModuleNotFoundError:
    print("skipped: python3-yaml is missing (apt-get install python3-yaml)")
    sys.exit(77)

HANDOUT_README = "grader/course/templates/handout/README.md"
CATALOGUES = ("grader/sentences", "grader/emulator/sentences")
PLACE = re.compile(r"\{(\w+)(?::([^}]*))?\}")
PLURAL_FORMS = {"it": 2, "ru": 3, "sr": 3}
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
SPAN = re.compile(r"`[^`\n]+(?:\n[^`\n]+)?`")
LINK = re.compile(r"\]\(([^)]*)\)")
PASSAGE = re.compile(r"^<!-- items: (.*) -->$", re.M)
HEADING = re.compile(r"^#+ ", re.M)
# Names that no language changes: several_words, camelCase, __intrinsics, FLAGS_, calls().
NAME = re.compile(r"\b(?:\w*[a-z0-9]_\w+|__\w+|[a-z]+[A-Z]\w*|\w+(?=\(\)))")
RUBRIC = re.compile(r"<!-- rubric:begin -->.*?<!-- rubric:end -->", re.S)
COMMENT = re.compile(r"//.*|#.*")
LETTERS = re.compile(r"[^\W\d_]{3,}")


def lines_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def counted(pattern, text):
    return collections.Counter(re.sub(r"\s+", " ", found) for found in pattern.findall(text))


def differences(what, english, other):
    """Complaints about things that one of two counters has more often."""
    lacks = [f"{what} {name!r} is missing" for name in (english - other).elements()]
    return lacks + [f"{what} {name!r} is not in the English text" for name in (other - english).elements()]


def compared(english, other):
    """Numbers and names of two short texts."""
    found = differences("number", counted(NUMBER, english), counted(NUMBER, other))
    names = [set(NAME.findall(text)) for text in (english, other)]
    return found + [f"name {name!r} is in one text only" for name in sorted(names[0] ^ names[1])]


def catalogue_complaints(english, other, forms):
    for key in sorted(english.keys() | other.keys()):
        if key not in other or key not in english:
            yield f"{key} is in one language only"
            continue
        places = [collections.Counter(name for name, _ in PLACE.findall(text)) for text in (english[key], other[key])]
        yield from (f"{key}: {text}" for text in differences("place", *places))
        for name, nouns in PLACE.findall(other[key]):
            if nouns and nouns.count("|") != forms - 1:
                yield f"{key}: the place {name} has {nouns.count('|') + 1} forms, and the language has {forms}"
        texts = [PLACE.sub("", text) for text in (english[key], other[key])]
        yield from (f"{key}: {text}" for text in compared(*texts))


def code_lines(text):
    """Lines of code blocks, fenced or indented, without comments and with what people read taken out."""
    found, fenced = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            found.append(COMMENT.sub("", line).rstrip())
    return found


def is_code(line):
    """Whether a line is code or a command, which no language changes: it holds more signs than words."""
    return bool(re.search(r"[;{}=<>]|\./|-\w+ |build", line))


def handout_complaints(english, other):
    english, other = RUBRIC.sub("", english), RUBRIC.sub("", other)
    levels = [HEADING.findall(text) for text in (english, other)]
    if levels[0] != levels[1]:
        yield f"{len(levels[1])} headings, and the English text has {len(levels[0])} (or other levels)"
    yield from differences("passage of", *(counted(PASSAGE, text) for text in (english, other)))
    yield from differences("link", counted(LINK, english), counted(LINK, other))
    spans = [counted(SPAN, re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)) for text in (english, other)]
    yield from differences("code", *spans)
    yield from differences("number", counted(NUMBER, english), counted(NUMBER, other))
    code = [code_lines(text) for text in (english, other)]
    if len(code[0]) != len(code[1]):
        yield f"{len(code[1])} lines of code blocks, and the English text has {len(code[0])}"
        return
    for one, two in zip(*code):
        if one != two and is_code(one) and not LETTERS.search(re.sub(NAME, "", one)):
            yield f"code differs: {two!r}, in English {one!r}"
        elif (one == "") != (two == ""):
            yield f"a line of a code block is empty in one text only: {one!r}, {two!r}"


def hints_of(item):
    hint = item.get("hint", [])
    return [hint] if isinstance(hint, str) else [one["text"] if isinstance(one, dict) else one for one in hint]


def rubric_complaints(english, other):
    yield from (f"title: {text}" for text in compared(english["title"], other.get("title", "")))
    items = {item["id"]: item for item in english["items"]}
    others = other.get("items", {})
    for key in items.keys() | others.keys():
        if key not in items or key not in others:
            yield f"item {key} is in one language only"
            continue
        if not others[key].get("title"):
            yield f"{key} has no title"
            continue
        yield from (f"{key}: {text}" for text in compared(items[key]["title"], others[key]["title"]))
        hints = hints_of(items[key]), hints_of(others[key])
        if len(hints[0]) != len(hints[1]):
            yield f"{key} has {len(hints[1])} hints, and the English rubric {len(hints[0])}"
        for one, two in zip(*hints):
            yield from (f"{key}, hint: {text}" for text in compared(one, two))


def complaints(root, language, slugs):
    for folder in CATALOGUES:
        path = root / folder / f"{language}.txt"
        if not path.is_file():
            yield f"{path.relative_to(root)} is missing"
            continue
        for text in catalogue_complaints(lines_of(path.with_name("en.txt")), lines_of(path), PLURAL_FORMS[language]):
            yield f"{path.relative_to(root)}: {text}"
    readme = root / HANDOUT_README
    translated = readme.with_name(f"README.{language}.md")
    texts = [path.read_text("utf-8") if path.is_file() else "" for path in (readme, translated)]
    yield from (f"{translated.relative_to(root)}: {text}" for text in handout_complaints(*texts))
    for slug in slugs:
        folder = root / "assignments" / slug
        page, rubric = folder / f"handout.{language}.md", folder / f"rubric.{language}.yaml"
        for path in (page, rubric):
            if not path.is_file():
                yield f"{path.relative_to(root)} is missing"
        if page.is_file():
            for text in handout_complaints((folder / "handout.md").read_text("utf-8"), page.read_text("utf-8")):
                yield f"{page.relative_to(root)}: {text}"
        if rubric.is_file():
            english = yaml.safe_load((root / "rubrics" / f"{slug}.yaml").read_text("utf-8"))
            for text in rubric_complaints(english, yaml.safe_load(rubric.read_text("utf-8"))):
                yield f"{rubric.relative_to(root)}: {text}"


def main():
    root = pathlib.Path(sys.argv[1])
    languages = sys.argv[2:3] or sorted(path.stem for path in (root / CATALOGUES[0]).glob("??.txt") if path.stem != "en")
    slugs = sys.argv[3:] or sorted(path.parent.name for path in root.glob("assignments/*/handout.md"))
    found = [text for language in languages for text in complaints(root, language, slugs)]
    print("\n".join(found + [f"{len(languages)} languages, {len(slugs)} handouts each, {len(found)} complaints"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
