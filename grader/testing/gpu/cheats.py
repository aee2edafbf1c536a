#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grades every exploit of the course on this machine's GPU and compares what it loses with its header.

usage: cheats.py BUILD [SLUG...]

What must be lost there is the list behind "// on a GPU:", or else that behind "// expect:". An item is
lost where it does not pass; one that waits for a human earns nothing and counts as lost where the
header names it. Exits with 77 where there is no GPU.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "grader/course"))
import cheats_page  # noqa: E402


def has_gpu(build):
    probe = subprocess.run([build / "grader/run/gpu/gpu-probe"], capture_output=True, text=True, timeout=30, check=False)
    return probe.returncode == 0 and bool(json.loads(probe.stdout)["gpus"])


def exploits_of(slug):
    """The files of an assignment's exploits, whole programs and patches, by name."""
    folder = ROOT / "reference" / slug / "exploits"
    return {path.stem: path for path in sorted(folder.glob("*")) if path.suffix in cheats_page.PROGRAMS}


def write_programs(warpgrade, slug, folder, files):
    """Writes the whole program of each file as NAME.cu; warpgrade(*words) is a command line."""
    for name, path in files.items():
        if path.suffix == ".patch":
            with (folder / f"{name}.cu").open("wb") as program:
                subprocess.run(warpgrade("mutant", slug, path.stem), stdout=program, check=True)
        else:
            shutil.copy(path, folder / f"{name}.cu")


def wanted(path):
    """Items that must not pass on a GPU."""
    lines = cheats_page.header(path.read_text())
    lists = {line.split(":")[0]: line.split(":", 1)[1] for line in lines if ":" in line}
    items = lists.get("// on a GPU", lists.get("// expect", ""))
    return {item.strip() for item in items.split(",")} - {"nothing", ""}


def complaint(result, items):
    status = {item["id"]: item["status"] for item in result["items"]}
    lost = {name for name, ended in status.items() if ended not in ("passed", "pending")}
    kept = {name for name in items if status.get(name) == "passed"}
    broken = {name for name, ended in status.items() if ended == "system_error"}
    parts = [f"{words} {', '.join(sorted(names))}" for words, names in
             (("could not be graded:", broken), ("does not lose", kept), ("loses", lost - items - broken)) if names]
    return "; ".join(parts)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not has_gpu(build):
        print("there is no GPU")
        return SKIP
    failed = False
    slugs = sys.argv[2:] or sorted({path.parent.name for path in ROOT.glob("reference/*/exploits")})

    def warpgrade(*words):
        return [build / "warpgrade", "--course", ROOT, *words]

    for slug in slugs:
        files = exploits_of(slug)
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as results:
            write_programs(warpgrade, slug, pathlib.Path(folder), files)
            subprocess.run(warpgrade("grade", slug, folder, "-o", results, "--device", "gpu"), check=False)
            for name, path in files.items():
                result = pathlib.Path(results) / "results" / f"{name}.json"
                wrong = complaint(json.loads(result.read_text()), wanted(path)) if result.is_file() else "was not graded"
                failed = failed or bool(wrong)
                print(f"{slug}/{name}: {wrong or 'as it should'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
