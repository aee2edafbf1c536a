#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tables that names are compared by, from Python's own Unicode data: each letter's canonical
decomposition in lower case, and the letter below its accents.

usage: fold_table.py OUTPUT.inc
"""
import sys
import unicodedata

HANGUL = range(0xAC00, 0xD7A4)


def literal(text):
    return '"' + "".join(f"\\x{byte:02x}" for byte in text.encode()) + '"'


def folded(letter):
    """Both steps twice: the lower case of a decomposed letter may itself decompose."""
    for _ in range(2):
        letter = unicodedata.normalize("NFD", letter).casefold()
    return unicodedata.normalize("NFD", letter)


def main():
    rows = []
    for code in range(0x80, 0x20000):
        letter = chr(code)
        if code in HANGUL or 0xD800 <= code < 0xE000:
            continue
        mark = unicodedata.combining(letter) != 0
        plain = "".join(each for each in unicodedata.normalize("NFD", letter) if not unicodedata.combining(each))
        if mark or folded(letter) != letter or plain != letter:
            rows.append(f"{{0x{code:x}, {literal(folded(letter))}, {literal(plain)}, {str(mark).lower()}}},\n")
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.writelines(rows)


if __name__ == "__main__":
    main()
