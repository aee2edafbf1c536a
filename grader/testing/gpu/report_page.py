# SPDX-License-Identifier: MIT
"""What report.py measured, as Markdown: one block for each section, between two markers of the page."""
import itertools
import re
import statistics

import speed_tables

MOST_WORDS = 140
MOST_ROWS = 150
WANTED_SPREAD = 0.02
# Half the width that a measured speed's interval is wanted to have at most.
SAME_SPEED = 0.02
WANTED_TIMED_S = 20
WANTED_IDLE = 0.3


def cell(text):
    """In one line, short enough for a table, with nothing that Markdown takes for its own."""
    line = " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")
    return line if len(line) <= MOST_WORDS else line[:MOST_WORDS - 3] + "..."


def table(head, rows):
    return speed_tables.table(head, [[cell(each) for each in row] for row in rows])


def verdict(reached):
    return "reached" if reached else "missed"


def median_deviation(values):
    middle = statistics.median(values)
    return statistics.median(abs(value - middle) for value in values)


def order(number, other, tolerance):
    """1, 0 or -1: which is more; 0 where they differ by no more than that part of the larger."""
    if abs(number - other) <= tolerance * max(abs(number), abs(other)):
        return 0
    return 1 if number > other else -1


def rank_correlation(pairs, tolerance=0):
    """Kendall's tau-b; None where one side is the same everywhere. Numbers tie that differ by no more than that part."""
    concordant = tied_left = tied_right = 0
    count = 0
    for (left, right), (other_left, other_right) in itertools.combinations(pairs, 2):
        count += 1
        lefts, rights = order(left, other_left, tolerance), order(right, other_right, tolerance)
        concordant += lefts * rights
        tied_left += lefts == 0
        tied_right += rights == 0
    scale = ((count - tied_left) * (count - tied_right)) ** 0.5
    return concordant / scale if scale else None


def length_of_union(intervals):
    length, reached = 0, None
    for start, end in sorted(intervals):
        start = start if reached is None else max(start, reached)
        length += max(0, end - start)
        reached = end if reached is None else max(reached, end)
    return length


class Section:
    """What one section's units gave."""

    def __init__(self, name, report):
        self.name = name
        self.machines = report["machines"]
        self.units = {unit.split("/", 1)[1]: record for unit, record in report["units"].items()
                      if unit.startswith(name + "/")}

    def data(self):
        return {unit: record["data"] for unit, record in self.units.items() if record["why"] == ""}

    def where(self):
        """GPU, driver, toolkit and date; more than one where calls were made on several."""
        numbers = sorted({record["machine"] for record in self.units.values()})
        names = []
        for number in numbers:
            each = self.machines[number]
            names.append(f"{each['gpu']} (driver {each['driver']}, CUDA {each['cuda']}, nvcc {each['nvcc']}), {each['date']}")
        return "; ".join(names) + "."

    def failures(self):
        lines = [f"- not measured: {unit}: {cell(record['why'])}" for unit, record in self.units.items() if record["why"]]
        return ["\n".join(lines)] if lines else []


def merged_references(section):
    """One result of all assignments, as speed_tables reads it."""
    merged = {}
    for result in section.data().values():
        if not merged:
            merged = {**result, "tasks": [], "errors": []}
        merged["tasks"] += result["tasks"]
        merged["errors"] += result["errors"]
    return merged


def references(section):
    merged = merged_references(section)
    return [speed_tables.all_tables(merged)] if merged else []


def items_that_differ(graded):
    points = {}
    for result in graded.values():
        for item in result["items"]:
            points.setdefault(item["id"], set()).add((item["points"], item["status"]))
    return [item for item, seen in points.items() if len(seen) > 1]


def measured_speeds(graded):
    """All measured numbers of each performance item and case."""
    found = {}
    for result in graded.values():
        for speed in result["speeds"]:
            if speed["measured"] is not None:
                found.setdefault((speed["item"], speed["case"]), []).append(speed["measured"])
    return found


def first_line(text):
    """What is said, without the hint below it."""
    return text.split("\n", 1)[0]


def never_measured(graded):
    """What each performance item says of which not one number was measured, by its id."""
    measured = {item for item, _ in measured_speeds(graded)}
    found = {}
    for result in graded.values():
        for item in result["items"]:
            if item["kind"] == "performance" and item["id"] not in measured:
                found.setdefault(item["id"], first_line(item["message"]))
    return found


def repeat(section):
    rows = []
    for slug, data in sorted(section.data().items()):
        graded = data["graded"]
        differ = items_that_differ(graded)
        start = [slug, data["answer"], len(graded), ", ".join(differ) or "the same", verdict(not differ)]
        ends = []
        for (item, case), values in sorted(measured_speeds(graded).items()):
            spread = median_deviation(values) / statistics.median(values)
            ends.append([f"{item} in {case}", len(values), f"{statistics.median(values):.4g}", f"{100 * spread:.2f} %",
                         f"{min(values):.4g} to {max(values):.4g}", verdict(spread <= WANTED_SPREAD)])
        ends += [[f"{item}: {why}", "none", "", "", "", "missed"] for item, why in sorted(never_measured(graded).items())]
        rows += [(start if number == 0 else [""] * len(start)) + end for number, end in enumerate(ends)]
    head = ["Assignment", "Answer", "Graded", "Points of its items", "Wanted: the same", "Speed", "Measured", "Median",
            "MAD", "From to", "Wanted: MAD at most 2 %"]
    words = ("The same answer is handed in by several students of one class. It is one that earned a part of the points for "
             "speed, where there is one.")
    return [words, table(head, rows)] if rows else []


def timed_s(result):
    """How long the submission had a GPU to itself."""
    return sum(hold["end_ms"] - hold["start_ms"] for hold in result["holds"] if hold["alone"]) / 1000


def idle_part(data):
    """The part of the time in which nobody had the GPU; of all GPUs, where there were several."""
    held = {}
    for result in data["graded"].values():
        for hold in result["holds"]:
            if hold["start_ms"] >= data["start_ms"]:
                held.setdefault(hold["gpu"], []).append((hold["start_ms"], hold["end_ms"]))
    whole_ms = (data["end_ms"] - data["start_ms"]) * len(held)
    return 1 - sum(map(length_of_union, held.values())) / whole_ms if whole_ms else None


def was_resumed(data):
    return any(hold["start_ms"] < data["start_ms"] for result in data["graded"].values() for hold in result["holds"])


def overhead(sections):
    """Of every class that was graded with timing, whatever for."""
    rows = []
    for section in sections:
        for unit, data in sorted(section.data().items()):
            seconds = [timed_s(result) for result in data["graded"].values() if timed_s(result) > 0]
            gpus = {hold["gpu"] for result in data["graded"].values() for hold in result["holds"] if hold["alone"]}
            idle = None if was_resumed(data) else idle_part(data)
            if not seconds:
                continue
            rows.append([unit, section.name, len(data["graded"]), len(gpus), f"{statistics.median(seconds):.1f} s", f"{max(seconds):.1f} s",
                         verdict(max(seconds) <= WANTED_TIMED_S), f"{(data['end_ms'] - data['start_ms']) / 1000:.0f} s",
                         "" if idle is None else f"{100 * idle:.0f} %", "" if idle is None else verdict(idle <= WANTED_IDLE)])
    head = ["Assignment", "Class", "Submissions", "GPUs", "Timing one: median", "longest", "Wanted: at most 20 s", "The class took",
            "GPU idle", "Wanted: at most 30 %"]
    words = ("Timing one: how long a submission had the GPU to itself, all its timed cases together. Idle: the part of the time "
             "from the start of the command to its end in which no submission had the GPU. Several GPUs time at once, one "
             "submission each. The classes are those of the other "
             "sections.")
    return [words, table(head, rows)] if rows else []


KINDS = ["correctness", "requirement", "efficiency"]


def why_left_out(row, difference):
    """Why the two devices need not say the same there; empty where they should."""
    return difference.get("checker") or ("cheats" if row["role"] == "exploit" else "")


def of_left_out(row):
    """One line about a program's differences that do not count; none where it has none."""
    each = [one for one in row["disagreements"] if why_left_out(row, one)]
    reasons = sorted({why_left_out(row, one) for one in each})
    only = sum(one["emulated"].startswith("failed") for one in each)
    return [[f"{row['role']} {row['name']}", ", ".join(reasons), only, len(each) - only]] if each else []


def agreement(section):
    rows, listed, left_out, silent = [], [], [], []
    for slug, data in sorted(section.data().items()):
        unseen = data.get("silent", [])
        silent += [[slug, f"{each['role']} {each['name']}", each["cases"], each["why"]] for each in unseen]
        compared = {kind: 0 for kind in KINDS}
        differ = {kind: 0 for kind in KINDS}
        excused = 0
        grouped = {}
        for row in data["compared"]:
            for kind, count in row["compared"].items():
                compared[kind] += count
            left_out += [[slug, *line] for line in of_left_out(row)]
            for each in row["disagreements"]:
                if why_left_out(row, each):
                    compared[each["kind"]] -= 1
                    excused += 1
                    continue
                differ[each["kind"]] += 1
                grouped.setdefault((f"{row['role']} {row['name']}", each["item"]), []).append(each)
        rows.append([slug, f"{len(data['compared'])} of {data['submissions']}"] +
                    [f"{compared[kind] - differ[kind]} of {compared[kind]}" for kind in KINDS] + [excused] +
                    [verdict(not differ["correctness"] and not differ["requirement"] and not unseen)])
        for (program, item), each in grouped.items():
            listed.append([slug, program, f"{item} ({each[0]['kind']})", f"{each[0]['case']}" +
                           (f" and {len(each) - 1} more" if len(each) > 1 else ""), each[0]["emulated"], each[0]["gpu"]])
    if not rows:
        return []
    words = ("Verdicts of the emulated device and the GPU on the same binary, in every case: model answer, skeleton, wrong, "
             "accepted and cheating answers. A program that does not build has none. Left out are differences in cases where "
             "the emulated device's checkers found a race, a barrier or an access that CUDA does not define: there a GPU may "
             "do anything, mostly what was meant. So are those of programs that cheat: they attack the record of one device or "
             "the other, and what counts is the grade that they end up with (section \"Programs that cheat\").")
    parts = [words, table(["Assignment", "Programs", *(f"{kind}: the same" for kind in KINDS), "Left out",
                           "Wanted: all of correctness and requirement"], rows)]
    if left_out:
        parts += ["Programs whose differences were left out:",
                  table(["Assignment", "Program", "Why", "Lost on the emulated device alone", "Lost on the GPU alone"],
                        left_out)]
    if listed:
        more = [f"{len(listed) - MOST_ROWS} more are in the raw data."] if len(listed) > MOST_ROWS else []
        parts += ["Where they differ:", table(["Assignment", "Program", "Item", "Case", "Emulated device", "GPU"],
                                              listed[:MOST_ROWS]), *more]
    if silent:
        more = [f"{len(silent) - MOST_ROWS} more are in the raw data."] if len(silent) > MOST_ROWS else []
        parts += ["Where nothing was recorded on the GPU, so that nothing was compared:",
                  table(["Assignment", "Program", "Cases", "How it ended there"], silent[:MOST_ROWS]), *more]
    return parts


def failed_a_condition(item):
    """Whether something else cost the points, so that nobody timed it. Where the model gave none either, that is what it says."""
    return item["message"].startswith("earns nothing because") or " modelled for " in item["message"]


def not_measured(result):
    """Each performance item that has no speed of some case, and why."""
    missing = {speed["item"] for speed in result["speeds"] if speed["modelled"] is not None and speed["measured"] is None}
    return [(item["id"], first_line(item["message"])) for item in result["items"]
            if item["id"] in missing and item["status"] not in ("passed", "partial") and not failed_a_condition(item)]


def speeds(section):
    correlations, rows, missing = [], [], []
    for slug, data in sorted(section.data().items()):
        pairs = {}
        for name, result in sorted(data["graded"].items()):
            missing += [[slug, item, name, why] for item, why in not_measured(result)]
            for speed in result["speeds"]:
                if speed["modelled"] is not None and speed["measured"] is not None:
                    pairs.setdefault((speed["item"], speed["case"]), []).append((name, speed["modelled"], speed["measured"]))
        for (item, case), answers in sorted(pairs.items()):
            tau = rank_correlation([each[1:] for each in answers], SAME_SPEED)
            correlations.append([slug, item, case, len(answers), "too few differ" if tau is None else f"{tau:.2f}"])
            rows += [[slug, item, name, f"{modelled:.3g}", f"{measured:.3g}", f"{modelled / measured:.2f}" if measured else ""]
                     for name, modelled, measured in sorted(answers, key=lambda each: each[2])]
        if not pairs:
            correlations.append([slug, "no answer was measured", "", 0, ""])
    if not correlations:
        return []
    words = ("Kendall's rank correlation (tau-b) of modelled and measured speeds. Two answers whose speeds are within "
             f"{100 * SAME_SPEED:.0f} % of each other, by the model or as measured, count there as equally fast: no measurement is "
             "asked to be more exact.")
    return [words,
            table(["Assignment", "Item", "Case", "Answers", "Correlation"], correlations),
            "The speeds. The model is of the emulated device that the rubric names; the case is mostly larger on the GPU.",
            table(["Assignment", "Item", "Answer", "Modelled", "Measured", "Modelled/measured"], rows),
            *(["Not measured:", table(["Assignment", "Item", "Answer", "Why"], missing)] if missing else [])]


def cheat_rows(slug, data):
    for name, result in sorted(data["graded"].items()):
        flags = {flag["what"] for item in result["items"] for flag in item["flags"]}
        yield [slug, name, result["score"], ", ".join(sorted(flags)), result["complaint"] or "as it should"]
    for name in data["missing"]:
        yield [slug, name, "", "", "was not graded"]


def cheating(section):
    rows = [row for slug, data in sorted(section.data().items()) for row in cheat_rows(slug, data)]
    good = sum(row[-1] == "as it should" for row in rows)
    words = f"{good} of {len(rows)} programs that cheat lose what their headers name, and nothing else."
    return [words, table(["Assignment", "Program", "Score", "Flags", "Outcome"], rows)] if rows else []


def traces(section):
    rows = []
    for slug, data in sorted(section.data().items()):
        same = sum(case["same"] for case in data["cases"])
        emulated, gpu = (sum(case["different"][side] for case in data["cases"]) for side in (0, 1))
        first = next((line for case in data["cases"] for line in case["only_gpu"] + case["only_emulated"]), "")
        rows.append([slug, len(data["cases"]), same, emulated, gpu, first])
    words = ("Records of the model answer's calls and launches, with their arguments: what the emulated device wrote and what "
             "the tracing library wrote on the GPU.")
    head = ["Assignment", "Cases", "The same", "Only emulated", "Only on the GPU", "The first that differs"]
    return [words, table(head, rows)] if rows else []


def reading(row, said):
    """The number in what an item said, or that a tool found nothing; all of it where there is neither."""
    number = re.search(rf"\b{re.escape(row['name'])} is (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b", said)
    if number:
        return number.group(1)
    return "clean" if row["what"] == "tool" and said.strip() == "passed:" else said


def instruments(section):
    rows = [[slug, each["what"], each["name"], reading(each, each["gpu"]), reading(each, each["emulated"])]
            for slug, data in sorted(section.data().items()) for each in data["rows"]]
    words = ("What ncu and compute-sanitizer said of the model answer, run by the grader in its sandbox: counters under the "
             "names that a rubric has for them, beside the emulated device's where it counts the same, in the timed case.")
    return [words, table(["Assignment", "", "Name", "GPU", "Emulated device"], rows)] if rows else []


# (name of the block, sections that it is about, what makes it)
BLOCKS = [("references", ["references"], references), ("repeat", ["repeat"], repeat),
          ("overhead", ["speeds", "repeat", "cheats"], None), ("agreement", ["agreement"], agreement),
          ("speeds", ["speeds"], speeds), ("cheats", ["cheats"], cheating), ("traces", ["traces"], traces),
          ("instruments", ["instruments"], instruments)]


def begin_of(name):
    return speed_tables.BEGIN if name == "references" else f"<!-- report.py writes {name} from here -->"


def end_of(name):
    return speed_tables.END if name == "references" else f"<!-- {name} to here -->"


def block(name, section_names, make, report):
    """The block's Markdown; empty where nothing was tried."""
    sections = [section for section in (Section(each, report) for each in section_names) if section.units]
    if not sections:
        return ""
    parts = make(sections[0]) if make else overhead(sections)
    where = [] if name == "references" and parts else [sections[0].where()]
    failures = [part for section in sections for part in section.failures()] if make else []
    return "\n\n".join([*where, *parts, *failures])


def written_into(page, report):
    """The page with each block replaced that the report has anything of."""
    for name, sections, make in BLOCKS:
        begin, end = begin_of(name), end_of(name)
        if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
            raise ValueError(f"the page lacks the lines {begin} and {end}")
        text = block(name, sections, make, report)
        if text:
            before, rest = page.split(begin)
            page = f"{before}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"
    return page
