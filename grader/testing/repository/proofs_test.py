#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests proofs.py, and that tidy_test.py reads what has no proof.

usage: proofs_test.py ROOT
"""
import pathlib
import tempfile
import unittest

import proofs
import tidy_test


class AProof(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(self.folder.name) / "proved.txt"

    def tearDown(self):
        self.folder.cleanup()

    def of(self, test):
        return proofs.Proofs(self.place, test)

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
        self.assertNotIn("b.h", self.place.read_text(encoding="utf-8"))

    def test_has_another_key_for_parts_that_are_cut_otherwise(self):
        self.assertNotEqual(proofs.key("ab", "c"), proofs.key("a", "bc"))


class WhatTidyReads(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name).resolve()
        self.base = self.root / "grader" / "base"
        self.base.mkdir(parents=True)
        for name, text in {"one.h": "", "two.h": '#include "base/one.h"\n', "a.cpp": '#include "base/two.h"\n',
                           "b.cpp": '#include "base/one.h"\n', "c.cpp": ""}.items():
            (self.base / name).write_text(text, encoding="utf-8")
        self.found = {self.base / name: [] for name in ("a.cpp", "b.cpp", "c.cpp")}

    def tearDown(self):
        self.folder.cleanup()

    def read_for(self, *lacking):
        names = tidy_test.Names(self.root)
        return {path.name for path in tidy_test.still_to_read(names, self.found, {self.base / name for name in lacking})}

    def test_is_nothing_where_all_is_proved(self):
        self.assertEqual(self.read_for(), set())

    def test_is_the_source_that_changed(self):
        self.assertEqual(self.read_for("c.cpp"), {"c.cpp"})

    def test_is_one_source_for_a_header_that_changed(self):
        self.assertEqual(self.read_for("two.h"), {"a.cpp"})
        self.assertEqual(self.read_for("one.h"), {"a.cpp"})

    def test_is_no_further_source_for_a_header_of_a_source_that_changed(self):
        self.assertEqual(self.read_for("b.cpp", "one.h"), {"b.cpp"})


if __name__ == "__main__":
    unittest.main(argv=["proofs_test.py"])
