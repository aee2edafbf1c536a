#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows where the trace of a program on a real GPU differs from that on the emulated device.

usage: same_trace.py BUILD LIBRARIES PROGRAM [ARGUMENT...]   on a GPU machine; LIBRARIES is the folder of NVIDIA's
                                                             libcudart.so.13 and libcupti.so.13
       same_trace.py --timing BUILD LIBRARIES PROGRAM ...    prints what the timed pass measures there
       same_trace.py --traces EMULATED GPU                   compares two traces that were kept

PROGRAM was built with -cudart shared. Addresses count as the same where they lie as far into the same allocation.
What only one side can know is left out: times, counters, findings, which memory was only read.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import reference_speed

POINTERS = ("ptr", "dst", "src")
# Writers of single bytes are known to the emulated device alone.
LEFT_OUT = ("ms", "symbol", "origins", "origin_runs")
WALL_S = 60


class Addresses:
    """Names device addresses by the allocation that they lie in."""

    def __init__(self):
        self.live = []
        self.count = 0

    def note(self, call):
        args = call["args"]
        if call["result"] == 0 and call["name"].startswith("cudaMalloc") and args.get("ptr"):
            rows = args.get("height", 1) * max(1, args.get("depth", 1))
            size = args.get("pitch", 0) * rows or args.get("size", 0)
            self.count += 1
            self.live.append((args["ptr"], size, f"a{self.count}"))
        if call["name"].startswith("cudaFree"):
            self.live = [one for one in self.live if one[0] != args.get("ptr")]

    def name(self, address):
        for start, size, name in self.live:
            if start <= address < start + size:
                return f"{name}+{address - start}"
        return "elsewhere" if address else "null"


def words(parameter, addresses):
    """A parameter's bytes with the addresses in it named."""
    data = bytes.fromhex(parameter)
    parts = []
    for at in range(0, len(data), 8):
        word = data[at:at + 8]
        name = addresses.name(int.from_bytes(word, "little")) if len(word) == 8 else "elsewhere"
        parts.append(word.hex() if name in ("elsewhere", "null") else name)
    return " ".join(parts)


def lines_of(text):
    """The trace's records, one line of text each, as far as both sides can know them."""
    addresses, lines = Addresses(), []
    for record in map(json.loads, text.splitlines()):
        if record["type"] == "api":
            named = {key: value for key, value in record["args"].items() if key not in LEFT_OUT}
            freed = {key: addresses.name(value) for key, value in named.items() if key in POINTERS}
            addresses.note(record)
            known = {key: addresses.name(named[key]) if freed[key] == "elsewhere" else freed[key] for key in freed}
            args = dict(sorted({**named, **known}.items()))
            lines.append(f'{record["range"]}: {record["name"]} -> {record["result"]} {json.dumps(args)}')
        elif record["type"] == "launch":
            shown = {key: record[key] for key in ("stream", "grid", "block", "dynamic_shared_bytes", "static_shared_bytes")}
            shown["params"] = [words(parameter, addresses) for parameter in record["params"]]
            shown["written"] = sorted(addresses.name(one["ptr"]) for one in record["memory"] if one["written"])
            shown["padding_written"] = sorted(addresses.name(one["ptr"]) for one in record["memory"] if one["padding_written"])
            lines.append(f'{record["range"]}: launch {record["kernel"]} -> {record["result"]} {json.dumps(shown)}')
        elif record["type"] in ("error", "exit"):
            lines.append(record["type"] + ": " + record.get("message", ""))
    return lines


def run(program, environment):
    """The trace that it leaves; empty where it leaves none."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        done = subprocess.run(program, env={**os.environ, **environment, "WARPGRADE_TRACE": str(trace)}, check=False,
                              capture_output=True, timeout=WALL_S)
        if done.returncode:
            print(f"{program[0]} under {environment['LD_LIBRARY_PATH']}: exit status {done.returncode}", file=sys.stderr)
        return trace.read_text() if trace.exists() else ""


def on_emulated_device(build, program, more=()):
    library = build / "grader/cudart"
    return run(program, {"LD_LIBRARY_PATH": str(library), "NVTX_INJECTION64_PATH": str(library / "libcudart.so.13"),
                         "WARPGRADE_QUIET": "1", **dict(more)})


def on_gpu(build, libraries, program, mode, more=()):
    """`libraries`: where NVIDIA's are, or None: in the toolkit of the nvcc on PATH."""
    folders = [str(libraries)] if libraries else reference_speed.toolkit_libraries()
    cupti = next((path for folder in folders if (path := pathlib.Path(folder) / "libcupti.so.13").exists()), "")
    library = str(build / "grader/observe/injection/libwarpgrade-trace.so")
    return run(program, {"LD_LIBRARY_PATH": ":".join(folders), "CUDA_INJECTION64_PATH": library,
                         "NVTX_INJECTION64_PATH": library, "WARPGRADE_CUPTI": str(cupti),
                         "WARPGRADE_TRACE_MODE": mode, **dict(more)})


def differences(emulated, gpu):
    """How many lines are the same, and those that only one side has; lines may change places between threads."""
    mine, theirs = collections.Counter(emulated), collections.Counter(gpu)
    only = [list((one - other).elements()) for one, other in ((mine, theirs), (theirs, mine))]
    return sum((mine & theirs).values()), *only


def compare(emulated, gpu):
    same, only_emulated, only_gpu = differences(emulated, gpu)
    for side, lines in (("emulated", only_emulated), ("gpu     ", only_gpu)):
        for line in lines:
            print(f"{side}  {line}")
    print(f"{same} records are the same, {len(only_emulated)} differ on the emulated device, {len(only_gpu)} on the GPU")
    return 0 if emulated == gpu else 1


def main():
    words_given = sys.argv[1:]
    if len(words_given) == 3 and words_given[0] == "--traces":
        return compare(*(lines_of(pathlib.Path(path).read_text()) for path in words_given[1:]))
    timing = words_given[:1] == ["--timing"]
    if timing:
        words_given = words_given[1:]
    if len(words_given) < 3:
        print(__doc__)
        return 2
    build, libraries, program = pathlib.Path(words_given[0]).resolve(), pathlib.Path(words_given[1]).resolve(), words_given[2:]
    if timing:
        print(on_gpu(build, libraries, program, "timing"), end="")
        return 0
    return compare(lines_of(on_emulated_device(build, program)), lines_of(on_gpu(build, libraries, program, "trace")))


if __name__ == "__main__":
    sys.exit(main())
