#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drives report.py against programs that stand in for the grader and the GPU; report_test.md is the page it must write.

usage: report_test.py [--update]
"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import report  # noqa: E402
import report_page  # noqa: E402
import report_sections  # noqa: E402
import speed_tables  # noqa: E402

GOLDEN = HERE / "report_test.md"
UPDATE = "--update" in sys.argv

PROBE = {"driver": "580.1", "cuda": "13.0", "error": "",
         "gpus": [{"index": 0, "uuid": "GPU-1", "name": "NVIDIA H200", "major": 9, "minor": 0}]}

# Grades what lies in the folder: the speed is told by a number in each file, the case "slow" in it takes longer.
WARPGRADE = '''#!/usr/bin/env python3
import json, pathlib, re, sys
words = sys.argv[3:]
if words[0] == "doctor":
    print(json.dumps({"ok": True}))
    sys.exit(0)
if words[0] == "check":
    assert words[2:7] == ["--device", "gpu", "--untimed", "--format", "json"], words
    if words[1] == "broken":
        sys.exit("no GPU judged anything: see warpgrade doctor")
    row = {"role": "mutant", "name": "no-guard", "complaint": "", "compared": {"correctness": 4, "requirement": 2},
           "disagreements": [{"kind": "requirement", "item": "pitch", "case": case, "emulated": "failed: a | b",
                              "gpu": "passed"} for case in ("wide", "tall")]}
    row["disagreements"].append({"kind": "correctness", "item": "sum", "case": "wide", "emulated": "failed: c", "gpu": "passed",
                                 "checker": "race"})
    right = {"role": "reference", "name": "(reference)", "complaint": "", "compared": {"correctness": 4, "efficiency": 1},
             "disagreements": [], "unobserved": [{"case": "tiny", "why": "the program crashed"}, {"case": "odd", "why": "x"}]}
    exploit = {"role": "exploit", "name": "hides", "complaint": "", "compared": {"correctness": 4},
               "disagreements": [{"kind": "correctness", "item": "sum", "case": "wide", "emulated": "passed", "gpu": "failed: d"}]}
    print(json.dumps({"assignments": [{"error": "", "submissions": [row, right, exploit, {"role": "broken"}]}]}))
    sys.exit(1)
folder, out = pathlib.Path(words[2]), pathlib.Path(words[4]) / "results"
out.mkdir(parents=True, exist_ok=True)
(out.parent / "words").write_text(" ".join(words[5:]))
if folder.is_file():
    asked = re.findall("id: ((?:hardware|emulated|tool)-[a-z0-9-]+),", (pathlib.Path(sys.argv[2]) / "rubrics/vecadd.yaml").read_text())
    items = [{"id": each, "status": "passed", "message": f"case 'large': {each.split('-', 1)[1].replace('-', '_')} is 4.5e+03"
              if not each.startswith("tool") else ""} for each in asked]
    items[4].update(status="failed", message="case 'large': no kernel in \\"add\\" has a value")
    items[-1].update(status="failed", message="synccheck found a barrier")
    (out / "vecadd.json").write_text(json.dumps({"items": items}))
    sys.exit(0)
for number, path in enumerate(sorted(folder.glob("*.cu"))):
    speed = float(path.read_text().split()[0])
    points = min(10, round(2 * speed) / 2)
    start = 2000 + 4000 * number
    short = "short" in path.read_text()
    item = {"id": "speed", "kind": "performance", "points": points, "max_points": 10, "undecided": False,
            "status": "pending" if short else "passed" if points == 10 else "partial",
            "message": "too short to time: 1 | 2 ms\\nHint: h" if short else "m",
            "flags": [{"what": "work outside", "evidence": "e"}] if "cheat" in path.read_text() else []}
    sample = {"round": 0, "repetition": 1, "kernel_ms": 1 / speed, "wall_ms": 2 / speed}
    (out / f"{path.stem}.json").write_text(json.dumps(
        {"score": points, "device": {"kind": "gpu"}, "items": [item],
         "speeds": [{"item": "speed", "case": "large", "modelled": speed * 1.5, "measured": None if short else speed + number % 2 / 100},
                    {"item": "speed", "case": "huge", "modelled": 1, "measured": None}],
         "gpu_holds": [{"gpu": "GPU-1", "alone": False, "start_ms": start - 500, "end_ms": start},
                       {"gpu": "GPU-1", "alone": True, "start_ms": start, "end_ms": start + 3000}],
         "measurements": [{"case": "large", "range": "r", "program": "student", "again": False, "clocks": {},
                           "samples": [sample]}]}))
'''

SPEED = '''#!/bin/sh
cat <<'END'
{"device": "NVIDIA H200", "compute_capability": "9.0", "multiprocessors": 132, "clock_mhz": 1980, "peak_gb_per_s": 4800.0, "cuda_runtime": 13000, "rounds": 9, "timer": "CUPTI"}
{"group": "vecadd", "program": "limits", "task": "cudaMemcpy on the device", "right": true, "bytes": 4e9, "flop": 0, "kernel_ms": [1.0, 1.0], "memset_ms": [0, 0], "event_ms": [1, 1], "kernels": ["copy"]}
{"group": "vecadd", "program": "reference", "task": "add", "right": true, "bytes": 4e9, "flop": 0, "kernel_ms": [1.25, 1.25], "memset_ms": [0, 0], "event_ms": [1, 1], "kernels": ["add"]}
END
'''

# What a traced program leaves: on the GPU another grid.
PROGRAM = '''#!/bin/sh
grid=3
if [ "${WARPGRADE_TRACE_MODE:-}" = trace ]; then grid=4; fi
test "$1" = 12 && test -d "$WARPGRADE_CASE/out" || exit 1
cat >"$WARPGRADE_TRACE" <<END
{"type": "api", "range": "r", "name": "cudaMalloc", "result": 0, "args": {"ptr": 4096, "size": 12}}
{"type": "launch", "range": "r", "kernel": "add", "result": 0, "stream": 0, "grid": [$grid, 1, 1], "block": [32, 1, 1], "dynamic_shared_bytes": 0, "static_shared_bytes": 0, "params": [], "memory": []}
END
'''


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


class WithFakes(unittest.TestCase):
    """A build folder of stand-ins, and answers of which the first number is the speed."""

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.build, self.work, self.file = self.folder / "build", self.folder / "work", self.folder / "report.json"
        self.set_gpus(PROBE)
        script(self.build / "warpgrade", WARPGRADE)
        script(self.build / "assignments" / "oracle-vecadd", "#!/bin/sh\nexit 0\n")
        script(self.work / "speed" / "speed", SPEED)
        script(self.work / "traces" / "vecadd", PROGRAM)
        (self.work / "speed" / "limits.so").touch()
        (self.work / "traces" / "index.json").write_text(json.dumps(
            [{"slug": "vecadd", "case": "small", "family": "integers", "numbers": ["n=12"], "words": ["12"]}]), encoding="utf-8")
        answers = self.answers(reference="12.5", ladder="4.2", naive="1", small="3 // short")
        exploits = self.answers(hides="2 // cheat")
        for name, value in (("answers_of", lambda slug: answers),
                            ("timed_slugs", lambda chosen: chosen),
                            ("now_ms", iter([1000, 43000] * 9).__next__), ("JOBS", 2)):
            stack.enter_context(unittest.mock.patch.object(report_sections, name, value))
        for name, value in (("exploits_of", lambda slug: exploits), ("wanted", lambda path: {"speed"})):
            stack.enter_context(unittest.mock.patch.object(report_sections.cheats, name, value))
        stack.enter_context(unittest.mock.patch.object(report, "output_of", lambda *command: "Build cuda_13.0\n"))
        today = stack.enter_context(unittest.mock.patch.object(report.datetime, "date")).today.return_value
        today.isoformat.return_value = "2026-11-21"
        self.printed = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))

    def set_gpus(self, probe):
        script(self.build / "grader/run/gpu/gpu-probe", f"#!/bin/sh\necho '{json.dumps(probe)}'\n")

    def answers(self, **texts):
        paths = {}
        for name, text in texts.items():
            paths[name] = self.folder / f"{name}.cu"
            paths[name].write_text(text, encoding="utf-8")
        return paths

    def measure(self, *words):
        return report.main(["measure", str(self.build), str(self.work), str(self.file), *words])

    def units(self):
        return json.loads(self.file.read_text(encoding="utf-8"))["units"]


def empty_page():
    parts = [f"## {name}\n\n{report_page.begin_of(name)}\n\nNot measured yet.\n\n{report_page.end_of(name)}\n\nBy hand.\n"
             for name, _, _ in report_page.BLOCKS]
    return "# A page\n\n" + "\n".join(parts)


class Measure(WithFakes):
    maxDiff = None

    def test_all_sections_become_one_page(self):
        self.assertEqual(0, self.measure("vecadd"), self.printed.getvalue())
        page = self.folder / "page.md"
        page.write_text(empty_page(), encoding="utf-8")
        # Those tables have tests of their own.
        tables = unittest.mock.patch.object(speed_tables, "all_tables", lambda result: f"{len(result['tasks'])} tasks")
        with tables:
            self.assertEqual(0, report.main(["page", str(self.file), str(page)]))
        if UPDATE:
            GOLDEN.write_text(page.read_text(encoding="utf-8"), encoding="utf-8")
        self.assertEqual(GOLDEN.read_text(encoding="utf-8"), page.read_text(encoding="utf-8"))
        with tables:
            self.assertEqual(0, report.main(["page", str(self.file), str(page)]))
        self.assertEqual(GOLDEN.read_text(encoding="utf-8"), page.read_text(encoding="utf-8"))

    def test_the_grader_is_asked_for_a_gpu_and_the_same_inputs_each_time(self):
        self.measure("vecadd", "--only", "speeds")
        self.assertEqual("--device gpu --jobs 2 --seed 7",
                         (self.work / "results/speeds-vecadd/words").read_text(encoding="utf-8"))

    def test_an_answer_with_a_part_of_the_points_is_repeated_ten_times(self):
        self.measure("vecadd", "--only", "speeds,repeat")
        data = self.units()["repeat/vecadd"]["data"]
        self.assertEqual(("ladder", 10), (data["answer"], len(data["graded"])))
        self.assertEqual([[0, 1, 1 / 4.2, 2 / 4.2, ""]], data["graded"]["run-01"]["measurements"][0]["samples"])

    def test_a_unit_that_fails_is_told_and_ends_no_other(self):
        self.assertEqual(1, self.measure("broken", "vecadd", "--only", "agreement"))
        self.assertEqual("RuntimeError: warpgrade check ended with 1: no GPU judged anything: see warpgrade doctor",
                         self.units()["agreement/broken"]["why"])
        self.assertEqual("", self.units()["agreement/vecadd"]["why"])
        page = report_page.written_into(empty_page(), json.loads(self.file.read_text(encoding="utf-8")))
        self.assertIn("- not measured: broken: RuntimeError: warpgrade check ended with 1: no GPU judged", page)

    def test_what_is_measured_already_is_left_alone_and_what_failed_is_tried_again(self):
        self.measure("broken", "vecadd", "--only", "agreement")
        self.printed.truncate(0)
        self.measure("broken", "vecadd", "--only", "agreement")
        self.assertIn("agreement/broken", self.printed.getvalue())
        self.assertNotIn("agreement/vecadd", self.printed.getvalue())

    def test_what_would_take_longer_than_the_budget_is_left_for_another_call(self):
        self.assertEqual(1, self.measure("vecadd", "--only", "traces,repeat", "--budget", "30"))
        self.assertIn("repeat/vecadd: left for another call", self.printed.getvalue())
        self.assertEqual(["traces/vecadd"], list(self.units()))

    def traced(self, program):
        script(self.work / "traces" / "vecadd", program)
        self.measure("vecadd", "--only", "traces")
        return self.units()["traces/vecadd"]

    def test_a_program_that_leaves_its_device_alone_leaves_the_same_trace_on_both(self):
        case = self.traced('#!/bin/sh\ntest "${WARPGRADE_TRACE_MODE:-}" = trace || echo \'{"type": "exit"}\' >"$WARPGRADE_TRACE"\n')
        self.assertEqual([{"case": "small", "same": 0, "only_emulated": [], "only_gpu": [], "different": [0, 0]}],
                         case["data"]["cases"])

    def test_a_gpu_that_records_nothing_of_a_program_that_does_something_is_no_agreement(self):
        unit = self.traced(PROGRAM.replace("then grid=4;", "then exit 0;"))
        self.assertIn("small: the GPU's trace is empty", unit["why"])

    def test_a_unit_that_takes_too_long_is_ended_and_told(self):
        script(self.build / "warpgrade", "#!/bin/sh\nexec sleep 60\n")
        with unittest.mock.patch.multiple(report_sections, START_S=0, COMPARED_PROGRAM_S=0.001):
            self.assertEqual(1, self.measure("vecadd", "--only", "agreement"))
        self.assertRegex(self.units()["agreement/vecadd"]["why"], "it was ended after .* s")

    def test_without_a_gpu_there_is_nothing_to_measure(self):
        self.set_gpus({"gpus": [], "error": "no NVIDIA driver"})
        self.assertEqual(report.SKIP, self.measure("vecadd"))
        self.assertEqual(report.SKIP, report.main(["all", str(self.build), str(self.folder / "page.md")]))
        self.assertFalse(self.file.exists())

    def test_a_machine_of_another_kind_is_named_as_well(self):
        self.measure("vecadd", "--only", "traces")
        self.set_gpus({**PROBE, "driver": "590.2"})
        self.measure("vecadd", "--only", "agreement")
        units = self.units()
        self.assertEqual([0, 1], [units["traces/vecadd"]["machine"], units["agreement/vecadd"]["machine"]])

    def test_an_unknown_section_is_refused(self):
        self.assertEqual(2, self.measure("--only", "everything"))


def section(name, **units):
    """That section of a report, with what its units gave."""
    records = {f"{name}/{unit}": {"machine": 0, "why": "", "data": data} for unit, data in units.items()}
    return report_page.Section(name, {"machines": [], "units": records})


def compared(role, *differences):
    """A program with four verdicts of a kind, of which these (what the devices said, and a checker's finding) differ."""
    return {"role": role, "name": "p", "compared": {"correctness": 4},
            "disagreements": [{"kind": "correctness", "item": "sum", "case": "wide", "emulated": emulated, "gpu": gpu,
                               "checker": checker} for emulated, gpu, checker in differences]}


def agreement_of(*programs):
    return "\n".join(report_page.agreement(section("agreement", vecadd={"submissions": len(programs), "compared": programs})))


def held(*intervals, gpu="GPU-1"):
    return {"holds": [{"gpu": gpu, "alone": True, "start_ms": start, "end_ms": end} for start, end in intervals]}


class Page(unittest.TestCase):
    def test_ranks_that_agree_correlate_fully_and_reversed_ones_fully_the_other_way(self):
        self.assertEqual(1, report_page.rank_correlation([(1, 10), (2, 20), (3, 21)]))
        self.assertEqual(-1, report_page.rank_correlation([(1, 3), (2, 2), (3, 1)]))
        self.assertAlmostEqual(1 / 3, report_page.rank_correlation([(1, 1), (2, 3), (3, 2)]))

    def test_ties_count_for_neither_and_where_all_tie_there_is_no_correlation(self):
        self.assertAlmostEqual(2 / 6 ** 0.5, report_page.rank_correlation([(1, 1), (1, 2), (2, 3)]))
        self.assertIsNone(report_page.rank_correlation([(1, 1), (1, 2)]))
        self.assertIsNone(report_page.rank_correlation([(1, 1)]))

    def test_numbers_that_are_nearly_the_same_tie_on_their_side_alone(self):
        pairs = [(1, 1), (2, 2.01), (3, 2)]
        self.assertAlmostEqual(1 / 3, report_page.rank_correlation(pairs))
        self.assertAlmostEqual(2 / 6 ** 0.5, report_page.rank_correlation(pairs, 0.02))
        turned = [(right, left) for left, right in pairs]
        self.assertAlmostEqual(2 / 6 ** 0.5, report_page.rank_correlation(turned, 0.02))
        self.assertAlmostEqual(1 / 3, report_page.rank_correlation(pairs, 0.004))
        self.assertIsNone(report_page.rank_correlation([(1, 1.01), (2, 1), (3, 0.995)], 0.02))

    def test_speeds_within_two_percent_of_each_other_are_not_ranked(self):
        def correlation(measured):
            graded = {str(number): {"items": [], "speeds": [{"item": "speed", "case": "large", "modelled": number, "measured": speed}]}
                      for number, speed in enumerate(measured, 1)}
            return "\n".join(report_page.speeds(section("speeds", vecadd={"graded": graded})))
        self.assertIn("| vecadd | speed | large | 3 | 0.82 |", correlation([50, 100, 98.1]))
        self.assertIn("| vecadd | speed | large | 3 | 0.33 |", correlation([50, 100, 97.9]))

    def test_a_gpu_is_idle_while_nobody_holds_it(self):
        data = {"start_ms": 0, "end_ms": 100, "graded": {"a": held((10, 30), (20, 50)), "b": held((45, 60))}}
        self.assertAlmostEqual(0.5, report_page.idle_part(data))
        data["graded"]["c"] = held((0, 100), gpu="GPU-2")
        self.assertAlmostEqual(0.25, report_page.idle_part(data))

    def test_a_class_that_was_graded_in_two_calls_has_no_idle_time(self):
        data = {"start_ms": 50, "end_ms": 100, "graded": {"a": held((10, 30)), "b": held((60, 90))}}
        self.assertTrue(report_page.was_resumed(data))
        data["graded"].pop("a")
        self.assertFalse(report_page.was_resumed(data))

    def test_points_that_differ_between_gradings_are_named(self):
        def graded(points):
            return {"items": [{"id": "sum", "points": 5, "status": "passed"},
                              {"id": "speed", "points": points, "status": "partial"}]}
        self.assertEqual(["speed"], report_page.items_that_differ({"a": graded(3), "b": graded(3.5)}))
        self.assertEqual([], report_page.items_that_differ({"a": graded(3), "b": graded(3)}))

    def test_what_a_checker_or_cheating_explains_does_not_count_as_a_difference(self):
        race, other = ("passed", "failed: a", "race"), ("failed: b", "passed", "")
        text = agreement_of(compared("mutant", race), compared("exploit", race, other, other))
        self.assertIn("| vecadd | 2 of 2 | 4 of 4 | 0 of 0 | 0 of 0 | 4 | reached |", text)
        self.assertIn("| vecadd | mutant p | race | 0 | 1 |\n| vecadd | exploit p | cheats, race | 2 | 1 |", text)
        self.assertNotIn("Where they differ", text)

    def test_what_nothing_explains_counts_as_a_difference(self):
        text = agreement_of(compared("accepted", ("failed: b", "passed", "")))
        self.assertIn("| vecadd | 1 of 1 | 3 of 4 | 0 of 0 | 0 of 0 | 0 | missed |", text)
        self.assertNotIn("left out:", text)
        self.assertIn("| vecadd | accepted p | sum (correctness) | wide | failed: b | passed |", text)

    def test_a_speed_that_was_not_measured_when_repeated_says_why(self):
        items = [{"id": name, "kind": "performance", "points": 0, "status": "pending", "message": f"{name} is too short\nHint: h"}
                 for name in ("near", "speed")]
        result = {"items": items, "speeds": [{"item": "near", "case": "large", "measured": 2},
                                             {"item": "speed", "case": "large", "measured": None}]}
        data = {"answer": "reference", "graded": {"run-01": result}}
        text = "\n".join(report_page.repeat(section("repeat", vecadd=data)))
        self.assertIn("| the same | reached | near in large | 1 | 2 | 0.00 % | 2 to 2 | reached |\n"
                      "|  |  |  |  |  | speed: speed is too short | none |  |  |  | missed |", text)
        result["speeds"].pop(0)
        text = "\n".join(report_page.repeat(section("repeat", vecadd=data)))
        self.assertIn("| vecadd | reference | 1 | the same | reached | near: near is too short | none |  |  |  | missed |", text)

    def test_what_was_not_measured_is_listed_unless_it_failed_a_condition(self):
        def not_measured(status, message, modelled=1, measured=None):
            item = {"id": "speed", "kind": "performance", "status": status, "message": message}
            return report_page.not_measured({"items": [{"id": "sum", "status": "failed", "message": "wrong"}, item], "speeds": [
                {"item": "speed", "case": "small", "modelled": 1, "measured": 1},
                {"item": "speed", "case": "large", "modelled": modelled, "measured": measured}]})
        self.assertEqual([("speed", "too short")], not_measured("pending", "too short\nHint: h"))
        self.assertEqual([("speed", "wrong in repetition 1")], not_measured("failed", "wrong in repetition 1"))
        self.assertEqual([], not_measured("failed", "earns nothing because 'The sum' failed"))
        self.assertEqual([], not_measured("failed", "1 times as fast as 'naive' (1 ms against 1 ms modelled for H100), which earns 0 %"))
        self.assertEqual([], not_measured("failed", "0.1 times as fast as 'naive'", measured=0.1))
        self.assertEqual([], not_measured("failed", "no kernel ran", modelled=None))

    def test_of_what_an_instrument_said_the_number_is_shown_where_it_has_one(self):
        def reading(said, what="counter", name="dram_bytes"):
            return report_page.reading({"what": what, "name": name}, said)
        self.assertEqual("16", reading("passed: case 'large': dram_bytes is 16"))
        self.assertEqual("0", reading("partial: case 'large': dram_bytes is 0, which earns 50 % of the points"))
        self.assertEqual("5.297e+05", reading("passed: dram_bytes is 5.297e+05"))
        self.assertEqual("77.6", reading("passed: dram_bytes is 77.6. More."))
        self.assertEqual("passed: l2_dram_bytes is 3", reading("passed: l2_dram_bytes is 3"))
        self.assertEqual("failed: dram_bytes is not known", reading("failed: dram_bytes is not known"))
        self.assertEqual("failed: dram_bytes is 3rd", reading("failed: dram_bytes is 3rd"))
        self.assertEqual("", reading(""))

    def test_a_tool_that_found_nothing_is_clean(self):
        tool = {"what": "tool", "name": "memcheck"}
        self.assertEqual("clean", report_page.reading(tool, "passed: "))
        self.assertEqual("passed: but slow", report_page.reading(tool, "passed: but slow"))
        self.assertEqual("failed: ", report_page.reading(tool, "failed: "))
        self.assertEqual("passed: ", report_page.reading({"what": "counter", "name": "dram_bytes"}, "passed: "))

    def test_a_table_survives_what_programs_say(self):
        self.assertEqual("a \\| b &lt;c> d", report_page.cell("a | b\n<c>  d"))
        self.assertEqual(report_page.MOST_WORDS, len(report_page.cell("x" * 1000)))

    def test_sections_without_measurements_and_remarks_stay_as_they_were(self):
        page = empty_page()
        self.assertEqual(page, report_page.written_into(page, {"machines": [], "units": {}}))
        self.assertRaises(ValueError, report_page.written_into, "# No markers\n", {"machines": [], "units": {}})

    def test_the_page_in_docs_has_all_markers(self):
        page = (speed_tables.COURSE / "docs/gpu.md").read_text(encoding="utf-8")
        self.assertEqual(page, report_page.written_into(page, {"machines": [], "units": {}}))


def graded_answer(status, measured, item="speed"):
    return {"items": [{"id": "speed", "kind": "performance", "status": status}],
            "speeds": [{"item": item, "case": "large", "modelled": 1, "measured": measured}]}


class AnswerToRepeat(unittest.TestCase):
    def chosen(self, **graded):
        with unittest.mock.patch.object(report_sections, "answers_of", lambda slug: ["reference", "first", "second", "third"]):
            return report_sections.answer_to_repeat("vecadd", {"graded": graded} if graded else None)

    def test_it_is_the_first_that_was_measured_and_earned_a_part_of_the_points(self):
        part = graded_answer("partial", 2)
        self.assertEqual("second", self.chosen(reference=graded_answer("passed", 4), second=part, third=part))
        self.assertEqual("third", self.chosen(first=graded_answer("partial", None), second=graded_answer("partial", 2, "near"),
                                              third=part))

    def test_it_is_the_reference_where_none_did(self):
        self.assertEqual("reference", self.chosen(first=graded_answer("partial", None), second=graded_answer("passed", 2)))
        self.assertEqual("reference", self.chosen())


class LayOut(unittest.TestCase):
    def test_a_mutant_that_is_a_patch_is_graded_as_the_program_that_it_makes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            script(folder / "build" / "warpgrade", '#!/bin/sh\nshift 2\necho "$@"\n')
            (folder / "whole.cu").write_text("whole\n", encoding="utf-8")
            place = report_sections.Place(folder / "build", folder, lambda unit: None)
            report_sections.lay_out(place, "pi", folder / "class", {
                "mutants-no-guard": pathlib.Path("reference/pi/mutants/no-guard.patch"), "reference": folder / "whole.cu"})
            self.assertEqual({"mutants-no-guard.cu": "mutant pi no-guard\n", "reference.cu": "whole\n"},
                             {path.name: path.read_text(encoding="utf-8") for path in (folder / "class").iterdir()})


class Course(unittest.TestCase):
    def test_each_performance_item_has_cases_and_answers_of_different_speed(self):
        slugs = report_sections.timed_slugs([])
        self.assertTrue(slugs)
        for slug in slugs:
            self.assertTrue(all(report_sections.performance_items(slug).values()), slug)
            answers = report_sections.answers_of(slug)
            self.assertGreaterEqual(len(answers), 3, slug)
            self.assertEqual("reference", next(iter(answers)))
            self.assertTrue(all(path.is_file() for path in answers.values()), slug)

    def test_cases_that_do_not_end_well_on_one_device_are_not_traced(self):
        rubric = {"cases": [{"id": "small", "family": "ones", "args": {"n": 12}},
                            {"id": "second-device", "family": "ones", "args": {"n": 13}}]}
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()) as printed, \
                unittest.mock.patch.object(report_sections.same_outputs, "rubric_of", lambda *_: rubric):
            folder = pathlib.Path(name)
            script(folder / "assignments" / "oracle-vecadd", "#!/bin/sh\nexit 0\n")
            script(folder / "reference" / "reference-vecadd", "#!/bin/sh\ntest $1 = 12\n")
            self.assertEqual(1, report_sections.prepare_traces(folder, folder / "traces", ["vecadd"]))
        self.assertEqual("not traced: vecadd second-device ends with 1 on one H200\n", printed.getvalue())

    def test_every_assignment_is_compared(self):
        place = report_sections.Place(None, pathlib.Path("nowhere"), lambda name: None)
        units = report_sections.agreement(place, [])
        self.assertEqual({f"agreement/{slug}" for slug in report_sections.all_slugs()}, {unit.name for unit in units})


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--update"])
