#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cheats  # noqa: E402


def result(**status):
    return {"items": [{"id": name, "status": ended} for name, ended in status.items()]}


def wanted(text):
    with tempfile.NamedTemporaryFile("w", suffix=".cu") as file:
        file.write(text + "#include <x.h>\n// expect: no header\n")
        file.flush()
        return cheats.wanted(pathlib.Path(file.name))


class Wanted(unittest.TestCase):
    def test_is_the_list_for_a_gpu_where_there_is_one(self):
        self.assertEqual(wanted("// expect: nothing\n// cheat: 5, flagged. Hides.\n// SPDX\n// on a GPU: sum, speed\n"),
                         {"sum", "speed"})
        self.assertEqual(wanted("// expect: sum\n// cheat: 5, flagged. Hides.\n"), {"sum"})
        self.assertEqual(wanted("// expect: sum\n// cheat: 5, flagged. Hides.\n// on a GPU: nothing\n"), set())


class Complaint(unittest.TestCase):
    def test_is_empty_where_what_should_be_lost_is_lost(self):
        self.assertEqual(cheats.complaint(result(sum="passed", speed="failed"), {"speed"}), "")
        self.assertEqual(cheats.complaint(result(sum="passed", speed="partial"), {"speed"}), "")

    def test_takes_what_waits_for_a_human_for_lost_or_not_as_it_should_be(self):
        self.assertEqual(cheats.complaint(result(speed="pending"), {"speed"}), "")
        self.assertEqual(cheats.complaint(result(speed="pending"), set()), "")

    def test_names_what_is_otherwise(self):
        self.assertEqual(cheats.complaint(result(sum="failed", speed="passed"), {"speed"}),
                         "does not lose speed; loses sum")
        self.assertEqual(cheats.complaint(result(sum="system_error"), set()), "could not be graded: sum")


if __name__ == "__main__":
    unittest.main()
