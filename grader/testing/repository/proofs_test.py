#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests proofs.py.

usage: proofs_test.py ROOT
"""
import pathlib
import tempfile
import unittest

import proofs
import tree


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()


class AProof(InAFolder):
    def of(self, test):
        return proofs.Proofs(test, self.root / "proved.txt")

    def test_is_lacking_where_nothing_was_written(self):
        self.assertEqual(self.of("tidy").lack({"a.cpp": "1"}), {"a.cpp"})

    def test_holds_until_the_key_changes(self):
        self.of("tidy").write({"a.cpp": "1", "b c.cpp": "2"})
        self.assertEqual(self.of("tidy").lack({"a.cpp": "1", "b c.cpp": "2"}), set())
        self.assertEqual(self.of("tidy").lack({"a.cpp": "1", "b c.cpp": "3", "d.cpp": "4"}), {"b c.cpp", "d.cpp"})

    def test_of_one_test_is_none_of_another(self):
        self.of("tidy").write({"a.h": "1"})
        self.assertEqual(self.of("headers").lack({"a.h": "1"}), {"a.h"})
        self.of("headers").write({"a.h": "2"})
        self.assertEqual(self.of("tidy").lack({"a.h": "1"}), set())

    def test_of_a_file_that_is_gone_is_forgotten(self):
        self.of("tidy").write({"a.h": "1", "b.h": "2"})
        self.of("tidy").write({"a.h": "1"})
        self.assertNotIn("b.h", (self.root / "proved.txt").read_text(encoding="utf-8"))


class AKey(InAFolder):
    def setUp(self):
        super().setUp()
        self.base = self.root / "grader" / "base"
        self.base.mkdir(parents=True)
        for name, text in {"one.h": "", "two.h": '#include "base/one.h"\n', "a.cpp": '#include "base/two.h"\n',
                           "b.cpp": "#include <map>\n"}.items():
            (self.base / name).write_text(text, encoding="utf-8")
        self.before = self.keys()

    def keys(self, *rules):
        tree.all_included.cache_clear()
        return proofs.keys(self.root, [self.base / "a.cpp", self.base / "b.cpp"], rules)

    def changed(self, now):
        return {pathlib.PurePath(path).name for path in now if now[path] != self.before[path]}

    def change(self, name):
        with open(self.base / name, "a", encoding="utf-8") as file:
            file.write("// changed\n")

    def test_stays_as_long_as_nothing_changes(self):
        self.assertEqual(self.changed(self.keys()), set())

    def test_changes_with_its_file_alone(self):
        self.change("b.cpp")
        self.assertEqual(self.changed(self.keys()), {"b.cpp"})

    def test_changes_with_a_header_that_a_header_includes(self):
        self.change("one.h")
        self.assertEqual(self.changed(self.keys()), {"a.cpp"})

    def test_changes_with_the_rules(self):
        self.assertEqual(self.changed(self.keys(b"stricter")), {"a.cpp", "b.cpp"})


if __name__ == "__main__":
    unittest.main(argv=["proofs_test.py"])
