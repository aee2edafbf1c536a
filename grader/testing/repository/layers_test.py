#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads each #include and fails on one that the architecture does not allow.

usage: layers_test.py ROOT
"""
import pathlib
import re
import sys
import tempfile

import tree

# The architecture: a folder may include itself and what stands below it.
LAYERS = [
    "commands", "course", "pipeline", "report", "score", "check", "observe", "run", "build", "plan", "rubric",
    "intake", "sandbox", "emulator", "cudart", "harness", "sentences", "base",
]
# Folders whose own limit is narrower than their place in the list.
ONLY = {"emulator": {"base", "cudart"}, "cudart": set()}
# Inside the emulated device: a folder may include its own row and the rows below it.
EMULATOR = [{"device"}, {"runtime"}, {"exec", "checkers", "counters", "model"}, {"ptxas"}, {"analysis"}, {"memory", "ptx"}, {"sentences"}]
# What the fakes in testing/ may know: the interfaces they stand in for.
TESTING = {"base", "sandbox", "run"}
# The parts of the engine that an assignment's trusted files may use.
CONTENT = {"driver.cu": {"base", "harness"}, "oracle.cpp": {"base", "check"}}

# Becomes an assignment by `warpgrade new`, and is judged like one: contract.h, driver.cu, oracle.cpp.
TEMPLATE = pathlib.PurePath("grader/course/templates/assignment")

# Rubrics, and the list of who handed in what in a Gradescope export, which is YAML as Ruby writes it.
YAML_FOLDERS = ["grader/rubric/", "grader/intake/downloads/"]
CUDA_FOLDERS = ["grader/cudart/", "grader/emulator/runtime/", "grader/emulator/device/", "grader/observe/", "grader/harness/"]
CUDA_HEADER = re.compile(
    r"^(cuda[\w.]*\.h|cuda/.*|cupti.*|nvml\.h|nvtx3/.*|nvToolsExt.*|(driver|vector|builtin|library|surface|texture)_types\.h"
    r"|(driver|vector|channel)_functions\.h|fatbinary\w*\.h|crt/.*|cooperative_groups.*|device_\w+\.h|mma\.h|sm_\d+_\w+\.h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    """(line number, header, quoted) of each #include in a file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(2), match.group(1) == '"'


def allowed_folders(name):
    """The folders of grader/ that the file `name` may include, or None where all are allowed."""
    parts = name.parts
    if parts[0] != "grader":
        return CONTENT.get(name.name, set())
    if len(parts) == 2:
        return None
    folder = parts[1]
    if folder == "testing":
        return TESTING | {"testing"}
    if folder not in LAYERS:
        return set()
    below = ONLY.get(folder, set(LAYERS[LAYERS.index(folder) + 1:]))
    own = below | {folder}
    return own | {"testing"} if name.stem.endswith(("_test", "_fuzzer")) else own


def cuda_is_allowed(name):
    if name.suffix in {".cu", ".cuh"}:
        return True
    contract = name.parts[0] == "assignments" and name.suffix == ".h"
    return contract or any(str(name).startswith(folder) for folder in CUDA_FOLDERS)


def row_of(path):
    """The row of EMULATOR that holds a file of the emulated device, or None."""
    parts = pathlib.PurePath(path).parts
    if parts[:1] != ("emulator",) or len(parts) < 3:
        return None
    return next((number for number, folders in enumerate(EMULATOR) if parts[1] in folders), None)


def climbs_in_emulator(name, header):
    mine, its = row_of(pathlib.PurePath(*name.parts[1:])), row_of(header)
    test = name.stem.endswith(("_test", "_fuzzer"))
    return mine is not None and its is not None and its < mine and not test


def fault(name, header, quoted, root):
    """Why `name` may not include `header`, or None."""
    if quoted and climbs_in_emulator(name, header):
        return "inside the emulated device, it stands above"
    if header.startswith("yaml-cpp/") and not any(str(name).startswith(folder) for folder in YAML_FOLDERS):
        return f"yaml-cpp is for {' and '.join(YAML_FOLDERS)} only"
    if CUDA_HEADER.match(header) and not cuda_is_allowed(name):
        return f"CUDA's headers are for *.cu, contract headers and {', '.join(CUDA_FOLDERS)}"
    if not quoted:
        return None
    folder = header.split("/")[0]
    known = folder in LAYERS or folder == "testing"
    if name.parts[0] == "grader" and (not known or "/" not in header):
        return "a path from grader/ is wanted, like \"base/result.h\""
    if not known or not (root / "grader" / folder).is_dir():
        return None
    allowed = allowed_folders(name)
    if allowed is None or folder in allowed:
        return None
    return f"{'/'.join(name.parts[:2])} stands below {folder}/ or apart from it"


def faults(root):
    root = pathlib.Path(root)
    found = []
    for name in tree.sources(root):
        place = name
        if TEMPLATE in name.parents:
            place = pathlib.PurePath("assignments/new") / name.relative_to(TEMPLATE)
        if place.parts[0] == "grader" and len(place.parts) > 2 and allowed_folders(place) == set():
            found.append(f"{name}:1: the folder {name.parts[1]}/ has no place in the list of layers")
        for number, header, quoted in includes(root / name):
            # Words for the interpreter's own generated or local tables, beside the file that includes them.
            if quoted and header.endswith(".inc"):
                continue
            reason = fault(place, header, quoted, root)
            if reason:
                found.append(f"{name}:{number}: may not include {header}: {reason}")
    return found


SELF_TEST = [
    # file, what it includes, whether that is a fault
    ("grader/base/clock.h", '"rubric/rubric.h"', True),
    ("grader/emulator/ptx/lexer.cpp", '"base/text.h"', False),
    ("grader/emulator/ptx/lexer.cpp", '"sandbox/limits.h"', True),
    ("grader/emulator/device/session.cpp", '"cudart/wire.h"', False),
    ("grader/emulator/device/session.cpp", '"emulator/runtime/machine.h"', False),
    ("grader/emulator/exec/launch.h", '"emulator/runtime/machine.h"', True),
    ("grader/emulator/memory/arena.cpp", '"emulator/exec/launch.h"', True),
    ("grader/cudart/client.cpp", '"emulator/runtime/machine.h"', True),
    ("grader/cudart/client.cpp", '"base/text.h"', True),
    ("grader/rubric/rubric.cpp", '"plan/plan.h"', True),
    ("grader/plan/plan.cpp", '"rubric/rubric.h"', False),
    ("grader/plan/plan.cpp", '"testing/fake_files.h"', True),
    ("grader/plan/plan_test.cpp", '"testing/fake_files.h"', False),
    ("grader/rubric/fuzz/settings_fuzzer.cpp", '"testing/fuzz/fuzzer.h"', False),
    ("grader/plan/plan_test.cpp", '"build/build.h"', True),
    ("grader/plan/plan.cpp", '"plan.h"', True),
    ("grader/plan/plan.cpp", "<yaml-cpp/yaml.h>", True),
    ("grader/rubric/rubric.cpp", "<yaml-cpp/yaml.h>", False),
    ("grader/intake/downloads/gradescope_list.cpp", "<yaml-cpp/parser.h>", False),
    ("grader/intake/submission.cpp", "<yaml-cpp/parser.h>", True),
    ("grader/plan/plan.cpp", "<cuda_runtime.h>", True),
    ("grader/emulator/runtime/memory/memory.cpp", "<driver_types.h>", False),
    ("grader/misc/bag.cpp", "<vector>", True),
    ("grader/main.cpp", '"course/check.h"', False),
    ("assignments/x/x.h", "<cuda_runtime.h>", False),
    ("assignments/x/oracle.cpp", '"check/oracle.h"', False),
    ("assignments/x/oracle.cpp", '"pipeline/grade.h"', True),
    ("assignments/x/oracle.cpp", "<cuda_runtime.h>", True),
    ("assignments/x/driver.cu", '"x.h"', False),
    ("skeletons/x/x.cu", '"base/npy.h"', True),
    ("reference/x/class/ann/x.cu", '"base/npy.h"', False),
]


def self_test():
    """Each row of SELF_TEST as a tree of one file: a fault must be seen, and none where there is none."""
    wrong = []
    for name, header, bad in SELF_TEST:
        with tempfile.TemporaryDirectory() as folder:
            for layer in LAYERS + ["testing"]:
                (pathlib.Path(folder) / "grader" / layer).mkdir(parents=True)
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"// nothing\n#include {header}\n", encoding="utf-8")
            if bool(faults(folder)) != bad:
                wrong.append(f"self-test: {name} including {header} {'was let pass' if bad else 'was refused'}")
    return wrong


def main():
    found = self_test() + faults(sys.argv[1])
    print("\n".join(found) if found else "every #include goes downward")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
