#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs clang-tidy 14 with the root's .clang-tidy over grader/, tests aside.

Nearly all of its time goes to the standard headers, so files that share no name are read as one unit. Whatever does
not compile that way is read in smaller units, down to single files. What proofs.py knows as tidy is left out.

usage: tidy_test.py ROOT BUILD_FOLDER [--write]     (--write: hold what is tidy as proved)
"""
import concurrent.futures
import functools
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

import proofs
import tree

TOOL = "clang-tidy-14"
# The compiler's flags that clang needs to read a file. It may not know the others.
KEPT = re.compile(r"^(-D|-U|-std=)")
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union|using|template <.*> struct)\s+(\w+)\b(?!::)")
ALIAS = re.compile(r"^using \w+ = (.+;)$")
VALUE = re.compile(r"^(?:inline |static )?(?:constexpr|const) [^=({]*?(\w+)(?:\[[^\]]*\])*\s*[={]")
FUNCTION = re.compile(r"^[A-Za-z_\[][^=;(]*?[\s*&](?<!::)(\w+)\(")
ENUM = re.compile(r"^enum (?!class)[^{]*\{ (.*) \};")
ENUMERATOR = re.compile(r"^  (k[A-Z]\w*)(?: = [^;]*)?,?$")
ERROR = re.compile(r"\[clang-diagnostic-error\]$", re.M)
CONSTANT = re.compile(r"^k[A-Z]\w*$")
CONSTANT_WORD = re.compile(r"\bk[A-Z]\w*")
CHECK = re.compile(r"^  ((?:bugprone|performance|readability)-[\w-]+),?$", re.M)
WORD = re.compile(r"\w+")
BORROWED = re.compile(r"^using (namespace [\w:]+|[\w:]+::(\w+));", re.M)
MOST_FILES = 24
APART = {"emulator", "testing", "testdata"}  # Folders with a namespace of their own, or that stand in for a library.
STANDARD_HEADERS = ["algorithm", "atomic", "chrono", "filesystem", "functional", "map", "memory", "optional", "span",
                    "string", "thread", "variant", "vector"]


def clang_flags(entry):
    """Flags of one entry of compile_commands.json that clang knows, folders made absolute; where grader/ is, is known."""
    words = shlex.split(entry["command"])
    folder = pathlib.Path(entry["directory"])
    kept = [word for word in words if KEPT.match(word)]
    for word, following in zip(words, [*words[1:], ""]):
        if word.startswith("-isystem"):
            kept.append(f"-isystem{folder / (word.removeprefix('-isystem') or following)}")
        elif word.startswith("-I") and any((folder / word.removeprefix("-I")).glob("*.inc")):
            kept.append(f"-I{folder / word.removeprefix('-I')}")  # The build makes tables there.
    return kept


def commands(root, build):
    """{absolute path: flags} for the sources that the build compiles, tests aside."""
    wanted = {(root / name).resolve() for name in tree.sources(root, {".cpp"})
              if name.parts[0] == "grader" and not name.stem.endswith("_test")}
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found = {}
    for entry in entries:
        for path in wanted.intersection(tree.joined_sources(entry)):
            found.setdefault(path, clang_flags(entry))
    return found


def names_of(path):
    """{name: meaning} of what the file declares outside of any class; the meaning is None but for `using name = meaning;`."""
    names = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = TYPE.match(line) or VALUE.match(line) or FUNCTION.match(line) or ENUMERATOR.match(line)
        if match:
            alias = ALIAS.match(line)
            names[match.group(1)] = alias.group(1) if alias else None
        if ENUM.match(line):
            names.update(dict.fromkeys(CONSTANT_WORD.findall(ENUM.match(line).group(1))))
        elif line.startswith("#define"):
            names[line.split()[1].split("(")[0]] = None
    return names


def clash(one, other):
    """Whether two files of one unit may not declare these names: some mean two things."""
    return any(one[name] is None or one[name] != other[name] for name in one.keys() & other.keys())


def unit_text(names, paths):
    text = ""
    for number, path in enumerate(paths):
        own = names.constants(path)
        text += "".join(f"#define {name} {name}{number}\n" for name in own)
        text += f'#include "{path}"\n'
        text += "".join(f"#undef {name}\n" for name in own)
    return text


class Names:
    """What each file declares and sees, file by file, of the names that two files of one unit must not share."""

    def __init__(self, root):
        self.root = root.resolve()

    def headers_of(self, path):
        return tree.all_included(self.root, path)

    @functools.cache
    def seen_by(self, path):
        """Names that the headers declare which the file includes."""
        seen = {}
        for header in self.headers_of(path):
            for name, meaning in names_of(header).items():
                seen[name] = meaning if seen.get(name, meaning) == meaning else None
        return seen

    @functools.cache
    def words_of(self, header):
        return set(WORD.findall(header.read_text(encoding="utf-8")))

    @functools.cache
    def constants(self, path):
        """Constants that no header of the file knows. In a unit they are renamed, so that others may have the same name."""
        known = set().union(*(self.words_of(header) for header in self.headers_of(path)))
        return sorted(name for name in names_of(path) if CONSTANT.match(name) and name not in known)

    @functools.cache
    def own(self, path):
        renamed = {*self.constants(path), *self.seen_by(path)}
        return {name: meaning for name, meaning in names_of(path).items() if name not in renamed}

    def borrowed(self, path):
        """Whether the file makes names of a namespace visible that have another meaning elsewhere."""
        found = BORROWED.finditer(path.read_text(encoding="utf-8"))
        return any(match.group(2) is None or match.group(2) in self.seen_by(path) for match in found)


def units(names, found):
    """[(paths, flags)], the longest first: at most MOST_FILES without a common name, read with the flags of all of them.
    Only the last one may borrow names, as they are visible to all that follow."""
    borrowers = [path for path in sorted(found) if names.borrowed(path)]
    made = []
    for path in [*borrowers, *sorted(set(found) - set(borrowers))]:
        own, seen = names.own(path), names.seen_by(path)
        space = APART & set(path.relative_to(names.root).parts)
        for unit in made:
            if (path not in borrowers and unit["space"] == space and len(unit["paths"]) < MOST_FILES
                    and not clash(own, unit["own"]) and not clash(seen, unit["own"]) and not clash(own, unit["seen"])):
                break
        else:
            unit = {"paths": [], "flags": {}, "own": {}, "seen": {}, "space": space}
            made.append(unit)
        unit["paths"].insert(0, path)
        unit["flags"].update(dict.fromkeys(found[path]))
        unit["own"] |= own
        unit["seen"] |= seen
    made.sort(key=lambda unit: -len(unit["paths"]))
    return [(unit["paths"], list(unit["flags"])) for unit in made]


def run_tool(root, path, flags):
    return subprocess.run([TOOL, "--quiet", f"--config-file={root}/.clang-tidy", str(path), "--", "-x", "c++", *flags],
                          text=True, capture_output=True, check=False)


def tidy(names, paths, flags):
    """The tool's complaints about some files, or an empty string."""
    if len(paths) == 1:
        done = run_tool(names.root, paths[0], flags)
    else:
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "unit.cpp"
            unit.write_text(unit_text(names, paths), encoding="utf-8")
            done = run_tool(names.root, unit, flags)
        if ERROR.search(done.stdout):
            failed = {path for path in paths if re.search(f"^{re.escape(str(path))}:.*{ERROR.pattern}", done.stdout, re.M)}
            middle = len(paths) // 2
            parts = [[path] for path in failed] + [[path for path in paths if path not in failed]] if failed else [
                paths[:middle], paths[middle:]]
            return "".join(tidy(names, part, flags) for part in parts if part)
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


# What each check of .clang-tidy must find, in one unit with a file that shares a constant and an alias with it.
PLANTED = """#include <cstring>
#include <string>
#include <utility>
#include <vector>

using Text = std::string;
constexpr int kSize = 1;
void take(const Text& text);
struct lower_case {};
void use_twice(Text text) {
  Text taken = std::move(text);
  take(text);
}
size_t size_of_size() { return sizeof(sizeof(int)); }
void fill(int* numbers) { std::memset(numbers, '0', 4); }
void wait_for(int count) {
  int i = 0;
  while (i < count) {
  }
}
void copy_each(const std::vector<Text>& texts) {
  for (const Text text : texts) take(text);
}
void move_constant(const Text& text) { take(std::move(text)); }
int run_on(int number) {
""" + "  ++number;\n" * 61 + "  return number;\n}\n"
NEIGHBOUR = "#include <string>\nusing Text = std::string;\nconstexpr int kSize = 2;\n"


def self_test(config, library):
    """A complaint for each check that does not find what is planted for it."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        shutil.copy(config, root / ".clang-tidy")
        found = {root / "grader/base/planted.cpp": ["-std=c++20"], root / "grader/base/neighbour.cpp": ["-std=c++20"]}
        (root / "grader/base").mkdir(parents=True)
        for path, text in zip(found, [PLANTED, NEIGHBOUR]):
            path.write_text(text, encoding="utf-8")
        names = Names(root)
        made = units(names, found)
        said = "".join(tidy(names, paths, library + flags) for paths, flags in made)
    checks = CHECK.findall(config.read_text(encoding="utf-8"))
    missed = [f"self-test: {check} did not find what is planted for it" for check in checks if f"[{check}," not in said]
    return missed + ["self-test: two files that mean the same by one alias were read apart"] * (len(made) != 1)


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if shutil.which(TOOL) is None:
        print(f"skipped: {TOOL} is not installed (apt-get install {TOOL})")
        return 77
    library = standard_library_flags()
    if library is None:
        print(f"skipped: {TOOL} is too old for this machine's C++ library (apt-get install libstdc++-12-dev)")
        return 77
    missed = self_test(root / ".clang-tidy", library)
    found = commands(root, build)
    names = Names(root)
    rules = [(root / ".clang-tidy").read_bytes(), pathlib.Path(__file__).read_bytes()]
    known, keys = proofs.Proofs("tidy"), proofs.keys(names.root, found, rules)
    unread = {names.root / path: found[names.root / path] for path in known.lack(keys)}
    always = [*library, f"-I{root}/grader"]
    # Other tests want processors as well; two of these take 2 GB.
    workers = max(2, len(os.sched_getaffinity(0)) // 2)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        texts = pool.map(lambda unit: tidy(names, unit[0], always + unit[1]), units(names, unread))
        complaints = missed + [text for text in texts if text]
    print("\n".join(complaints))
    if "--write" in sys.argv and not complaints:
        known.write(keys)
    print(f"{len(found)} files are {'not all ' if complaints else ''}tidy; {len(unread)} of them were read now")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
