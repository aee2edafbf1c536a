#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails on patterns of prose that hide who does what: in comments, in Markdown and in the catalogue of sentences.

usage: prose_test.py ROOT
"""
import pathlib
import re
import sys

import tree

# Each with what to write in its place.
PATTERNS = {
    "opens with \"Of\": begin with the subject": re.compile(r"(?:^|[.:;] )Of (?!course\b)"),
    "\"what it is\" stands for a noun: name the noun":
        re.compile(r"\bwhat (?:it|they|he|she) (?:is|are|was|were)(?=[.,;:]| (?:about|for|of|that)\b)"),
    "\"somebody has to\": name the actor": re.compile(r"\b[Ss]omebody (?:has|must|needs)\b"),
}
COMMENT = {".cpp": "//", ".h": "//", ".cu": "//", ".cuh": "//", ".ts": "//", ".py": "#", ".sh": "#", ".build": "#", ".yaml": "#"}
CATALOGUE = pathlib.PurePath("grader/sentences/en.txt")
# Tells what earlier versions did, in their words.
HISTORY = pathlib.PurePath("CHANGELOG.md")
CODE = re.compile(r"`[^`]*`")


def in_others_words(name):
    """Submissions and what they are graded as are written in their imagined authors' words; a patch follows its base."""
    return tree.in_foreign_style(name) or tree.in_sample_class(name) or name == HISTORY or name.parts[0] == "reference"


def sentences_of(name, text):
    """(line number, prose) of each line that holds any. A comment that goes on is joined to the line before it."""
    mark = COMMENT.get(name.suffix)
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        if mark:
            _, found, words = line.partition(mark)
            words = words.lstrip("/<! ") if found else ""
            is_whole = found and not line.split(mark)[0].strip()
        else:
            words, is_whole = line.strip().lstrip("-*>| "), True
            if name == CATALOGUE:
                words = line.partition(": ")[2]
        joined = before[-2:].rstrip() + " " + words if before and is_whole else words
        yield number, CODE.sub("`", joined)
        before = words if is_whole else ""


def faults_of(name, text):
    for number, words in sentences_of(name, text):
        begins = words if not words.startswith(" ") else words[1:]
        for what, pattern in PATTERNS.items():
            if pattern.search(begins):
                yield f"{name}:{number}: {what}: {begins.strip()[:90]}"


def self_test():
    """Each pattern must be seen where it stands, and a sentence that goes on with "Of" after a line's end must not."""
    bad = pathlib.PurePosixPath("grader/base/x.h")
    text = ("/// Of all arrays the first.\n/// Reads one. Of others nothing.\nint x;  // says what it is for\n"
            "// Somebody has to look.\n")
    seen = [fault.split(":")[1] for fault in faults_of(bad, text)]
    clean = list(faults_of(bad, "/// The University\n/// Of Nowhere, of course.\nint of;  // what it is worth counts\n"))
    assert seen == ["1", "2", "3", "4"], seen
    assert not clean, clean


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    found = []
    for name in tree.tracked_files(root):
        if in_others_words(name) or not (name.suffix in COMMENT or name.suffix == ".md" or name == CATALOGUE):
            continue
        found += faults_of(name, (root / name).read_text(encoding="utf-8", errors="replace"))
    print("\n".join(found) or "no pattern of hidden actors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
