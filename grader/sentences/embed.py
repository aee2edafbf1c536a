#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a text file as a C++ string, in pieces that every compiler takes.

usage: embed.py TEXT_FILE NAME OUTPUT
"""
import pathlib
import sys

PIECE_LINES = 40


def main():
    source, name, output = sys.argv[1:]
    lines = pathlib.Path(source).read_text(encoding="utf-8").splitlines(keepends=True)
    pieces = ["".join(lines[at:at + PIECE_LINES]) for at in range(0, len(lines), PIECE_LINES)]
    literals = "\n".join(f'R"~~({piece})~~"' for piece in pieces) or '""'
    text = f"namespace warpgrade {{\nextern const char {name}[];\nconst char {name}[] =\n{literals};\n}}\n"
    pathlib.Path(output).write_text(text, encoding="utf-8")


main()
