#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests one student's file of vecadd by `warpgrade test`: what it shows of a case, lists, watches and refuses.

usage: test_command_test.py WARPGRADE COURSE
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

WARPGRADE, COURSE = sys.argv[1:3]
LIMIT_S = 200
SOURCE = """#include "vecadd.h"
#include <cstdio>
cudaError_t add_vectors(float* c, const float*, const float*, int n, int) {
  std::printf("n is %d\\033[2J\\n", n);
  std::fprintf(stderr, "on stderr\\n");
  return cudaErrorNotYetImplemented;
}
"""


class StudentsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.course = folder.name
        for name in ("assignments", "reference", "rubrics"):
            os.symlink(os.path.join(COURSE, name), os.path.join(self.course, name))
        self.file = os.path.join(self.course, "skeletons", "vecadd", "vecadd.cu")
        os.makedirs(os.path.dirname(self.file))
        self.save(SOURCE)

    def save(self, text):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)

    def command(self, *words):
        return [WARPGRADE, "--course", self.course, *words]

    def run_command(self, *words):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=LIMIT_S, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_lists_public_cases_with_inputs_and_a_command(self):
        code, said, _ = self.run_command("test", "vecadd", "--list")
        self.assertEqual(code, 0)
        self.assertRegex(said, r"\n  thousand +N=1000 block=128 uniform +\S*warpgrade test vecadd thousand\n")
        self.assertNotIn("warp-31", said)

    def test_names_the_cases_where_one_is_mistyped(self):
        code, _, said = self.run_command("test", "vecadd", "thousnd")
        self.assertEqual(code, 2)
        self.assertIn("did you mean 'thousand'? Its public cases are blocks-1024, one,", said)

    def test_takes_a_beginning_that_no_other_case_has(self):
        self.assertEqual(self.run_command("test", "vecadd", "thou", "--list")[0], 0)
        code, _, said = self.run_command("test", "vecadd", "too", "--list")
        self.assertEqual(code, 2)
        self.assertIn("no public case 'too'; too-many-threads, too-large begin so. Its public cases are", said)

    def test_asks_which_assignment_is_meant(self):
        code, _, said = self.run_command("test")
        self.assertEqual(code, 2)
        self.assertRegex(said, "which assignment\\? The course has .*vecadd")

    def test_names_the_file_to_hand_in_and_what_lies_there_instead(self):
        os.rename(self.file, os.path.join(os.path.dirname(self.file), "mine.cu"))
        code, _, said = self.run_command("test", "vecadd")
        self.assertEqual(code, 2)
        self.assertIn("vecadd/vecadd.cu is missing. Write your answer into a file of this name. The folder holds mine.cu.", said)
        _, _, said = self.run_command("test", "vecadd", "--language", "it")
        self.assertIn("vecadd/vecadd.cu non c'è.", said)

    def test_takes_the_language_behind_the_command(self):
        code, _, said = self.run_command("test", "vecadd", "nosuchcase", "--language", "it")
        self.assertEqual(code, 2)
        self.assertIn("vecadd has no public case 'nosuchcase'; its public cases are ", said)
        self.assertIn("xx not in ", self.run_command("test", "vecadd", "--language", "xx")[2])

    def test_names_the_commands_where_one_is_mistyped_or_missing(self):
        self.assertIn("no command 'tset'; did you mean 'test'? The commands are ", self.run_command("tset")[2])
        self.assertIn("which command? The commands are ", self.run_command()[2])

    def test_shows_what_a_named_case_prints_and_tests_again_after_each_save(self):
        watch = subprocess.Popen(self.command("test", "vecadd", "one", "--watch"), stdout=subprocess.PIPE, text=True)
        timer = threading.Timer(LIMIT_S, watch.kill)
        timer.start()
        first = self.read_until_waiting(watch)
        self.save(SOURCE.replace("n is", "now n is").replace("  std::fprintf", "  std::raise(SIGSEGV);\n  std::fprintf")
                  .replace("<cstdio>", "<cstdio>\n#include <csignal>"))
        second = self.read_until_waiting(watch)
        watch.send_signal(signal.SIGINT)
        watch.communicate()
        timer.cancel()
        self.assertIn("Your program printed in case 'one'\n  n is 1\\x1b[2J\n", first)
        self.assertIn("  on stderr\n", first)
        self.assertRegex(first, r"Look here first\n.*\n    case 'one': ")
        self.assertIn("\n  now n is 1\\x1b[2J\n", second, "what is printed before a crash is shown")
        self.assertIn("crashed with signal 11", second)
        self.assertEqual(watch.returncode, 130)

    def read_until_waiting(self, watch):
        said = ""
        for line in watch.stdout:
            said += line
            if re.match("Waiting for a change", line):
                return said
        self.fail("it ended: " + said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
