#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves that each model answer's binary, unchanged, gives on a real GPU under NVIDIA's libcudart what
it gives on the emulated device, in every case of its rubric.

usage: same_outputs.py prepare BUILD DIR [SLUG...]   here: the cases and the emulated device's outputs
       same_outputs.py compare DIR [LIBRARIES]       on a GPU machine: the same binaries, on its GPU;
                                                     LIBRARIES is the folder of NVIDIA's libcudart.so.13

Only what the rubric compares is compared: bytes where it asks for exact results, elsewhere numbers
within its tolerance (sums by atomics come in another order). Both sides run as on one H200.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

SEED = 7
DEVICE = "H200"
MAJOR = 9
# A dot product's is the error of that many terms, which is above this for any length.
DOT_PRODUCT = {"relative": 1e-6}
WALL_S = 60


def rubric_of(course, slug):
    import yaml  # only here: the GPU machine need not have it

    text = (course / "rubrics" / f"{slug}.yaml").read_text()
    return yaml.safe_load(text)


def compared_arrays(rubric, case_id):
    """The strictest tolerance of each array that the rubric compares in this case."""
    tolerances = {}
    for item in rubric["items"]:
        cases = item.get("cases", [])
        if cases != "all" and case_id not in cases:
            continue
        for output in item.get("outputs", []):
            tolerance = output.get("tolerance", "exact")
            if "dot_product" in tolerance:
                tolerance = DOT_PRODUCT
            if tolerances.get(output["array"]) != "exact":
                tolerances[output["array"]] = tolerance
    return tolerances


def args_of(case):
    """The one GPU there stands in for the emulated machine's devices."""
    return {name: MAJOR if name == "major" else value for name, value in case["args"].items()}


def run(program, folder, words, environment):
    """The exit status; the folder's out/ holds what the program wrote."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    environment = {**os.environ, **environment, "WARPGRADE_CASE": str(folder)}
    with open(folder / "stdout", "wb") as out:
        try:
            return subprocess.run([program, *words], env=environment, stdout=out,
                                  stderr=subprocess.STDOUT, cwd=folder, timeout=WALL_S).returncode
        except subprocess.TimeoutExpired:
            return "timed out"


def prepare_case(build, program, slug, case, folder):
    folder.mkdir(parents=True)
    args = args_of(case)
    numbers = [f"{name}={value}" for name, value in args.items() if isinstance(value, int)]
    subprocess.run([build / "assignments" / f"oracle-{slug}", "inputs", folder, "--seed", str(SEED),
                    "--family", case["family"], *numbers], check=True)
    words = [str(value) for value in args.values()]
    status = run(program, folder, words, {
        "LD_LIBRARY_PATH": str(build / "grader/cudart"),
        "WARPGRADE_DEVICES": DEVICE, "WARPGRADE_QUIET": "1", "WARPGRADE_CHECK": "none"})
    (folder / "out").rename(folder / "emulated")
    return {"words": words, "status": status}


def prepare(build, target, slugs):
    course = pathlib.Path(__file__).resolve().parents[3]
    slugs = slugs or sorted(path.parent.name for path in course.glob("assignments/*/oracle.cpp"))
    shutil.rmtree(target, ignore_errors=True)
    index = []
    for slug in slugs:
        rubric = rubric_of(course, slug)
        program = target / slug / "program"
        program.parent.mkdir(parents=True)
        shutil.copy(build / "reference" / f"reference-{slug}", program)
        for case in rubric["cases"]:
            case_id = str(case["id"])
            facts = prepare_case(build, program, slug, case, target / slug / case_id)
            if facts["status"] != 0:
                print(f"left out: {slug} {case_id} ends with {facts['status']} on one {DEVICE}")
                continue
            index.append({"slug": slug, "case": case_id, "words": facts["words"],
                          "arrays": compared_arrays(rubric, case_id)})
    (target / "index.json").write_text(json.dumps(index))
    print(f"prepared {len(index)} cases of {len(slugs)} assignments in {target}")


def numbers_of(path):
    import numpy

    return numpy.load(path).astype(float)


def same(emulated, measured, tolerance):
    if not measured.exists():
        return False
    if emulated.read_bytes() == measured.read_bytes():
        return True
    if tolerance == "exact":
        return False
    wanted, got = numbers_of(emulated), numbers_of(measured)
    limit = tolerance.get("absolute", 0) + float(tolerance.get("relative", 0)) * abs(wanted)
    return wanted.shape == got.shape and bool((abs(wanted - got) <= limit).all())


def compare(target, libraries):
    path = ":".join(filter(None, [libraries, os.environ.get("LD_LIBRARY_PATH", "")]))
    equal, different = 0, []
    for entry in json.loads((target / "index.json").read_text()):
        folder = target / entry["slug"] / entry["case"]
        name = f"{entry['slug']} {entry['case']}"
        status = run(target / entry["slug"] / "program", folder, entry["words"],
                     {"LD_LIBRARY_PATH": path})
        if status != 0:
            different.append(f"{name}: exit status {status}")
        for array, tolerance in entry["arrays"].items():
            emulated = folder / "emulated" / f"{array}.npy"
            if not emulated.exists():
                continue
            if same(emulated, folder / "out" / f"{array}.npy", tolerance):
                equal += 1
            else:
                different.append(f"{name}: {array}")
    for line in different:
        print("different:", line)
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                         capture_output=True, text=True).stdout.strip()
    print(f"{gpu}: {equal} outputs the same, {len(different)} different")
    return 0 if equal and not different else 1


def main(words):
    if len(words) >= 3 and words[0] == "prepare":
        return prepare(pathlib.Path(words[1]).resolve(), pathlib.Path(words[2]).resolve(), words[3:])
    if len(words) in (2, 3) and words[0] == "compare":
        return compare(pathlib.Path(words[1]).resolve(),
                       words[2] if len(words) == 3 else "/usr/local/cuda/lib64")
    print(__doc__.strip())
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
