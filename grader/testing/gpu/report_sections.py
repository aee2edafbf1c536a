# SPDX-License-Identifier: MIT
"""What report.py measures: for each section its units, with how long they probably take and what they do."""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing

import cheats
import reference_speed
import same_outputs
import same_trace

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SEED = 7
JOBS = max(2, os.cpu_count() or 2)
REPEATS = 10
MOST_ANSWERS = 8
# What one of these takes, as seen on an H200: expectations by which a call ends in time.
TIMED_ANSWER_S = 13
COMPARED_PROGRAM_S = 0.7
TRACED_CASE_S = 0.2
REFERENCES_S = 15
START_S = 12
LAST_WORDS_S = 40
TRACE_JOBS = 4
TRACE_S = 60
MOST_LINES = 6


@dataclasses.dataclass
class Unit:
    name: str  # SECTION/UNIT
    expected_s: float
    run: typing.Callable[[float], dict]  # given how long it may take; what it raises is told in the report


@dataclasses.dataclass
class Place:
    build: pathlib.Path
    work: pathlib.Path
    earlier: typing.Callable[[str], typing.Optional[dict]]  # what a unit gave, or None
    gpus: int = 1

    def timing_s(self, answers):
        """What timing so many answers takes: all GPUs do it at once."""
        return START_S + TIMED_ANSWER_S * -(-answers // self.gpus)

    def environment(self):
        return {**os.environ, "XDG_CACHE_HOME": str(self.work / "cache")}

    def warpgrade(self, *words):
        return [str(word) for word in (self.build / "warpgrade", "--course", ROOT, *words)]


def run_gently(command, limit_s, environment):
    """Its exit status, stdout and stderr. At the limit it is asked to stop, and what it finished stays."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, err = process.communicate(timeout=limit_s)
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=LAST_WORDS_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            raise


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


def all_slugs():
    return sorted(path.stem for path in (ROOT / "rubrics").glob("*.yaml") if (ROOT / "reference" / path.stem).is_dir())


def performance_items(slug):
    """The cases of each performance item, by its id; without a YAML reader, which a GPU machine need not have."""
    text = (ROOT / "rubrics" / f"{slug}.yaml").read_text(encoding="utf-8")
    found = {}
    for item in re.split(r"\n  - (?=\{?id: )", text):
        if "kind: performance" in item:
            cases = re.search(r"\bcases: \[([^\]]*)\]", item)
            found[re.search(r"\{?id: ([\w-]+)", item).group(1)] = re.split(r", *", cases.group(1)) if cases else []
    return found


def timed_slugs(chosen):
    return [slug for slug in chosen or all_slugs() if performance_items(slug)]


def answers_of(slug):
    """Answers between which speeds differ, by the name under which each is graded."""
    folder, items = ROOT / "reference" / slug, performance_items(slug)
    found = {"reference": folder / f"{slug}.cu"}
    for part in ("ladder", "baselines", "accepted"):
        for path in sorted((folder / part).glob("*.cu")):
            found[f"{part}-{path.stem}"] = path
    for path in sorted(each for each in (folder / "mutants").glob("*.*") if each.suffix in cheats.cheats_page.PROGRAMS):
        header = path.read_text(encoding="utf-8").split("// class:")[0]
        lost = re.findall(r"[\w-]+", header.split("// expect:")[-1].replace("//", " "))
        # What is wrong as well is not timed.
        if lost and set(lost) <= set(items):
            found[f"mutants-{path.stem}"] = path
    return dict(list(found.items())[:MOST_ANSWERS])


def lay_out(place, slug, folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cheats.write_programs(place.warpgrade, slug, folder, files)


def now_ms():
    return time.monotonic_ns() // 1_000_000


def grade(place, slug, folder, results, device, limit_s):
    """The results by name, and when it began and ended."""
    start_ms = now_ms()
    status, out, err = run_gently(
        place.warpgrade("grade", slug, folder, "-o", results, "--device", device, "--jobs", JOBS, "--seed", SEED),
        limit_s, place.environment())
    found = {path.stem: json.loads(path.read_text(encoding="utf-8"))
             for path in sorted((results / "results").glob("*.json"))} if status in (0, 1) else {}
    if not found:
        raise RuntimeError(f"warpgrade grade ended with {status}: {last_line(err) or last_line(out)}")
    return found, {"start_ms": start_ms, "end_ms": now_ms()}


def shortened(result):
    """What the report keeps of a result: all that was measured, and the verdicts."""
    samples = [{"case": each["case"], "range": each["range"], "program": each["program"], "again": each["again"],
                "clocks": each["clocks"],
                "samples": [[one["round"], one["repetition"], one["kernel_ms"], one["wall_ms"], one.get("why_not", "")]
                            for one in each["samples"]]}
               for each in result["measurements"]]
    items = [{key: item[key] for key in ("id", "kind", "points", "max_points", "status", "message", "undecided", "flags")}
             for item in result["items"]]
    return {"score": result["score"], "device": result["device"], "items": items, "speeds": result["speeds"],
            "holds": result["gpu_holds"], "measurements": samples}


def graded_class(place, slug, name, files, limit_s):
    folder, results = place.work / "classes" / name, place.work / "results" / name
    lay_out(place, slug, folder, files)
    found, times = grade(place, slug, folder, results, "gpu", limit_s)
    return {**times, "graded": {student: shortened(result) for student, result in found.items()}}


def references(place, chosen):
    def run(slug, limit_s):
        out = place.work / f"references-{slug}.json"
        out.unlink(missing_ok=True)
        command = [sys.executable, "-B", HERE / "reference_speed.py", "measure", place.work / "speed", out, slug]
        status, _, err = run_gently(list(map(str, command)), limit_s, place.environment())
        data = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {"tasks": []}
        if not data["tasks"]:
            raise RuntimeError(f"reference_speed.py ended with {status}: {'; '.join(data.get('errors', [])) or last_line(err)}")
        return data

    return [Unit(f"references/{slug}", REFERENCES_S, lambda limit_s, slug=slug: run(slug, limit_s))
            for slug in reference_speed.slugs() if not chosen or slug in chosen]


def agreement(place, chosen):
    def run(slug, limit_s):
        status, out, err = run_gently(
            place.warpgrade("check", slug, "--device", "gpu", "--untimed", "--format", "json", "--seed", SEED, "--jobs", JOBS),
            limit_s, place.environment())
        report = json.loads(out)["assignments"][0] if out.startswith("{") else {}
        rows = [{key: row[key] for key in ("role", "name", "complaint", "compared", "disagreements")}
                for row in report.get("submissions", []) if row.get("compared")]
        if not rows:
            raise RuntimeError(f"warpgrade check ended with {status}: {last_line(err) or report.get('error', '')}")
        silent = [{"role": row["role"], "name": row["name"], "cases": len(row["unobserved"]), "why": row["unobserved"][0]["why"]}
                  for row in report["submissions"] if row.get("unobserved")]
        return {"submissions": len(report["submissions"]), "compared": rows, "silent": silent}

    def programs(slug):
        folder = ROOT / "reference" / slug
        return sum(1 for part in ("mutants", "accepted", "exploits", "class") for _ in (folder / part).glob("*")) + 2

    return [Unit(f"agreement/{slug}", START_S + COMPARED_PROGRAM_S * programs(slug),
                 lambda limit_s, slug=slug: run(slug, limit_s)) for slug in chosen or all_slugs()]


def speeds(place, chosen):
    return [Unit(f"speeds/{slug}", place.timing_s(len(answers_of(slug))),
                 lambda limit_s, slug=slug: graded_class(place, slug, f"speeds-{slug}", answers_of(slug), limit_s))
            for slug in timed_slugs(chosen)]


def measured_in_part(result):
    """Whether some item was measured and earned a part of its points."""
    measured = {speed["item"] for speed in result["speeds"] if speed["measured"] is not None}
    return any(item["status"] == "partial" and item["id"] in measured for item in result["items"])


def answer_to_repeat(slug, earlier):
    """One that earned a part of some item's points for speed, as full points are easily the same; else the reference."""
    graded = (earlier or {}).get("graded", {})
    return next((name for name in answers_of(slug) if name in graded and measured_in_part(graded[name])), "reference")


def repeat(place, chosen):
    def run(slug, limit_s):
        name = answer_to_repeat(slug, place.earlier(f"speeds/{slug}"))
        files = {f"run-{number:02}": answers_of(slug)[name] for number in range(1, REPEATS + 1)}
        # Another answer than that of a call before would be taken for its results otherwise.
        return {"answer": name, **graded_class(place, slug, f"repeat-{slug}-{name}", files, limit_s)}

    return [Unit(f"repeat/{slug}", place.timing_s(REPEATS),
                 lambda limit_s, slug=slug: run(slug, limit_s)) for slug in timed_slugs(chosen)]


def cheat_slugs(chosen):
    return [slug for slug in chosen or all_slugs() if cheats.exploits_of(slug)]


def cheating(place, chosen):
    def run(slug, limit_s):
        files = cheats.exploits_of(slug)
        data = graded_class(place, slug, f"cheats-{slug}", files, limit_s)
        for name, result in data["graded"].items():
            result["complaint"] = cheats.complaint(result, cheats.wanted(files[name]))
        data["missing"] = sorted(set(files) - set(data["graded"]))
        return data

    return [Unit(f"cheats/{slug}", place.timing_s(len(cheats.exploits_of(slug))),
                 lambda limit_s, slug=slug: run(slug, limit_s)) for slug in cheat_slugs(chosen)]


def traced_case(place, program, case, folder):
    """How many records of the two traces are the same, and the first that are not."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([place.build / "assignments" / f"oracle-{case['slug']}", "inputs", folder, "--seed", str(SEED),
                    "--family", case["family"], *case["numbers"]], check=True, capture_output=True, timeout=TRACE_S)
    lines = []
    command = [program, *case["words"]]
    for run in (lambda more: same_trace.on_emulated_device(place.build, command, more),
                lambda more: same_trace.on_gpu(place.build, None, command, "trace", more)):
        (folder / "out").mkdir()
        lines.append(same_trace.lines_of(run({"WARPGRADE_CASE": str(folder), "WARPGRADE_DEVICES": same_outputs.DEVICE,
                                              "CUDA_VISIBLE_DEVICES": "0"})))
        shutil.rmtree(folder / "out")
    shutil.rmtree(folder, ignore_errors=True)
    # A program that leaves its device alone leaves no trace.
    if not lines[1] and set(lines[0]) <= {"exit: "}:
        lines[0] = []
    elif not lines[1]:
        raise RuntimeError(f"{case['case']}: the GPU's trace is empty")
    same, only_emulated, only_gpu = same_trace.differences(*lines)
    return {"case": case["case"], "same": same, "only_emulated": only_emulated[:MOST_LINES], "only_gpu": only_gpu[:MOST_LINES],
            "different": [len(only_emulated), len(only_gpu)]}


def traces(place, chosen):
    index = place.work / "traces" / "index.json"
    cases = json.loads(index.read_text(encoding="utf-8")) if index.exists() else []

    def run(slug, _):
        mine = [case for case in cases if case["slug"] == slug]
        if not mine:
            raise RuntimeError("no programs: report.py prepare makes them")
        with concurrent.futures.ThreadPoolExecutor(TRACE_JOBS) as pool:
            jobs = [pool.submit(traced_case, place, place.work / "traces" / slug, case,
                                place.work / "cases" / f"{slug}-{number}") for number, case in enumerate(mine)]
            return {"cases": [job.result() for job in jobs]}

    return [Unit(f"traces/{slug}", START_S / 3 + TRACED_CASE_S * sum(case["slug"] == slug for case in cases),
                 lambda limit_s, slug=slug: run(slug, limit_s)) for slug in chosen or all_slugs()]


# Counters by the names that rubrics have for them; those that the emulated device has as well.
HARDWARE = ["global_load_efficiency", "global_store_efficiency", "sectors_per_global_load", "sectors_per_global_store",
            "shared_bank_conflicts_per_access", "achieved_occupancy", "dram_bytes", "dram_read_bytes", "dram_write_bytes",
            "l1_hit_rate", "l2_hit_rate", "branch_uniformity", "active_threads_per_warp", "local_memory_instructions",
            "tensor_instructions"]
ON_BOTH = ["sectors_per_global_load", "sectors_per_global_store"]
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
INSTRUMENTED = ["matmul-tiled", "vecadd"]
INSTRUMENTS_S = 40


def instrument_items(slug):
    """Lines for the end of the assignment's rubric: an item without points for each counter and each tool."""
    text = (ROOT / "rubrics" / f"{slug}.yaml").read_text(encoding="utf-8")
    name = re.search(r"metric: \{range: ([\w-]+), name: speedup", text).group(1)
    case = sorted(case for cases in performance_items(slug).values() for case in cases)[0]
    first = re.search(r"- \{id: ([\w-]+), visibility: public", text).group(1)
    # A curve, as an item with one tells the number.
    item = "  - {{id: {0}, title: {0}, kind: efficiency, points: 0, cases: [{1}], metric: {{range: {2}, name: {3}, source: {4}}}, " \
           "curve: {{interpolation: linear, points: [[0, 0.5], [1, 1]]}}}}\n"
    lines = [item.format(f"hardware-{each}".replace("_", "-"), case, name, each, "hardware") for each in HARDWARE]
    lines += [item.format(f"emulated-{each}".replace("_", "-"), case, name, each, "emulated") for each in ON_BOTH]
    lines += [f"  - {{id: tool-{each}, title: {each}, kind: requirement, points: 0, cases: [{first}], "
              f"rules: [{{sanitizer: {{tools: [{each}]}}}}]}}\n" for each in TOOLS]
    return "".join(lines)


def course_with(place, slug):
    """The course, but for one rubric, which asks for all that the instruments can tell."""
    folder = place.work / "instruments" / slug
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "course").mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name not in ("rubrics", "build"):
            (folder / "course" / path.name).symlink_to(path)
    shutil.copytree(ROOT / "rubrics", folder / "course" / "rubrics")
    with (folder / "course" / "rubrics" / f"{slug}.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(instrument_items(slug))
    return folder


def instruments(place, chosen):
    def run(slug, limit_s):
        folder = course_with(place, slug)
        command = [place.build / "warpgrade", "--course", folder / "course", "grade", slug, answers_of(slug)["reference"], "-o",
                   folder / "results", "--device", "gpu", "--jobs", JOBS, "--seed", SEED]
        status, out, err = run_gently(list(map(str, command)), limit_s, place.environment())
        files = sorted((folder / "results" / "results").glob("*.json"))
        if not files:
            raise RuntimeError(f"warpgrade grade ended with {status}: {last_line(err) or last_line(out)}")
        items = {item["id"]: f"{item['status']}: {item['message']}"
                 for item in json.loads(files[0].read_text(encoding="utf-8"))["items"]}

        def said(kind, name):
            return items.get(f"{kind}-{name}".replace("_", "-"), "")

        rows = [{"what": "counter", "name": each, "gpu": said("hardware", each),
                 "emulated": said("emulated", each) if each in ON_BOTH else ""} for each in HARDWARE]
        return {"rows": rows + [{"what": "tool", "name": each, "gpu": said("tool", each), "emulated": ""} for each in TOOLS]}

    return [Unit(f"instruments/{slug}", INSTRUMENTS_S, lambda limit_s, slug=slug: run(slug, limit_s))
            for slug in INSTRUMENTED if not chosen or slug in chosen]


SECTIONS = {"references": references, "agreement": agreement, "speeds": speeds, "repeat": repeat, "cheats": cheating,
            "traces": traces, "instruments": instruments}


def prepare_traces(build, folder, slugs):
    """The model answers, and what each is to run with: on one device, as the GPU machine may have only one."""
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for slug in slugs:
        shutil.copy(build / "reference" / f"reference-{slug}", folder / slug)
        for case in same_outputs.rubric_of(ROOT, slug)["cases"]:
            args = same_outputs.args_of(case)
            with tempfile.TemporaryDirectory() as box:
                status = same_outputs.prepare_case(build, folder / slug, slug, case, pathlib.Path(box) / "case")["status"]
            # It is about other devices: one with less memory, or a second one.
            if status != 0:
                print(f"not traced: {slug} {case['id']} ends with {status} on one {same_outputs.DEVICE}", flush=True)
                continue
            index.append({"slug": slug, "case": str(case["id"]), "family": case["family"],
                          "numbers": [f"{name}={value}" for name, value in args.items() if isinstance(value, int)],
                          "words": [str(value) for value in args.values()]})
    (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")
    return len(index)


def prepare(build, work, chosen):
    """Compiles what the GPU machine would have to, and proves here that it is right. Exit status."""
    work.mkdir(parents=True, exist_ok=True)
    place = Place(build, work, lambda name: None)
    subprocess.run([sys.executable, "-B", HERE / "reference_speed.py", "build", work / "speed",
                    *(slug for slug in chosen if slug in reference_speed.slugs())], check=True)
    print(f"{prepare_traces(build, work / 'traces', chosen or all_slugs())} cases to trace", flush=True)
    proved = subprocess.run(place.warpgrade("check", *chosen, "--seed", SEED), env=place.environment(), check=False).returncode
    for slug in timed_slugs(chosen):
        lay_out(place, slug, work / "classes" / slug, answers_of(slug))
        shutil.rmtree(work / "results" / slug, ignore_errors=True)
        grade(place, slug, work / "classes" / slug, work / "results" / slug, "emulated", None)
        print(f"{slug}: {len(answers_of(slug))} answers of different speed", flush=True)
    return proved
