#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs clang-tidy 14 with the root's .clang-tidy over one part of grader/: a folder, or a file beside the folders.

usage: tidy_test.py ROOT BUILD_FOLDER PART
"""
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import tree

TOOL = "clang-tidy-14"
# Of the compiler's own flags, what clang needs to read the file; the rest may be unknown to it.
KEPT = re.compile(r"^(-I|-D|-U|-std=|-pthread|-mavx|-msse|-mfma|-march=)")
KEPT_WITH_VALUE = {"-I", "-D", "-U", "-isystem", "-include"}
STANDARD_HEADERS = ["algorithm", "atomic", "chrono", "filesystem", "functional", "map", "memory", "optional", "span",
                    "string", "thread", "variant", "vector"]


def clang_flags(entry):
    """Flags of one entry of compile_commands.json that clang knows, folders made absolute."""
    words = shlex.split(entry["command"])
    folder = pathlib.Path(entry["directory"])
    kept = []
    index = 1
    while index < len(words):
        word = words[index]
        if word in KEPT_WITH_VALUE and index + 1 < len(words):
            kept += [word, str(folder / words[index + 1]) if word in {"-I", "-isystem"} else words[index + 1]]
            index += 1
        elif word.startswith("-isystem"):
            kept += ["-isystem", str(folder / word[len("-isystem"):])]
        elif word.startswith("-I"):
            kept.append(f"-I{folder / word[2:]}")
        elif KEPT.match(word):
            kept.append(word)
        index += 1
    return kept


def commands(root, build, part):
    """{absolute path: flags} for the part's sources that the build compiles, tests aside."""
    wanted = {(root / name).resolve() for name in tree.sources(root, {".cpp"})
              if name.parts[:2] == ("grader", part) and not name.stem.endswith("_test")}
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found = {}
    for entry in entries:
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if path in wanted:
            found.setdefault(path, clang_flags(entry))
    return found


def tidy(path, flags):
    done = subprocess.run([TOOL, "--quiet", str(path), "--", "-x", "c++", *flags], text=True, capture_output=True,
                          check=False)
    return "" if done.returncode == 0 else done.stdout + "\n".join(
        line for line in done.stderr.splitlines() if "warnings generated" not in line)


def standard_library_flags():
    """Flags under which this clang can parse the machine's C++ library, or None where there are none.

    Clang takes the newest library, whose headers may be too new for it; then version 12's are named instead.
    """
    triple = f"{platform.machine()}-linux-gnu"
    older = ["-nostdinc++", "-isystem", "/usr/include/c++/12", "-isystem", f"/usr/include/{triple}/c++/12"]
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder) / "probe.cpp"
        probe.write_text("".join(f"#include <{header}>\n" for header in STANDARD_HEADERS), encoding="utf-8")
        command = [TOOL, "--quiet", "--checks=-*,bugprone-use-after-move", str(probe), "--", "-std=c++20"]
        for flags in [], older:
            if subprocess.run(command + flags, capture_output=True, check=False).returncode == 0:
                return flags
    return None


def main():
    root, build, part = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    if shutil.which(TOOL) is None:
        print(f"skipped: {TOOL} is not installed (apt-get install {TOOL})")
        return 77
    library = standard_library_flags()
    if library is None:
        print(f"skipped: {TOOL} is too old for this machine's C++ library (apt-get install libstdc++-12-dev)")
        return 77
    found = {path: library + flags for path, flags in commands(root, build, part).items()}
    workers = max(1, (os.cpu_count() or 2) // 2)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        complaints = [text for text in pool.map(lambda item: tidy(*item), found.items()) if text]
    print("\n".join(complaints))
    print(f"{len(found) - len(complaints)} of {len(found)} files in grader/{part} are tidy")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
