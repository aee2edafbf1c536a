#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures on a GPU machine all that docs/gpu.md tells, and writes it there.

usage: report.py prepare BUILD WORK [SLUG...] where the tree was built: what is compiled before
       report.py measure BUILD WORK FILE [--only SECTION,...] [--budget SECONDS] [SLUG...]
                                              on the GPU machine: what FILE lacks yet
       report.py page FILE PAGE               writes the sections that FILE has anything of into PAGE
       report.py all BUILD PAGE               all three, where the machine has both

A section consists of units, mostly one for each assignment. FILE (JSON) is written after each, and a unit
that it has already is not measured again; so a command that was stopped goes on where it was. With a budget,
a unit that will probably take longer than what is left of it is left for the next call. One that failed
is tried again. Exit status: 0 where nothing is left, 1 where something is or failed, 77 without a GPU.
"""
import datetime
import json
import pathlib
import subprocess
import sys
import time

import report_page
import report_sections

SKIP = 77
SCHEMA = 1
# A unit that takes this many times as long as expected is ended.
PATIENCE = 4


def probe(build):
    """The machine's GPUs and driver, as gpu-probe tells them."""
    try:
        done = subprocess.run([build / "grader/run/gpu/gpu-probe"], capture_output=True, text=True, timeout=30,
                              check=False)
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as problem:
        return {"gpus": [], "error": f"gpu-probe: {problem}"}


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def machine_of(build, found):
    """What the page names, and the whole of what was found out."""
    gpus = found["gpus"]
    nvcc = output_of("nvcc", "--version").splitlines()
    return {"gpu": gpus[0]["name"], "gpus": len(gpus), "driver": found.get("driver", ""), "cuda": found.get("cuda", ""),
            "nvcc": nvcc[-1] if nvcc else "", "date": datetime.date.today().isoformat(), "probe": found,
            "doctor": output_of(build / "warpgrade", "--course", report_sections.ROOT, "doctor", "--format", "json")}


class Report:
    """What FILE holds: machines, and units by the name SECTION/UNIT."""

    def __init__(self, path):
        self.path = path
        self.data = {"schema": SCHEMA, "machines": [], "units": {}}
        if path.exists():
            self.data = json.loads(path.read_text(encoding="utf-8"))
            if self.data.get("schema") != SCHEMA:
                raise ValueError(f"{path} was written by another version of this program")

    def save(self):
        beside = self.path.with_name(self.path.name + ".new")
        beside.write_text(json.dumps(self.data), encoding="utf-8")
        beside.replace(self.path)

    def note_machine(self, machine):
        """Its number: the same for the same GPU, driver and toolkit."""
        same = ("gpu", "driver", "cuda", "nvcc", "date")
        for number, known in enumerate(self.data["machines"]):
            if all(known[key] == machine[key] for key in same):
                return number
        self.data["machines"].append(machine)
        return len(self.data["machines"]) - 1

    def has(self, name):
        return self.data["units"].get(name, {}).get("why") == ""

    def unit(self, name):
        return self.data["units"].get(name, {}).get("data")


def run_unit(unit, report, machine, limit_s):
    """One unit's record. Whatever goes wrong in it is told there, and ends nothing else."""
    started = time.monotonic()
    why, data = "", None
    try:
        data = unit.run(limit_s)
    except subprocess.TimeoutExpired:
        why = f"it was ended after {limit_s:.0f} s"
    except Exception as problem:  # pylint: disable=broad-except
        why = f"{type(problem).__name__}: {problem}"
    report.data["units"][unit.name] = {"machine": machine, "seconds": round(time.monotonic() - started, 1), "why": why,
                                       "data": data}
    report.save()
    return why


def measure(build, work, file, sections, budget_s, slugs):
    found = probe(build)
    if not found.get("gpus"):
        print("there is no GPU:", found.get("error", ""))
        return SKIP
    report = Report(file)
    machine = report.note_machine(machine_of(build, found))
    place = report_sections.Place(build, work, report.unit, len(found["gpus"]))
    begun = time.monotonic()
    not_done = 0
    for section in sections:
        for unit in report_sections.SECTIONS[section](place, slugs):
            if report.has(unit.name):
                continue
            left_s = budget_s - (time.monotonic() - begun)
            if left_s < unit.expected_s:
                print(f"{unit.name}: left for another call ({unit.expected_s:.0f} s wanted, {left_s:.0f} s left)", flush=True)
                not_done += 1
                continue
            why = run_unit(unit, report, machine, min(left_s, PATIENCE * unit.expected_s))
            not_done += why != ""
            seconds = report.data["units"][unit.name]["seconds"]
            print(f"{unit.name}: {why or 'done'} ({seconds} s, {unit.expected_s:.0f} s expected)", flush=True)
    return 1 if not_done else 0


def write_page(file, page):
    text = page.read_text(encoding="utf-8")
    page.write_text(report_page.written_into(text, json.loads(file.read_text(encoding="utf-8"))), encoding="utf-8")


def take_option(words, name, otherwise):
    if name not in words:
        return otherwise
    at = words.index(name)
    value = words[at + 1]
    del words[at:at + 2]
    return value


def measure_command(words):
    sections = take_option(words, "--only", ",".join(report_sections.SECTIONS)).split(",")
    budget_s = float(take_option(words, "--budget", "inf"))
    unknown = [name for name in sections if name not in report_sections.SECTIONS]
    if unknown or len(words) < 3:
        print(f"sections: {', '.join(report_sections.SECTIONS)}" if unknown else __doc__.strip())
        return 2
    build, work, file = (pathlib.Path(word).resolve() for word in words[:3])
    return measure(build, work, file, sections, budget_s, words[3:])


def all_command(build, page):
    if not probe(build).get("gpus"):
        print("there is no GPU:", probe(build).get("error", ""))
        return SKIP
    work, file = build / "gpu-report", build / "gpu-report.json"
    report_sections.prepare(build, work, [])
    status = measure(build, work, file, list(report_sections.SECTIONS), float("inf"), [])
    write_page(file, page)
    return status


def main(words):
    command, rest = (words[0], words[1:]) if words else ("", [])
    if command == "prepare" and len(rest) >= 2:
        return report_sections.prepare(*(pathlib.Path(word).resolve() for word in rest[:2]), rest[2:])
    if command == "measure":
        return measure_command(rest)
    if command == "page" and len(rest) == 2:
        write_page(*map(pathlib.Path, rest))
        return 0
    if command == "all" and len(rest) == 2:
        return all_command(*(pathlib.Path(word).resolve() for word in rest))
    print(__doc__.strip())
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
