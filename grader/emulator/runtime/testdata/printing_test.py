#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What kernels print is shown by calls that wait, and lost without them (CUDA Programming Guide, "Formatted Output").

usage: printing_test.py PROGRAM LIBRARIES
"""
import os
import subprocess
import sys
import unittest

PROGRAM, LIBRARIES = sys.argv[1:3]
LIMIT_S = 60
HELLO = "hello 0\nhello 1\n"
LOST = "the program ends without waiting for its kernels and loses {} of their printf: call cudaDeviceSynchronize() before the end"


def run(then, **more):
    environment = dict(os.environ, LD_LIBRARY_PATH=LIBRARIES, WARPGRADE_DEVICES="RTX 3090", **more)
    done = subprocess.run([PROGRAM, then], env=environment, timeout=LIMIT_S, check=False, capture_output=True, text=True)
    return done.stdout, done.stderr


class Printing(unittest.TestCase):
    def test_calls_that_wait_show_it(self):
        for then in "waits for the device", "waits for the stream", "waits for the event", "copies", "resets":
            with self.subTest(then):
                shown, said = run(then)
                self.assertEqual(shown, "host\n" + HELLO + "end\n")
                self.assertNotIn("loses", said)

    def test_a_callback_comes_behind_it(self):
        self.assertEqual(run("is called back")[0], "host\n" + HELLO + "called\nend\n")

    def test_it_is_lost_where_nothing_waits(self):
        shown, said = run("ends")
        self.assertEqual(shown, "host\nend\n")
        self.assertIn(LOST.format("2 lines"), said)
        self.assertIn(LOST.format("3 lines"), run("launches")[1])

    def test_no_checker_says_that_it_is_lost(self):
        self.assertEqual(run("ends", WARPGRADE_CHECK="none"), ("host\nend\n", ""))

    def test_launches_that_block_show_it(self):
        self.assertEqual(run("ends", CUDA_LAUNCH_BLOCKING="1")[0], HELLO + "host\nend\n")
        self.assertEqual(run("ends", WARPGRADE_GRADED="1")[0], HELLO + "host\nend\n")

    def test_a_program_that_fails_loses_none(self):
        self.assertEqual(run("traps")[0], "last wordshost\nend\n")
        self.assertTrue(run("aborts")[1].endswith(HELLO))
        self.assertIn(HELLO, run("hangs", WARPGRADE_TIME_LIMIT="1")[1])

    def test_threads_that_fail_an_assertion_say_so(self):
        said = run("asserts")[1]
        lines = [line for line in said.splitlines() if "Assertion" in line]
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[1], r"printing\.cu:\d+: void fails\(int\): block: \[1,0,0\], thread: \[31,0,0\] Assertion `.* < n` failed\.$")
        self.assertIn("fails the assertion", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
