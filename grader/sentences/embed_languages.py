#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes catalogues as a C++ array of their languages and texts, in pieces that every compiler takes.

usage: embed_languages.py OUTPUT NAME LANGUAGE.txt...
"""
import pathlib
import sys

PIECE_LINES = 40


def literal(path):
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    pieces = ["".join(lines[at:at + PIECE_LINES]) for at in range(0, len(lines), PIECE_LINES)]
    return "\n".join(f'R"~~({piece})~~"' for piece in pieces) or '""'


def main():
    output, name, *sources = sys.argv[1:]
    paths = [pathlib.Path(source) for source in sources]
    entries = "".join(f'"{path.stem}",\n{literal(path)},\n' for path in paths)
    text = (f"namespace warpgrade {{\nextern const char* const {name}[];\n"
            f"const char* const {name}[] = {{\n{entries}nullptr}};\n}}\n")
    pathlib.Path(output).write_text(text, encoding="utf-8")


main()
