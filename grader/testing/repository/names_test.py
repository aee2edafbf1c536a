#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails on names that belong to one machine, and on a source file without its licence line.

usage: names_test.py ROOT
"""
import itertools
import pathlib
import re
import sys

import tree

LICENCE = "SPDX-License-Identifier: MIT"
LICENSED_SUFFIXES = tree.SOURCE_SUFFIXES | {".py", ".sh", ".ts"}
# A file opens with a comment, which for a mutant first lists what it loses.
OPENING = ("//", "#", "/*", " *")
FORBIDDEN = {
    "a path of one machine": re.compile(r"/(home|Users)/\w|/root/|/work/(main|shared)|/tmp/(build|wg)\b"),
    "a package registry's host": re.compile(
        r"(pypi|pythonhosted|crates|rubygems)\.(org|io)|registry\.npmjs|(deb|security)\.debian\.org"
        r"|archive\.ubuntu\.com|docker\.io|ghcr\.io|conda\.anaconda|proxy\.golang"),
    "a host on a private network": re.compile(
        r"https?://(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|[\w.-]+\.(internal|local|corp)\b)"),
}


def text_of(path):
    """The file's text, or None where it holds bytes that are no UTF-8 text."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def faults_of(name, text):
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        for what, pattern in FORBIDDEN.items():
            match = pattern.search(line)
            if match:
                yield f"{name}:{number}: {what}: {match.group(0)}"
    if name.suffix in LICENSED_SUFFIXES and not tree.in_sample_class(name):
        opening = list(itertools.takewhile(lambda line: line.startswith(OPENING), lines))
        if not any(LICENCE in line for line in opening):
            yield f"{name}:1: the licence line is missing: {LICENCE}"


def self_test():
    """One fault of each kind must be seen, and none in a clean file."""
    source = pathlib.PurePosixPath("grader/base/x.cpp")
    # Put together here, so that this file passes its own test.
    bad = ["/ho" "me/ann/x", "https://pypi" ".org/simple", "http://10" ".0.0.1/x"]
    seen = list(faults_of(source, f"// {LICENCE}\n" + "\n".join(bad)))
    clean = list(faults_of(source, f"// {LICENCE}\nint x = 1;\n"))
    unlicensed = list(faults_of(source, "int x = 1;\n"))
    return [] if (len(seen), len(clean), len(unlicensed)) == (3, 0, 1) else [f"self-test: {seen} {clean} {unlicensed}"]


def main():
    root = pathlib.Path(sys.argv[1])
    found = self_test()
    for name in tree.tracked_files(root):
        if name.name == pathlib.Path(__file__).name:
            continue
        text = text_of(root / name)
        if text is not None:
            found += faults_of(name, text)
    print("\n".join(found) if found else "no name of one machine; each source file has its licence line")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
