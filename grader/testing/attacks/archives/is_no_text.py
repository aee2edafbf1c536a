# SPDX-License-Identifier: MIT
# attacks: sources in other encodings, with NULs, and larger than any source
# control: 0
# must stay: neighbours, memory, reports
"""What is no text of at most a mebibyte is refused before any compiler reads it."""

SOURCES = {"utf16": "#error x\n".encode("utf-16"), "nul": b"int x;\0", "latin": b"// caf\xe9\n", "huge": b" " * (2 << 20),
           "one-line": b"#error " + b"x" * (1 << 19), "overlong": b"// \xc0\xae\xc0\xae/\n", "bidi": "#error \u202e\n".encode()}


def hand_in(folder, _):
    """One student for each."""
    for name, source in SOURCES.items():
        (folder / f"text-{name}").mkdir()
        (folder / f"text-{name}" / "vecadd.cu").write_bytes(source)
    return {f"text-{name}": 0 for name in SOURCES}
