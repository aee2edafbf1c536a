#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Places of code by dwarf.h have the lines that addr2line names, whatever the flags; a damaged file has some or none.

usage: dwarf_test.py DWARF_PLACES CXX
"""
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

# No two files have lines of the same number: addr2line 2.40 names the wrong file for some, but never the wrong line.
HEADER = "\n" * 100 + """#pragma once
inline int twice(int number) {
  if (number < 0) __builtin_abort();
  return 2 * number;
}
template <class T>
static inline T add(T a, T b) { return twice(a) + b; }
"""
SOURCE = """#include "part.h"
int other(int);
volatile int sink;

static int sum(int count) {
  int total = 0;
  for (int i = 0; i < count; ++i)
    total = add(total, i);
  return total;
}

int main(int count, char**) {
  sink = sum(count);
  sink = other(
      sink);
  if (count > 5) throw sum(sink);
  return add(sink, other(3));
}
"""
OTHER = "\n" * 200 + """#include "part.h"
int other(int number) {
  return add(number, 1) / add(number, 2);
}
"""
FLAGS = [f"{optimised} {debug}" for optimised in ("-O0", "-O1", "-O2", "-O3 -ffunction-sections")
         for debug in ("-g1", "-g", "-gdwarf-4", "-g1 -gdwarf-4", "-g3 -gdwarf-5")] + ["-O2 -g -static-pie", "-O2"]
PLACE = re.compile(r":(\d+)(?: \(.*)?$")


def place_of(line):
    file = "main.cpp" if line <= 100 else "part.h" if line <= 200 else "other.cpp"
    return f"{file}:{line}"


def places(program, elf, addresses):
    done = subprocess.run([program, str(elf), *addresses], text=True, errors="replace", capture_output=True, check=False)
    assert done.returncode == 0, f"{elf.name}: ended with {done.returncode}: {done.stderr}"
    return done.stdout.splitlines()


def places_by_addr2line(elf, addresses):
    """The same by addr2line, None where it knows no line."""
    done = subprocess.run(["addr2line", "-a", "-i", "-e", str(elf), *addresses], text=True, capture_output=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        if line.startswith("0x"):
            found.append([])
        elif line.startswith("??") or line.endswith(":?"):
            found[-1] = None
        else:
            found[-1].append(place_of(int(PLACE.search(line).group(1))))
    return [None if each is None else " ".join(each) for each in found]


def code_of(elf):
    """Addresses of all instructions of the functions that the sources have."""
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(elf)], text=True, capture_output=True, check=True)
    addresses, is_ours = [], False
    for line in done.stdout.splitlines():
        function = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if function:
            is_ours = re.search(r"main|other|twice|add|sum", function.group(1)) is not None
        elif is_ours and (instruction := re.match(r" +([0-9a-f]+):", line)):
            addresses.append(instruction.group(1))
    return addresses


def main():
    program, cxx = sys.argv[1], sys.argv[2]
    for tool in "addr2line", "objdump", cxx:
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not here")
            return 77
    chance = random.Random(1)
    compared = damaged = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in ("part.h", HEADER), ("main.cpp", SOURCE), ("other.cpp", OTHER):
            (folder / file).write_text(text, encoding="utf-8")
        for flags in FLAGS:
            elf = folder / "program"
            subprocess.run([cxx, *flags.split(), "main.cpp", "other.cpp", "-o", elf], cwd=folder, check=True)
            addresses = code_of(elf)
            assert addresses, f"{flags}: no code"
            for address, got, wanted in zip(addresses, places(program, elf, addresses), places_by_addr2line(elf, addresses)):
                assert got == (wanted or ""), f"{flags}, {address}: {got!r}, and by addr2line {wanted!r}"
                compared += wanted is not None
            whole = elf.read_bytes()
            for _ in range(8):
                bytes_ = bytearray(whole[:chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
                for _ in range(chance.randrange(200)):
                    bytes_[chance.randrange(len(bytes_))] = chance.randrange(256)
                broken = folder / "broken"
                broken.write_bytes(bytes_)
                places(program, broken, chance.sample(addresses, min(20, len(addresses))))
                damaged += 1
    assert compared > 1000, f"only {compared} addresses had a line"
    print(f"{compared} addresses of {len(FLAGS)} programs have the lines that addr2line names; {damaged} damaged files were read")
    return 0


if __name__ == "__main__":
    sys.exit(main())
