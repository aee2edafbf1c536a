#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which files a test of style has proved already, so that it looks only at those that changed since.

`proved.txt` beside this file holds a line `TEST KEY PATH` for each. A key hashes what a proof depends on in the
repository: the file, all headers that it includes, and the test with its rules. Whoever changes files proves them with
`ninja -C build prove-style`, and commits the new keys with them; a file without a key is proved in each run.

usage: proofs.py ROOT BUILD_FOLDER CXX CUDA_ROOT     (runs the tests and writes proved.txt)
"""
import hashlib
import pathlib
import subprocess
import sys

import tree

PLACE = pathlib.Path(__file__).parent / "proved.txt"
HEADING = "# Written by `ninja -C build prove-style`: what the tests named here have proved. See proofs.py.\n"


def keys(root, paths, rules):
    """{path below `root`: key} for files; `rules` are the bytes by which the test judges."""
    def key(path):
        digest = hashlib.sha256()
        for part in [*rules, *(each.read_bytes() for each in [path, *sorted(tree.all_included(root, path))])]:
            digest.update(len(part).to_bytes(8, "little") + part)
        return digest.hexdigest()[:16]

    return {path.relative_to(root).as_posix(): key(path) for path in paths}


class Proofs:
    """The keys of one test. `place` is the file that holds those of all tests."""

    def __init__(self, test, place=PLACE):
        self.place, self.test = place, test
        lines = self.place.read_text(encoding="utf-8").splitlines() if self.place.is_file() else []
        self.lines = [tuple(line.split(" ", 2)) for line in lines if not line.startswith("#")]
        self.known = {path: proved for test, proved, path in self.lines if test == self.test}

    def lack(self, keys):
        """The paths of {path: key} that are still to be proved."""
        return {path for path, now in keys.items() if self.known.get(path) != now}

    def write(self, keys):
        """Holds {path: key} as proved, in place of all that the test proved before."""
        others = [line for line in self.lines if line[0] != self.test]
        lines = sorted(others + [(self.test, now, path) for path, now in keys.items()], key=lambda line: (line[0], line[2]))
        self.place.write_text(HEADING + "".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")


def main():
    folder, everything = pathlib.Path(__file__).parent, sys.argv[1:]
    for test, arguments in ("tidy_test.py", everything[:2]), ("headers_test.py", everything):
        subprocess.run([sys.executable, "-B", str(folder / test), *arguments, "--write"], check=True)


if __name__ == "__main__":
    main()
