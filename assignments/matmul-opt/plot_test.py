#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of plot.py."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import plot

SVG = "{http://www.w3.org/2000/svg}"
HEADER = "variant,M,N,K,ms,gflops\n"


def run(*texts):
    """plot.py's end with these files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, text in enumerate(texts):
            paths.append(pathlib.Path(folder, f"{number}.csv"))
            paths[-1].write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, plot.__file__, *paths], capture_output=True, text=True, check=False)


class Plot(unittest.TestCase):
    def test_draws_a_curve_for_each_variant_of_all_files(self):
        done = run(HEADER + "one,8,8,8,1,10\n" + HEADER + "one,64,64,64,1,90\ntwo,8,8,8,1,20\n",
                   'a < b & "c",8,8,8,1,5,more\n')
        picture = ElementTree.fromstring(done.stdout)
        lines = [len(each.get("points").split()) for each in picture.iter(SVG + "polyline")]
        self.assertEqual((done.returncode, lines), (0, [2, 1, 1]))
        words = [each.text for each in picture.iter(SVG + "text")]
        self.assertEqual(words[-3:], ["one", "two", 'a < b & "c"'])

    def test_keeps_the_best_of_equal_sizes_and_all_points_inside(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "speeds.csv")
            path.write_text("one,27,8,1,1,10\none,6,6,6,1,47000\none,6,6,6,1,30\n", encoding="utf-8")
            curves = plot.read([path])
        ((size, speed),) = curves["one"].items()
        self.assertAlmostEqual(size, 6)
        self.assertEqual(speed, 47000)
        self.assertGreaterEqual(plot.axis(speed)[-1], speed)

    def test_puts_a_round_grid_of_few_lines_over_any_range(self):
        for largest in [1, 7, 10, 11, 99, 1500, 45000, 51200]:
            axis = plot.axis(largest)
            self.assertGreaterEqual(axis[-1], largest)
            self.assertTrue(2 <= len(axis) <= 12, axis)

    def test_says_so_where_there_is_nothing_to_draw(self):
        done = run(HEADER)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no line variant,M,N,K,ms,gflops", done.stderr)


if __name__ == "__main__":
    unittest.main()
