#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the speeds of all variants over the size of the matrices, as an SVG picture.

usage: plot.py CSV... > speeds.svg

Each CSV file has lines variant,M,N,K,ms,gflops (more columns do no harm); header lines may repeat.
Lines with the same variant make one curve, whichever files they come from.
"""
import csv
import html
import sys

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 30, 50  # around the axes
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"]


def read(paths):
    """{variant: {size: best gflops}}, in the order in which the variants appear."""
    curves = {}
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                if len(row) < 6 or row[0] == "variant":
                    continue
                size = (int(row[1]) * int(row[2]) * int(row[3])) ** (1 / 3)
                curve = curves.setdefault(row[0], {})
                curve[size] = max(curve.get(size, 0), float(row[5]))
    return curves


def step_for(largest):
    """A round distance between grid lines, of which there are then four to ten."""
    step = 1
    while largest / step > 10:
        step *= 2.5 if str(step).startswith("2") else 2
    return step


def axis(largest):
    step = step_for(largest)
    count = int(-(-largest // step))
    return [step * i for i in range(count + 1)]


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{html.escape(words)}</text>'


def draw(curves):
    sizes = axis(max(size for curve in curves.values() for size in curve))
    speeds = axis(max(speed for curve in curves.values() for speed in curve.values()))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def place(size, speed):
        return (LEFT + size / sizes[-1] * (right - LEFT), bottom - speed / speeds[-1] * (bottom - TOP))

    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="13">')
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    for speed in speeds:
        _, y = place(0, speed)
        yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#dddddd"/>' + text(LEFT - 8, y + 4, f"{speed:g}", "end")
    for size in sizes:
        x, _ = place(size, 0)
        yield f'<path d="M{x:.1f} {bottom}v5" stroke="black"/>' + text(x, bottom + 20, f"{size:g}")
    yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="black"/>'
    yield text((LEFT + right) / 2, HEIGHT - 10, "size (cube root of M N K)")
    yield text(18, (TOP + bottom) / 2, "GFLOP/s", more=f'transform="rotate(-90 18 {(TOP + bottom) / 2})"')
    for number, (variant, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = [place(size, speed) for size, speed in sorted(curve.items())]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for x, y in points:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
        row = TOP + 10 + 22 * number
        yield f'<path d="M{right + 15} {row}h20" stroke="{colour}" stroke-width="3"/>'
        yield text(right + 42, row + 4, variant, "start")
    yield "</svg>"


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    curves = read(sys.argv[1:])
    if not curves:
        print("plot.py: no line variant,M,N,K,ms,gflops in " + ", ".join(sys.argv[1:]), file=sys.stderr)
        return 1
    print("\n".join(draw(curves)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
