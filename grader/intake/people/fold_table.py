#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tables that names are compared by, from Python's own Unicode data: each letter's canonical
decomposition in lower case, and the letter below its accents, in Latin letters where it is Cyrillic or Greek.

usage: fold_table.py OUTPUT.inc
"""
import sys
import unicodedata

HANGUL = range(0xAC00, 0xD7A4)
# Letters without accents, in lower case: Cyrillic nearly as ICAO's Doc 9303 has it on passports, Greek, and what else of
# Latin does not decompose. Accents are dropped first, so that composed and decomposed names give the same.
ROMAN = {
    **dict(zip("абвгдезиклмнопрстуфэы", "abvgdeziklmnoprstufey")),
    "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu", "я": "ya",
    "ђ": "dj", "ј": "j", "љ": "lj", "њ": "nj", "ћ": "c", "џ": "dz", "ѕ": "dz", "є": "ye", "і": "i", "ґ": "g",
    **dict(zip("αβγδεζηικλμνξοπρσςτυφω", "avgdeziiklmnxoprsstyfo")), "θ": "th", "χ": "ch", "ψ": "ps",
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i", "ŋ": "ng", "ħ": "h",
}


def literal(text):
    return '"' + "".join(f"\\x{byte:02x}" for byte in text.encode()) + '"'


def folded(letter):
    """Both steps twice: the lower case of a decomposed letter may itself decompose."""
    for _ in range(2):
        letter = unicodedata.normalize("NFD", letter).casefold()
    return unicodedata.normalize("NFD", letter)


def roman(letter):
    lower = letter.lower()
    if lower not in ROMAN:
        return letter
    return ROMAN[lower] if letter == lower else ROMAN[lower].capitalize()


def main():
    rows = []
    for code in range(0x80, 0x20000):
        letter = chr(code)
        if code in HANGUL or 0xD800 <= code < 0xE000:
            continue
        mark = unicodedata.combining(letter) != 0
        parts = unicodedata.normalize("NFD", letter)
        plain = "".join(roman(each) for each in parts if not unicodedata.combining(each))
        if mark or folded(letter) != letter or plain != letter:
            rows.append(f"{{0x{code:x}, {literal(folded(letter))}, {literal(plain)}, {str(mark).lower()}}},\n")
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.writelines(rows)


if __name__ == "__main__":
    main()
