#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the catalogue of sentences to the code: each sentence is said somewhere, what is said is there, and each
reason for a loss has a form without places for hidden cases.

usage: sentences_test.py ROOT
"""
import pathlib
import re
import sys

CATALOGUE = pathlib.PurePath("grader/sentences/en.txt")
SAID = re.compile(r'"([a-z_]+\.[a-z_]+)"')
# Ids that are made of two words: a finding by its checker, a counter by its name.
MADE = ("finding.", "words.")
HIDDEN = "@hidden"
# These are no reasons for a loss, or are parts of one.
WITHOUT_HIDDEN_FORM = ("build.", "sandbox.", "item.", "waits.", "words.", "owner.", "more.", "rubric.", "counter.value", "speed.outside",
                       "speed.time", "speed.rate", "speed.modelled", "speed.baseline", "speed.at_home",
                       "speed.measured", "speed.undecided", "decision.")


def catalogue(root):
    lines = (root / CATALOGUE).read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def said_in(root):
    """Ids in the engine's sources, but not in tests."""
    ids = set()
    for path in (root / "grader").rglob("*.cpp"):
        if not path.stem.endswith("_test"):
            ids.update(SAID.findall(path.read_text(encoding="utf-8", errors="replace")))
    return ids


def problems(texts, said):
    for sentence, text in texts.items():
        base = sentence.removesuffix(HIDDEN)
        if sentence.endswith(HIDDEN):
            if base not in texts:
                yield f"{sentence}: there is no sentence {base}"
            if "{" in text:
                yield f"{sentence}: a hidden case would show what fills a place"
        elif base not in said and not base.startswith(MADE):
            yield f"{sentence}: nothing says it"
        elif base + HIDDEN not in texts and not base.startswith(WITHOUT_HIDDEN_FORM):
            yield f"{sentence}: there is no {base}{HIDDEN}"
        if not sentence.endswith(HIDDEN) and text.rstrip() != text:
            yield f"{sentence}: it ends with a blank"


def main():
    root = pathlib.Path(sys.argv[1])
    texts = catalogue(root)
    assert list(problems({"a.b": "one", "a.b@hidden": "{x}", "c.d": "two"}, {"a.b"})) == [
        "a.b@hidden: a hidden case would show what fills a place", "c.d: nothing says it"], "the test itself"
    found = list(problems(texts, said_in(root)))
    for line in found:
        print(f"{CATALOGUE}: {line}")
    print(f"{len(texts)} sentences")
    return 1 if found else 0


sys.exit(main())
