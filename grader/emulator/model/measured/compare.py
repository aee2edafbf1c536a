#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares modelled with measured times of the validation variants.

usage: compare.py MEASURED.csv MODELLED.csv [GROUP]

Both as measured/variants.cuh prints them. Fails where the model is not as good as it is said to be:
Kendall's tau, the median absolute error, and each step of a ladder that is clearly faster on the GPU.
"""
import statistics
import sys

TAU_WANTED = 0.85
MEDIAN_ERROR_WANTED = 0.30
CLEARLY_FASTER = 1.15


def read_times(path, group):
    """[(ladder, variant, cold ms)] in the order of the file."""
    with open(path, encoding="utf-8") as lines:
        cells = [line.strip().split(",") for line in lines]
    return [(row[1], row[2], float(row[3])) for row in cells if row[0] == group]


def kendall_tau(pairs):
    """Tau-b of (x, y) pairs."""
    agree = against = x_ties = y_ties = 0
    for index, (x, y) in enumerate(pairs):
        for other_x, other_y in pairs[:index]:
            product = (x - other_x) * (y - other_y)
            agree += product > 0
            against += product < 0
            x_ties += x == other_x
            y_ties += y == other_y
    total = len(pairs) * (len(pairs) - 1) / 2
    return (agree - against) / ((total - x_ties) * (total - y_ties)) ** 0.5


def wrong_steps(rows):
    """Steps of a ladder that are clearly faster measured and not faster modelled, and the count of all."""
    wrong, steps = [], 0
    for (ladder, before, measured, modelled), (next_ladder, after, next_measured, next_modelled) in zip(rows, rows[1:]):
        if ladder != next_ladder:
            continue
        faster, slower = (next_measured, measured), (next_modelled, modelled)
        for (one, two), (model_one, model_two), names in (
                (faster, slower, (before, after)), (faster[::-1], slower[::-1], (after, before))):
            if one * CLEARLY_FASTER <= two:
                steps += 1
                if model_one >= model_two:
                    wrong.append(names)
    return wrong, steps


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    group = sys.argv[3] if len(sys.argv) == 4 else "validation"
    measured, modelled = read_times(sys.argv[1], group), read_times(sys.argv[2], group)
    if [row[:2] for row in measured] != [row[:2] for row in modelled]:
        sys.exit("the two files do not hold the same variants")
    rows = [(ladder, variant, ms, model[2]) for (ladder, variant, ms), model in zip(measured, modelled)]
    for ladder, variant, ms, model_ms in rows:
        print(f"{ladder:<18}{variant:<28}{ms:10.4f} ms measured {model_ms:10.4f} modelled {100 * (model_ms / ms - 1):+6.0f} %")
    tau = kendall_tau([row[2:] for row in rows])
    error = statistics.median(abs(model_ms / ms - 1) for _, _, ms, model_ms in rows)
    wrong, steps = wrong_steps(rows)
    print(f"{len(rows)} variants: Kendall's tau {tau:.3f} (at least {TAU_WANTED} is wanted), "
          f"median absolute error {100 * error:.0f} % (at most {100 * MEDIAN_ERROR_WANTED:.0f} %), "
          f"{steps - len(wrong)} of {steps} steps the right way round")
    for slow, fast in wrong:
        print(f"not faster in the model: {fast} than {slow}")
    return tau < TAU_WANTED or error > MEDIAN_ERROR_WANTED or bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
