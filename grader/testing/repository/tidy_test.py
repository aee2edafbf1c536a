#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs clang-tidy 14 with the root's .clang-tidy over one part of grader/: a folder, or a file beside the folders.

Nearly all of its time goes to the standard headers, so files that share no name are read as one unit. Whatever does
not compile that way is read file by file.

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
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union|using|template <.*> struct)\s+(\w+)\b(?!::)")
VALUE = re.compile(r"^(?:inline |static )?(?:constexpr|const) [^=({]*?(\w+)(?:\[[^\]]*\])*\s*[={]")
FUNCTION = re.compile(r"^[A-Za-z_\[][^=;(]*?[\s*&](?<!::)(\w+)\(")
ENUMERATOR = re.compile(r"^  (k[A-Z]\w*)(?: = [^;]*)?,?$")
ERROR = r"\[clang-diagnostic-error\]"
CONSTANT = re.compile(r"^k[A-Z]\w*$")
WORD = re.compile(r"\w+")
MOST_FILES = 12
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


def names_of(path):
    """Names that the file declares outside of any class: two files of one unit must not share any."""
    names = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        match = TYPE.match(line) or VALUE.match(line) or FUNCTION.match(line) or ENUMERATOR.match(line)
        if match:
            names.add(match.group(1))
        elif line.startswith("#define"):
            names.add(line.split()[1].split("(")[0])
    return names


def words_of_headers(root):
    return {word for name in tree.sources(root, {".h"}) for word in WORD.findall((root / name).read_text(encoding="utf-8"))}


def own_constants(path, header_words):
    """Constants that no header knows. In a unit they are renamed, so that others may have the same name."""
    return sorted(name for name in names_of(path) if CONSTANT.match(name) and name not in header_words)


def unit_text(paths, header_words):
    text = ""
    for number, path in enumerate(paths):
        own = own_constants(path, header_words)
        text += "".join(f"#define {name} {name}{number}\n" for name in own)
        text += f'#include "{path}"\n'
        text += "".join(f"#undef {name}\n" for name in own)
    return text


def units(found, header_words):
    """[(paths, flags)]: files with the same flags and without a common name, at most MOST_FILES together."""
    made = []
    for path, flags in found.items():
        names = names_of(path) - set(own_constants(path, header_words))
        for unit in made:
            if unit["flags"] == flags and len(unit["paths"]) < MOST_FILES and not unit["names"] & names:
                unit["paths"].append(path)
                unit["names"] |= names
                break
        else:
            made.append({"paths": [path], "flags": flags, "names": names})
    return [(unit["paths"], unit["flags"]) for unit in made]


def run_tool(root, path, flags):
    return subprocess.run([TOOL, "--quiet", f"--config-file={root}/.clang-tidy", str(path), "--", "-x", "c++", *flags],
                          text=True, capture_output=True, check=False)


def tidy(root, header_words, paths, flags):
    """The tool's complaints about some files, or an empty string."""
    if len(paths) == 1:
        done = run_tool(root, paths[0], flags)
    else:
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "unit.cpp"
            unit.write_text(unit_text(paths, header_words), encoding="utf-8")
            done = run_tool(root, unit, flags)
        failed = [path for path in paths if re.search(f"^{re.escape(str(path))}:.*{ERROR}$", done.stdout, re.M)]
        if ERROR.replace("\\", "") in done.stdout:
            rest = [path for path in paths if failed and path not in failed]
            alone = [[path] for path in paths if path not in rest]
            return "".join(tidy(root, header_words, some, flags) for some in [*alone, rest] if some)
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
    header_words = words_of_headers(root)
    workers = max(1, (os.cpu_count() or 2) // 2)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        complaints = [text for text in pool.map(lambda unit: tidy(root, header_words, *unit), units(found, header_words)) if text]
    print("\n".join(complaints))
    print(f"{len(found)} files in grader/{part} are {'not all ' if complaints else ''}tidy")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
