#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs programs with students' mistakes by `warpgrade run`, and reads what it says.

usage: run_test.py WARPGRADE PROGRAM
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

WARPGRADE, PROGRAM = sys.argv[1:3]
LIMIT_S = 120


def run(*words, **environment):
    done = subprocess.run([WARPGRADE, "run", *words], env=dict(os.environ, **environment), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=LIMIT_S, check=False)
    return done.stderr, done.returncode


def lesson(name, *options):
    return run(*options, PROGRAM, name)[0]


class Mistakes(unittest.TestCase):
    def test_a_clean_run_has_no_problems(self):
        self.assertIn("warpgrade: 0 problems; checked: memory, init, race, sync, api\n", lesson("clean"))

    def test_an_unknown_checker_is_named_with_those_that_there_are(self):
        said, code = run("--check", "memory,foo", PROGRAM, "clean")
        self.assertNotEqual(code, 0)
        self.assertIn("--check (WARPGRADE_CHECK) foo: write names out of memory, ", said)

    def test_plain_says_nothing_of_a_clean_run(self):
        self.assertEqual(lesson("clean", "--plain"), "")

    def test_a_size_in_elements_is_told_as_a_missing_sizeof(self):
        said = lesson("sizeof")
        self.assertIn("1024 bytes hold 256 elements of 4 bytes, and 1024 elements need 4096 bytes: is a sizeof missing?", said)
        self.assertIn("warpgrade: 1 problem", said)

    def test_the_host_in_device_memory_is_told_before_the_crash(self):
        said, code = run(PROGRAM, "host")
        self.assertIn("the host writes byte 12 of the 4096-byte allocation made by cudaMalloc", said)
        self.assertEqual(code, -signal.SIGSEGV)

    def test_a_copy_the_wrong_way_round_is_the_one_problem(self):
        said = lesson("swapped")
        self.assertIn("the wrong way round?", said)
        self.assertIn("warpgrade: 1 problem, and 1 finding that follows from that", said)

    def test_an_ignored_failure_comes_before_what_it_causes(self):
        said = lesson("no memory").splitlines()
        self.assertTrue(said[0].startswith("warpgrade: api: cudaMalloc returned cudaErrorMemoryAllocation"), said)
        self.assertTrue(said[1].startswith("warpgrade: 1 problem, and "), said)
        self.assertIn("at the null pointer", lesson("no memory", "--plain"))

    def test_a_lost_update_is_told_to_be_atomic(self):
        self.assertIn("use atomicAdd()", lesson("count"))

    def test_loads_of_columns_are_told_against_the_ideal(self):
        said = lesson("columns")
        self.assertIn("uncoalesced: each load of a warp touches 32 sectors of 32 bytes; 4 would do", said)
        self.assertIn("lessons.cu:21, columns(", said)


class LongKernels(unittest.TestCase):
    def test_an_endless_kernel_is_placed_while_it_runs_and_when_it_is_interrupted(self):
        environment = dict(os.environ, WARPGRADE_NOTICE="0.2")
        program = subprocess.Popen([WARPGRADE, "run", PROGRAM, "endless"], env=environment, stderr=subprocess.PIPE, text=True)
        first = program.stderr.readline()
        program.send_signal(signal.SIGINT)
        rest = program.communicate(timeout=LIMIT_S)[1]
        self.assertRegex(first, r"^warpgrade: after \S+ s kernel spin\(int volatile\*\) is at lessons.cu:14, block")
        self.assertIn("the program ended before its kernel did: kernel spin(int volatile*) is at lessons.cu:14", rest)
        self.assertEqual(program.returncode, -signal.SIGINT)

    def test_many_short_kernels_show_that_the_program_goes_on(self):
        environment = dict(os.environ, WARPGRADE_NOTICE="0.2")
        program = subprocess.Popen([WARPGRADE, "run", PROGRAM, "many"], env=environment, stderr=subprocess.PIPE, text=True)
        said = [program.stderr.readline() for _ in range(2)]
        program.kill()
        program.communicate(timeout=LIMIT_S)
        for line in said:
            self.assertRegex(line, r"^warpgrade: \S+ s after the first launch, launch \d+: kernel add_one\(float\*, int\)")

    def test_an_interrupted_kernel_says_what_it_has_found(self):
        environment = dict(os.environ, WARPGRADE_NOTICE="0.2")
        program = subprocess.Popen([WARPGRADE, "run", PROGRAM, "endless race"], env=environment, stderr=subprocess.PIPE, text=True)
        program.stderr.readline()
        program.send_signal(signal.SIGINT)
        rest = program.communicate(timeout=LIMIT_S)[1]
        self.assertIn("the program ended before its kernel did: ", rest)
        self.assertIn("race: writes element 0 of the 4096-byte allocation", rest)

    def test_a_race_is_told_before_the_loop_that_has_no_end(self):
        said = lesson("endless race", "--time-limit", "1")
        self.assertRegex(said, r"race: writes element 0[^\n]*\nwarpgrade: limit: is still running")


class Options(unittest.TestCase):
    def test_a_report_holds_findings_lines_roofline_and_streams(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "out.html")
            _, code = run("--report", page, PROGRAM, "columns")
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertEqual(code, 0)
        self.assertIn("It ended with status 0", text)
        self.assertIn("columns(float const*, float*, int)", text)
        self.assertIn("<h2>Roofline</h2>", text)
        self.assertIn('<rect class="span-kernel"', text)

    def test_a_report_keeps_the_end_of_a_program_that_crashes(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "out.html")
            said, code = run("--report", page, PROGRAM, "host")
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertEqual(code, 128 + signal.SIGSEGV)
        self.assertIn("the host writes byte 12", said)
        self.assertIn("was ended by signal 11", text)
        self.assertIn("the host writes byte 12", text)

    def test_a_report_that_cannot_be_written_is_an_error_of_the_machine(self):
        said, code = run("--report", "/dev/null/out.html", PROGRAM, "clean")
        self.assertEqual(code, 99)
        self.assertIn("there is no report", said)

    def test_a_trace_holds_launches_and_copies(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            lesson("clean", "--trace", path)
            with open(path, encoding="utf-8") as file:
                names = [event["name"] for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(names, ["cudaMemset", "add_one(float*, int)"])

    def test_devices_are_known_in_any_case_of_letters(self):
        self.assertIn("0 problems", lesson("clean", "--device", "h200,rtx3090"))

    def test_an_unknown_device_is_answered_with_the_nearest_and_all(self):
        said, code = run("--device", "H201", PROGRAM, "clean")
        self.assertIn("H201 is no device; did you mean H200? Write names out of T4, V100", said)
        self.assertEqual(code, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
