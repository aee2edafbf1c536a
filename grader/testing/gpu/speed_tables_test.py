#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference_speed
import speed_tables


def task(group, program, name, ms, **facts):
    return {"group": group, "program": program, "task": name, "right": True, "bytes": 3e9, "flop": 0.0,
            "size": "large", "kernel_ms": [ms, ms, 2 * ms], "memset_ms": [0.0] * 3, "event_ms": [9.0] * 3,
            "kernels": ["k"], **facts}


def result(*tasks):
    return {"device": {"device": "NVIDIA Test", "compute_capability": "9.0", "multiprocessors": 132, "clock_mhz": 1980,
                       "peak_gb_per_s": 3352.0, "cuda_runtime": 13000, "rounds": 3, "timer": "CUPTI"},
            "driver": "580.1", "date": "2026-11-21", "tasks": list(tasks), "errors": []}


class Tables(unittest.TestCase):
    def test_a_rate_is_held_against_that_of_the_limit_and_not_its_time(self):
        rows = speed_tables.reference_rows(result(
            task("vecadd", "limits", "cudaMemcpy on the device", 1.0, bytes=2e9),
            task("vecadd", "reference", "add", 1.6)))
        self.assertEqual([["vecadd", "reference", "add", "1.6000", "0.0 %", "1875 GB/s", "cudaMemcpy on the device",
                           "0.94", "0.90 reached"]], rows)

    def test_the_faster_of_two_limits_counts(self):
        rows = speed_tables.reference_rows(result(
            task("histogram", "limits", "cub::DeviceHistogram, equal", 1.0),
            task("histogram", "limits", "cub::DeviceHistogram, equal, float levels", 0.8),
            task("histogram", "reference", "shared equal", 1.0)))
        self.assertEqual(["0.80", "0.90 missed"], rows[0][-2:])

    def test_where_there_are_no_records_of_kernels_events_tell_the_time(self):
        rows = speed_tables.reference_rows(result(task("dot", "reference", "dynamic", 0.0, kernel_ms=[])))
        self.assertEqual("9.0000", rows[0][3])

    def test_what_launches_nothing_is_left_out(self):
        self.assertEqual([], speed_tables.reference_rows(result(task("dot", "reference", "dynamic", 0.0, kernels=[]))))

    def test_a_call_of_which_no_record_came_does_not_count(self):
        rows = speed_tables.reference_rows(result(
            task("dot", "reference", "static", 1.0, kernel_ms=[0.0, 0.0, 1.0]),
            task("dot", "reference", "dynamic", 0.0, kernels=["untimed"])))
        self.assertEqual({"static": "1.0000", "dynamic": "9.0000"}, {row[2]: row[3] for row in rows})

    def test_rungs_of_the_ladder_stand_before_the_model_answer_and_nothing_is_wanted_of_them(self):
        rows = speed_tables.reference_rows(result(
            task("matmul-opt", "cublas", "cublasSgemm, pedantic", 1.0, flop=1e9),
            task("matmul-opt", "reference", "own", 1.25, flop=1e9),
            task("matmul-opt", "ladder/1_four", "own", 2.0, flop=1e9)))
        self.assertEqual([("1_four", "0.50", ""), ("reference", "0.80", "0.60 reached")],
                         [(row[1], row[-2], row[-1]) for row in rows])

    def test_a_wrong_result_is_told(self):
        rows = speed_tables.reference_rows(result(task("pi", "reference", "global", 1.0, right=False)))
        self.assertEqual("global (wrong result)", rows[0][2])

    def test_speedups_are_over_the_baseline_of_the_same_task(self):
        rows = speed_tables.speedup_rows(result(
            task("race-atomics", "reference", "by_blocks", 1.0),
            task("race-atomics", "baselines/naive", "by_blocks", 2.5),
            task("race-atomics", "baselines/naive", "atomic", 99.0)))
        self.assertEqual([("reference", "2.5"), ("baselines/naive", "1")], [(row[3], row[8]) for row in rows])

    def test_speedups_of_two_sizes_stand_in_one_row(self):
        rows = speed_tables.speedup_rows(result(
            task("vecadd", "reference", "add", 2.0),
            task("vecadd", "baselines/copy", "add", 2.0),
            task("vecadd", "reference", "add", 0.1, size="graded"),
            task("vecadd", "baselines/copy", "add", 0.09, size="graded", right=False)))
        self.assertEqual(["vecadd", "speed", "add", "reference", "0.1000", "0.9", "1.00", "2.0000", "1", "1.00"],
                         rows[0])
        self.assertEqual("0.0900 (wrong result)", rows[1][4])

    def test_shares_follow_the_curve_and_stay_at_its_ends(self):
        logarithmic, linear = ("log", [(1.0, 0.0), (4.0, 1.0)]), ("linear", [(1.0, 0.0), (4.0, 1.0)])
        self.assertEqual([0.0, 0.5, 1.0], [speed_tables.share(logarithmic, speedup) for speedup in (0.5, 2.0, 9.0)])
        self.assertAlmostEqual(1 / 3, speed_tables.share(linear, 2.0))

    def test_only_what_stands_between_the_markers_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text(f"before\n{speed_tables.BEGIN}\nold\n{speed_tables.END}\nafter\n", encoding="utf-8")
            speed_tables.write_into(page, result(task("vecadd", "reference", "add", 1.0)))
            text = page.read_text(encoding="utf-8")
            self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))
            self.assertNotIn("old", text)
            self.assertIn("NVIDIA Test", text)
            page.write_text("no markers\n", encoding="utf-8")
            self.assertRaises(ValueError, speed_tables.write_into, page, result())


class Measure(unittest.TestCase):
    def test_what_each_group_printed_is_kept_and_what_went_wrong_is_told(self):
        lines = [json.dumps(result()["device"]), json.dumps(task("vecadd", "reference", "add", 1.0)), "no JSON"]
        with tempfile.TemporaryDirectory() as folder:
            work, out = pathlib.Path(folder), pathlib.Path(folder, "out.json")
            work.joinpath("lines").write_text("\n".join(lines), encoding="utf-8")
            speed = work / "speed"
            speed.write_text(f"#!/bin/sh\ncat {folder}/lines\ncase $1 in *vecadd*) exit 0;; esac\nexit 3\n",
                             encoding="utf-8")
            speed.chmod(0o755)
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                self.assertEqual(0, reference_speed.measure(work, out, ["vecadd"]))
                self.assertEqual(1, reference_speed.measure(work, out, ["vecadd", "dot", "candidates"]))
            kept = json.loads(out.read_text(encoding="utf-8"))
        self.assertEqual("NVIDIA Test", kept["device"]["device"])
        self.assertEqual(["large", "large", "graded", "graded"], [task["size"] for task in kept["tasks"]])
        self.assertEqual(["dot, large: exit status 3: ", "dot, graded: exit status 3: "], kept["errors"])
        self.assertIn("Went wrong: dot, large: exit status 3", printed.getvalue())

    def test_candidates_are_left_out_unless_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            for name in ("limits", "dot-reference", "dot-candidates-better"):
                work.joinpath(f"{name}.so").touch()
            answers = [("reference", work), ("candidates/better", work)]
            with unittest.mock.patch.object(reference_speed, "answers", return_value=answers):
                usual = reference_speed.plan_of(work, "dot", False, ["limits"])
                tried = reference_speed.plan_of(work, "dot", True, reference_speed.limits_of("dot"))
        self.assertEqual(f"dot\tlimits\tall\t{work}/limits.so\ndot\treference\tall\t{work}/dot-reference.so\n", usual)
        self.assertIn("dot\tcandidates/better\tjudged\t", tried)
        self.assertIn("dot\tcublas\t", tried)


class Course(unittest.TestCase):
    def test_each_performance_item_of_the_rubrics_is_listed_with_its_baseline(self):
        found = set()
        for path in (speed_tables.COURSE / "rubrics").glob("*.yaml"):
            for item in re.split(r"\n  - (?=\{?id: )", path.read_text(encoding="utf-8")):
                if "kind: performance" in item:
                    over = re.search(r"over: ([\w-]+)", item).group(1)
                    found.add((path.stem, re.search(r"id: ([\w-]+)", item).group(1), over))
        listed = {(group, item, over.split("/")[-1]) for group, item, _, over in speed_tables.ITEMS}
        self.assertEqual(found, listed)
        self.assertTrue(found)

    def test_the_curve_is_that_of_the_rubric(self):
        self.assertEqual(("linear", [(0.2, 0.0), (0.7, 1.0)]), speed_tables.curve_of("dot", "near-reference"))

    def test_each_row_names_a_group_whose_answers_are_built(self):
        groups = {row[0] for row in speed_tables.ROWS + speed_tables.ITEMS}
        self.assertEqual(set(), groups - set(reference_speed.slugs()))


if __name__ == "__main__":
    unittest.main()
