# SPDX-License-Identifier: MIT
"""What reference_speed.py measured, as Markdown: model answers beside their limits, the candidates beside
them, and the speedups on which the curves of the performance items rest."""
import math
import pathlib
import re
import statistics

COURSE = pathlib.Path(__file__).resolve().parents[3]
BEGIN = "<!-- reference_speed.py writes from here -->"
END = "<!-- to here -->"

DEVICE_COPY = "cudaMemcpy on the device"
SUM = "cub::DeviceReduce::Sum"
PEDANTIC = "cublasSgemm, pedantic"
PRODUCT = [PEDANTIC, "cublasSgemm, default"]


def histogram_limits(data):
    return [f"cub::DeviceHistogram, {data}", f"cub::DeviceHistogram, {data}, float levels"]


# (group, task, what it is held against: the fastest of these, the fraction that is wanted of it)
ROWS = [
    ("vecadd", "add", [DEVICE_COPY], 0.90),
    ("matadd", "add 32 x 8", [DEVICE_COPY], 0.90),
    ("matadd", "add 32 x 8", ["copy, 32 x 8"], None),
    ("matadd", "add 32 x 32", ["copy, 32 x 32"], None),
    ("matadd", "add 16 x 16", ["copy, 16 x 16"], None),
    ("transpose", "copy", [DEVICE_COPY], None),
    ("transpose", "naive", ["copy, 32 x 32"], None),
    ("transpose", "coalesced", ["copy, 32 x 32"], None),
    ("transpose", "no_conflicts", ["copy, 32 x 32"], None),
    ("transpose", "fast", ["copy, 32 x 8, four each"], 0.90),
    ("transpose", "fast", [DEVICE_COPY], 0.80),
    ("dot", "static", [SUM], 0.90),
    ("dot", "static", ["cub::DeviceReduce::TransformReduce, products", "cublasSdot"], 0.90),
    ("dot", "dynamic", [SUM], None),
    ("pi", "shared", [SUM], 0.90),
    ("pi", "shared", ["cub::DeviceReduce::TransformReduce, points inside"], 0.90),
    ("pi", "global", [SUM], None),
    ("histogram", "global uniform", histogram_limits("uniform"), None),
    ("histogram", "shared uniform", histogram_limits("uniform"), 0.90),
    ("histogram", "shared equal", histogram_limits("equal"), 0.90),
    ("histogram", "shared two", histogram_limits("two"), None),
    ("histogram", "shared text", histogram_limits("text"), None),
    ("histogram", "shared runs", histogram_limits("runs"), None),
    ("race-atomics", "atomic", ["cub::DeviceReduce::Sum of ones"], None),
    ("race-atomics", "by_blocks", ["cub::DeviceReduce::Sum of ones"], None),
    ("constmem", "filter_global", [DEVICE_COPY], None),
    ("constmem", "filter", [DEVICE_COPY], None),
    ("matmul-pitched", "dense", PRODUCT, None),
    ("matmul-pitched", "padded", PRODUCT, None),
    ("matmul-tiled", "device 16", PRODUCT, None),
    ("matmul-tiled", "device 32", PRODUCT, None),
    ("matmul-opt", "one", PRODUCT, None),
    ("matmul-opt", "two", PRODUCT, None),
    ("matmul-opt", "own", PRODUCT, 0.60),
]

# (group, performance item of its rubric, tasks of its cases, the answer that it is measured against)
ITEMS = [
    ("dot", "speed", ["static"], "baselines/naive"),
    ("dot", "near-reference", ["static"], "reference"),
    ("histogram", "speed", ["shared uniform", "shared equal"], "baselines/naive"),
    ("matadd", "speed", ["add 32 x 8", "add 32 x 32"], "baselines/copy"),
    ("matmul-opt", "speed-two", ["two"], "baselines/one"),
    ("matmul-opt", "speed-own", ["own"], "reference"),
    ("matmul-tiled", "speed", ["device 32"], "baselines/naive"),
    ("pi", "speed", ["shared"], "baselines/naive"),
    ("pi", "near-copy", ["shared"], "baselines/copy"),
    ("race-atomics", "speed", ["by_blocks"], "baselines/naive"),
    ("transpose", "speed", ["fast"], "baselines/copy"),
    ("vecadd", "speed", ["add"], "baselines/copy"),
]


def times_of(task):
    """Milliseconds of the kernels alone where CUPTI told them, else between events; none where nothing was
    launched. A call whose records are missing does not count."""
    if not task["kernel_ms"] or (task["kernels"] and not any(task["kernel_ms"])):
        return task["event_ms"]
    return [time for time in task["kernel_ms"] if time > 0]


def median_ms(task):
    return statistics.median(times_of(task))


def spread(task):
    """The median absolute deviation, relative to the median."""
    times, middle = times_of(task), median_ms(task)
    return statistics.median(abs(time - middle) for time in times) / middle


def find(result, group, program, name, size="large"):
    """The task, where it was measured and launched anything."""
    for task in result["tasks"]:
        found = (task["group"], task["program"], task["task"], task["size"])
        if found == (group, program, name, size) and times_of(task):
            return task
    return None


def limits_of(result, group, names):
    """Of the tasks with these names, the one that is fastest for its work."""
    tasks = [find(result, group, program, name) for program in ("limits", "cublas") for name in names]
    return min((task for task in tasks if task), key=lambda task: median_ms(task) / work(task), default=None)


def work(task):
    return task["flop"] if task["group"].startswith("matmul") else task["bytes"] or 1.0


def rate(task):
    if not work(task) > 1:
        return ""
    value = work(task) / 1e6 / median_ms(task)
    return f"{value:.0f} {'GFLOP/s' if task['group'].startswith('matmul') else 'GB/s'}"


def fraction(task, limit):
    return (work(task) / median_ms(task)) / (work(limit) / median_ms(limit))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def note_of(task):
    return "" if task["right"] is not False else " (wrong result)"


def row_of(task, limit, wanted):
    reached = "" if limit is None else f"{fraction(task, limit):.2f}"
    verdict = ""
    if wanted is not None and limit is not None:
        verdict = f"{wanted:.2f} {'reached' if fraction(task, limit) >= wanted else 'missed'}"
    return [task["group"], task["program"].split("/")[-1], task["task"] + note_of(task), f"{median_ms(task):.4f}",
            f"{100 * spread(task):.1f} %", rate(task), "" if limit is None else limit["task"], reached, verdict]


HEAD = ["Assignment", "Answer", "Task", "ms", "± MAD", "Rate", "Limit", "Reached", "Wanted"]


def programs_of(result, group, part):
    """Labels of the answers in a folder beside the reference, in the order in which they were measured."""
    labels = [task["program"] for task in result["tasks"] if task["group"] == group]
    return [label for label in dict.fromkeys(labels) if label.startswith(part + "/")]


def reference_rows(result):
    rows = []
    for group, name, against, wanted in ROWS:
        limit = limits_of(result, group, against)
        programs = ["reference"]
        if (group, name) == ("matmul-opt", "own"):
            programs = programs_of(result, group, "ladder") + programs
        for program in programs:
            task = find(result, group, program, name)
            if task:
                rows.append(row_of(task, limit, wanted if program == "reference" else None))
    return rows


def candidate_rows(result):
    rows = []
    for group, name, against, wanted in ROWS:
        limit = limits_of(result, group, against)
        for program in programs_of(result, group, "candidates"):
            task = find(result, group, program, name)
            if task:
                rows.append(row_of(task, limit, wanted))
    return rows


def limit_rows(result):
    peak = result["device"].get("peak_gb_per_s") or 0
    rows = []
    for task in result["tasks"]:
        if task["program"] not in ("limits", "cublas") or not times_of(task):
            continue
        of_peak = ""
        if peak and not task["group"].startswith("matmul") and work(task) > 1:
            of_peak = f"{work(task) / 1e6 / median_ms(task) / peak:.2f}"
        kernels = ", ".join(f"`{name[:60]}`" for name in task["kernels"]) if task["program"] == "cublas" else ""
        rows.append([task["group"], task["task"] + note_of(task), f"{median_ms(task):.4f}", rate(task), of_peak,
                     kernels])
    return rows


def curve_of(group, item):
    """(interpolation, points) of the item as its rubric has it now."""
    text = (COURSE / "rubrics" / f"{group}.yaml").read_text(encoding="utf-8")
    after = text.split(f"id: {item}\n", 1)[1]
    found = re.search(r"curve: \{interpolation: (\w+), points: (\[\[.*?\]\])\}", after)
    return found.group(1), [tuple(map(float, re.findall(r"[-\d.]+", pair)))
                            for pair in re.findall(r"\[([^\[\]]+)\]", found.group(2))]


def share(curve, speedup):
    """The share of the item's points that the curve gives."""
    interpolation, points = curve
    if speedup <= points[0][0]:
        return points[0][1]
    scale = math.log if interpolation == "log" else float
    for (left, low), (right, high) in zip(points, points[1:]):
        if speedup <= right:
            return low + (high - low) * (scale(speedup) - scale(left)) / (scale(right) - scale(left))
    return points[-1][1]


def speedup_cells(task, base, curve):
    """Milliseconds, speedup and share of the points."""
    if task is None or base is None:
        return ["", "", ""]
    speedup = median_ms(base) / median_ms(task)
    return [f"{median_ms(task):.4f}" + note_of(task), f"{speedup:.3g}", f"{share(curve, speedup):.2f}"]


def speedup_rows(result):
    rows = []
    for group, item, names, baseline in ITEMS:
        labels = dict.fromkeys(task["program"] for task in result["tasks"] if task["group"] == group)
        for program in labels:
            if program in ("limits", "cublas"):
                continue
            for name in names:
                row = [group, item, name, program]
                for size in ("graded", "large"):
                    row += speedup_cells(find(result, group, program, name, size),
                                         find(result, group, baseline, name, size), curve_of(group, item))
                if any(row[4:]):
                    rows.append(row)
    return rows


def device_lines(result):
    device = result["device"]
    timer = "of kernels and copies alone, by CUPTI's records" if device["timer"] == "CUPTI" else "between two events"
    return (f"{device['device']} (compute capability {device['compute_capability']}, {device['multiprocessors']} "
            f"multiprocessors, {device['clock_mhz']} MHz, memory {device['peak_gb_per_s']:.0f} GB/s by clock and bus), "
            f"driver {result['driver']}, CUDA {device['cuda_runtime'] // 1000}.{device['cuda_runtime'] % 1000 // 10}, "
            f"{result['date']}. Times are {timer}: medians of {device['rounds']} rounds (a third of them where a call "
            "takes more than 60 ms), in which limits and answers take turns, with the L2 cache flushed before each "
            "call. ± is the median absolute deviation.")


def all_tables(result):
    if not result["tasks"]:
        return "nothing was measured"
    parts = [device_lines(result), table(HEAD, reference_rows(result))]
    candidates = candidate_rows(result)
    if candidates:
        parts += ["Candidates:", table(HEAD, candidates)]
    parts += ["What they are held against. Kernels are named where they show whether tensor cores took part.",
              table(["Assignment", "Limit", "ms", "Rate", "Of peak", "Kernels"], limit_rows(result))]
    parts += ["Speedups over the baseline of each performance item, and the share of its points that the curve in "
              "the rubric gives for that, at a size at which a grader can time cases, and at the size of the tables "
              "above:",
              table(["Assignment", "Item", "Task", "Answer", "ms", "Speedup", "Share", "large: ms", "Speedup", "Share"],
                    speedup_rows(result))]
    parts += [f"Went wrong: {error}" for error in result["errors"]]
    return "\n\n".join(parts)


def write_into(page, result):
    """Replaces what stands between the markers of the page."""
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"{page} lacks the line {BEGIN} or {END}")
    before, rest = text.split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{all_tables(result)}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")
