#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each header compiles alone, in the language of those who include it, and may be included twice.

A header that the first of the sources of a built unit includes before anything else is compiled alone with it; the
others are compiled here, several in one run of the compiler where none of them can lend another what it lacks. Headers
that many others include are read precompiled by those. What proofs.py knows to compile alone is left out.

usage: headers_test.py ROOT BUILD_FOLDER CXX CUDA_ROOT [--write]     (--write: hold what compiles as proved)
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import proofs
import tree

DIRECTIVE = re.compile(r"^\s*#\s*(\w+)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]
MOST_PRECOMPILED = 32


def first_included(root, path):
    """The header that a file includes before anything else, or None where that is none of ours."""
    first = tree.INCLUDE.search(path.read_text(encoding="utf-8"))
    return tree.included(root, path, first.group(1)) if first else None


def built_alone(root, build):
    """Headers that some unit of the build reads first of all, before any other line but includes."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    firsts = {tree.joined_sources(entry)[0] for entry in entries}
    found, paths = set(), {path for path in firsts if path.suffix in {".cpp", ".cu"} and path.is_file()}
    while paths:
        paths = {first_included(root, path) for path in paths} - {None} - found
        found |= paths
    return found


def included_before_all_else(path):
    """What a header includes, as written, or None where it includes after other lines, or on a condition, or defines a macro."""
    names, code = [], False
    for line in COMMENT.sub("", path.read_text(encoding="utf-8")).splitlines():
        directive = DIRECTIVE.match(line)
        if directive and directive.group(1) == "include":
            if code:
                return None
            names.append(line.split("include", 1)[1].strip())
        elif directive and directive.group(1) != "pragma":
            return None
        elif line.strip() and not directive:
            code = True
    return names


class Headers:
    """Which headers may be compiled in one run.

    After all that a header includes has been read, nothing more is known for having been read before. So a header proves
    itself behind others where it includes each of them, and all that they include, before its first line of code.
    """

    def __init__(self, root):
        self.root = root

    @functools.cache
    def closure(self, path):
        """All that a header reads before its first line of code: of ours by path, others as written."""
        found = set()
        for written in included_before_all_else(path) or []:
            ours = tree.included(self.root, path, written[1:-1])
            found |= {ours} | self.closure(ours) if ours else {written}
        return found

    def chains(self, paths):
        """The headers in few lists, in each of which every header includes the ones before it."""
        behind = {path: [other for other in paths if path in self.closure(other)] for path in paths}
        before = {}

        def follow(path, tried):
            for other in behind[path]:
                if other not in tried:
                    tried.add(other)
                    if other not in before or follow(before[other], tried):
                        before[other] = path
                        return True
            return False

        for path in paths:
            follow(path, set())
        after = {first: second for second, first in before.items()}
        lists = []
        for path in paths:
            if path not in before:
                lists.append([path])
                while lists[-1][-1] in after:
                    lists[-1].append(after[lists[-1][-1]])
        return lists

    def often_included(self, paths, host):
        """Few headers, of ours and others, chosen so that `paths` find much of what they read first in one of them."""
        foreign = {name for path in paths for name in self.closure(path) if isinstance(name, str)}
        read = files_read(host, foreign)

        @functools.cache
        def size_bytes(header):
            """Bytes that the compiler reads for a header, nearly all of them in others that it includes."""
            parts = self.closure(header) if isinstance(header, pathlib.Path) else ()
            return sum(map(os.path.getsize, set().union(*(read.get(each, {each}) for each in [header, *parts]))))

        candidates, chosen, lent = {*paths, *foreign}, [], dict.fromkeys(paths, 0)
        for _ in range(MOST_PRECOMPILED):
            def gain_bytes(header):
                return sum(max(0, size_bytes(header) - lent[path]) for path in paths if header in self.closure(path))

            best = max(candidates, key=lambda header: (gain_bytes(header), str(header)), default=None)
            if best is None or gain_bytes(best) <= size_bytes(best):  # To write it costs what it saves.
                break
            candidates.remove(best)
            chosen.append(best)
            lent |= {path: max(lent[path], size_bytes(best)) for path in paths if best in self.closure(path)}
        return sorted(chosen, key=size_bytes)

    def alike(self, paths):
        """Headers that include the same and none of ours, in one list; each of the others in one of its own."""
        lists = {}
        for path in paths:
            names = included_before_all_else(path)
            is_plain = names is not None and not any(tree.included(self.root, path, name[1:-1]) for name in names)
            lists.setdefault(frozenset(names) if is_plain else path, []).append(path)
        return list(lists.values())


def chain_text(chain):
    return "".join(f'#include "{path}"\n' for path in chain)


def apart_text(alike):
    """What headers have in common, then each in a namespace of its own, where it sees no name of another."""
    if len(alike) == 1:
        return chain_text(alike)
    common = "".join(f"#include {name}\n" for name in sorted(included_before_all_else(alike[0])))
    return common + "".join(
        f'namespace alone_{number} {{\n#include "{path}"\n}}\n' for number, path in enumerate(alike))


def complaint(command, text):
    """What the compiler says of a unit that it refuses, or an empty string."""
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / "alone.cu"
        unit.write_text(text, encoding="utf-8")
        done = subprocess.run([*command, str(unit)], text=True, capture_output=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def complaints(command, text_of, unit, behind=()):
    """[(header, complaint)] for those of a unit that do not compile alone; the flags `behind` read what all of them include."""
    if not complaint([*command, *behind], text_of(unit)):
        return []
    found = [(path, complaint(command, chain_text([path]))) for path in unit]
    return [(path, text) for path, text in found if text]


def files_read(host, names):
    """{foreign header: the files that the compiler reads for it}."""
    def read_for(name):
        done = subprocess.run([*host, "-M", "-"], input=f"#include {name}\n", text=True, capture_output=True, check=True)
        return {path for path in done.stdout.split()[1:] if path.startswith("/")}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(names, pool.map(read_for, names)))


def precompiled(host, header, place):
    """Flags under which the compiler reads a header first of all, precompiled beside `place`, or none where it does not compile."""
    written = header if isinstance(header, str) else f'"{header}"'
    place.write_text(f"#include {written}\n", encoding="utf-8")
    command = [word for word in host if word != "-fsyntax-only"]
    done = subprocess.run([*command, "-x", "c++-header", "-o", f"{place}.gch", str(place)], capture_output=True, check=False)
    return ["-Winvalid-pch", "-include", str(place)] if done.returncode == 0 else []


def host_command(root, cxx, cuda_root):
    return [cxx, *FLAGS, "-fsyntax-only", "-x", "c++", "-isystem", f"{cuda_root}/include", "-I", f"{root}/grader"]


def refused(root, rest, host, device):
    """[(header, complaint)] for the headers of `rest` that do not compile alone, CUDA's by the command `device`."""
    headers = Headers(root)
    cuda = [path for path in rest if path.suffix == ".cuh" or path.relative_to(root).parts[0] == "assignments"]
    own = [path for path in rest if path not in cuda]
    lenders = headers.often_included(own, host)
    behind = {path: next((lender for lender in reversed(lenders) if lender in headers.closure(path)), None) for path in own}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        places = [pathlib.Path(folder) / f"{number}.h" for number in range(len(lenders))]
        flags = dict(zip(lenders, pool.map(functools.partial(precompiled, host), lenders, places)))
        runs = [(device, apart_text, unit) for unit in headers.alike(cuda)]
        for lender in [None, *lenders]:
            chains = headers.chains([path for path in own if behind[path] == lender])
            runs += [(host, chain_text, chain, flags.get(lender, [])) for chain in chains]
        return [each for found in pool.map(lambda run: complaints(*run), runs) for each in found]


def rules_of(cxx):
    """By what a header is judged: this test, and the compiler."""
    version = subprocess.run([cxx, "-dumpversion"], capture_output=True, check=True).stdout
    return [version, pathlib.Path(__file__).read_bytes()]


# What each header holds, and whether it compiles alone.
SELF_TEST = {
    "grader/base/whole.h": ("#include <cstdint>\n\nstruct Whole { std::uint8_t byte; };\n", True),
    "grader/base/lacks_standard.h": ("struct Word { std::uint32_t bits; };\n", False),
    "grader/base/chained.h": ('#include "base/whole.h"\n\nstruct Chained { Whole whole; };\n', True),
    # It lacks what the one before it in its chain has.
    "grader/base/lacks_ours.h": ("#include <cstdint>\n\nstruct Borrower { Whole whole; };\n", False),
    "grader/base/lends.h": ('#include "base/chained.h"\n#include "base/lacks_ours.h"\n\nstruct Last { Borrower it; };\n', True),
    # They include it, but too late or never.
    "grader/base/late.h": ('struct Early { Whole whole; };\n#include "base/whole.h"\n', False),
    "grader/base/never.h": ('#ifdef NOWHERE\n#include "base/whole.h"\n#endif\nstruct Never { Whole whole; };\n', False),
    "assignments/a/a.h": ("#include <cstdint>\n\nstruct Shape { std::uint8_t rows; };\n", True),
    # It would find the name in the contract that is compiled in the same run.
    "assignments/b/b.h": ("#include <cstdint>\n\nint columns(Shape shape);\n", False),
    "grader/base/launches.cuh": (
        "#include <cuda_runtime.h>\n\n__global__ void nothing() {}\ninline void launch() { nothing<<<1, 1>>>(); }\n", True),
    "grader/base/lacks_a_name.cuh": ("__global__ void first(int* to) { *to = threadIdx.y + unknown; }\n", False),
}


def self_test(cxx, cuda_root, nvcc):
    """The headers of SELF_TEST as a tree: exactly those must be refused that do not compile alone."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, (text, _) in SELF_TEST.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("#pragma once\n" + text, encoding="utf-8")
        host = host_command(root, cxx, cuda_root)
        found = {str(path.relative_to(root)) for path, _ in refused(root, [root / name for name in SELF_TEST], host, nvcc)}
    return [f"self-test: {name} was {'refused' if name in found else 'let pass'}"
            for name, (_, compiles) in SELF_TEST.items() if compiles == (name in found)]


def main():
    root, build, cxx, cuda_root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    if shutil.which(cxx) is None:
        print(f"skipped: {cxx} is not here")
        return 77
    nvcc = [f"{cuda_root}/bin/nvcc", "-std=c++20", "-arch=compute_75", "-ptx", "-o", os.devnull, "-I", f"{root}/grader"]
    wrong = self_test(cxx, cuda_root, nvcc)
    headers = [root / n for n in tree.sources(root, {".h", ".cuh"}) if n.parts[0] in {"grader", "assignments"}]
    # The compiler takes a header that it precompiles for a source, in which it refuses the line.
    included = [path for path in headers if path.parent.name != "precompiled"]
    unguarded = [path for path in included if "\n#pragma once\n" not in path.read_text(encoding="utf-8")]
    wrong += [f"{path.relative_to(root)} has no line #pragma once" for path in unguarded]
    built = built_alone(root, build)
    rest = [path for path in headers if path.resolve() not in built]
    known, keys = proofs.Proofs("headers"), proofs.keys(root, rest, rules_of(cxx))
    lacking = known.lack(keys)
    rest = [path for path in rest if path.relative_to(root).as_posix() in lacking]
    bad = refused(root, rest, host_command(root, cxx, cuda_root), nvcc)
    wrong += [f"{path.relative_to(root)} does not compile alone:\n{text}" for path, text in bad]
    print("\n".join(wrong))
    if "--write" in sys.argv and not wrong:
        known.write(keys)
    print(f"{len(headers) - len(bad)} of {len(headers)} headers compile alone, {len(headers) - len(keys)} of them in the build; "
          f"{len(rest)} were compiled now")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
