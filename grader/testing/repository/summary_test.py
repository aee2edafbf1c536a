#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of summary.py.

usage: summary_test.py [ROOT]
"""
import sys
import unittest

import summary


def record(result, name="x", stdout=""):
    return {"name": name, "result": result, "stdout": stdout, "duration": 1.5}


class Summarise(unittest.TestCase):
    def test_counts_time_outs_and_errors_as_failures(self):
        results = [record(r) for r in ["OK", "EXPECTEDFAIL", "FAIL", "TIMEOUT", "ERROR", "INTERRUPT", "UNEXPECTEDPASS"]]
        lines, well = summary.summarise(results)
        self.assertEqual("2 passed, 5 failed", lines[-1])
        self.assertFalse(well)

    def test_names_a_failed_test_and_its_result(self):
        lines, _ = summary.summarise([record("OK"), record("TIMEOUT", "slow")])
        self.assertEqual(["failed:  slow (TIMEOUT, 1.5 s)", "1 passed, 1 failed"], lines)

    def test_repeats_the_lines_of_a_failed_test_that_speak_of_the_failure(self):
        lines, _ = summary.summarise([record("OK"), record("FAIL", "x", "1 ok\nbox.cpp:7: Failure\n\n2 ok\n")])
        self.assertEqual(["failed:  x (FAIL, 1.5 s)", "  | box.cpp:7: Failure", "1 passed, 1 failed"], lines)

    def test_repeats_the_last_lines_of_a_failed_test_that_says_nothing_of_it(self):
        lines, _ = summary.summarise([record("OK"), record("TIMEOUT", "x", "".join(f"step {i}\n" for i in range(40)))])
        self.assertEqual("  | step 28", lines[1])
        self.assertEqual("  | step 39", lines[-2])

    def test_names_failures_after_what_was_skipped(self):
        lines, _ = summary.summarise([record("OK"), record("FAIL", "bad"), record("SKIP", "gpu", "no GPU here")])
        self.assertEqual(["skipped: gpu: no GPU here", "failed:  bad (FAIL, 1.5 s)"], lines[:2])

    def test_gives_the_reason_of_a_skipped_test(self):
        lines, well = summary.summarise([record("OK"), record("SKIP", "gpu", "trying\nno GPU here\n")])
        self.assertEqual(["skipped: gpu: no GPU here", "1 passed, 0 failed, 1 skipped"], lines)
        self.assertTrue(well)

    def test_lists_cases_that_skipped_themselves_within_a_test_program(self):
        output = "[ RUN      ] Box.Closes\nbox_test.cpp:7: Skipped\nno lid\n\n[  SKIPPED ] Box.Closes (0 ms)\n"
        lines, _ = summary.summarise([record("OK", "box", output)])
        self.assertEqual(["skipped: box, within it Box.Closes: no lid", "1 passed, 0 failed"], lines)

    def test_nothing_passed_is_not_well(self):
        self.assertFalse(summary.summarise([])[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
