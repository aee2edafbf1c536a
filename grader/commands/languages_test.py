#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grades one class in each language that the grader speaks, and finds no English of a page's frame in what it writes.

usage: languages_test.py WARPGRADE COURSE
"""
import html
import pathlib
import re
import subprocess
import sys
import tempfile

WARPGRADE, COURSE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SENTENCES = pathlib.Path(__file__).resolve().parent.parent / "sentences"
LANGUAGES = ("it", "ru", "sr")
FRAME = ("page.", "class.", "report.", "status.", "late.", "place.", "where.", "intake.", "test.", "item.", "handout.")
NO_GUARD = ("i < n;", "i <= n;")
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(what)


def run(*arguments, wanted=0, cwd=None):
    ran = subprocess.run([WARPGRADE, *arguments], capture_output=True, text=True, check=False, cwd=cwd)
    check(ran.returncode == wanted, f"{arguments} ended with {ran.returncode}: {ran.stdout}{ran.stderr}")
    return ran.stdout


def sentences(language):
    lines = (SENTENCES / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def phrases(texts):
    """What stands between the places of a frame's sentences, where it is long enough to be no accident."""
    found = set()
    for key, text in texts.items():
        if key.startswith(FRAME):
            parts = (part.strip(" .,:;()'\"") for part in re.split(r"\{[^}]*\}", text))
            found.update(part for part in parts if len(part) >= 6 and re.search("[a-z]", part))
    return found


def shown(path):
    """The text of a file; of a page without its style, its scripts' code and text for machines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        text = re.sub(r"<(style|code|pre)\b.*?</\1>", " ", text, flags=re.S)
        text = re.sub(r"<script>.*?</script>", " ", text, flags=re.S)
        text = re.sub(r'"\w+":', " ", text)  # keys of the scripts' data
        labels = re.findall(r'aria-label="([^"]*)"', text)
        text = html.unescape(re.sub(r"<[^>]*>", "\n", text) + "\n".join(labels))
    return text


def hand_in(folder):
    right = (COURSE / "reference/vecadd/vecadd.cu").read_text(encoding="utf-8")
    wrong = right.replace(*NO_GUARD)
    check(wrong != right, f"the model answer has no {NO_GUARD[0]}")
    for student, source in {"ann": wrong, "bob": right + "int broken words;\n", "cy": " \n"}.items():
        (folder / student).mkdir(parents=True)
        (folder / student / "vecadd.cu").write_text(source, encoding="utf-8")
    (folder / "dan").mkdir()


def grade_in(language, folder):
    results = folder / language
    out = run("--course", COURSE, "--language", language, "grade", "vecadd", folder / "class", "-o", results)
    pages = {path: path.read_bytes() for path in [*results.glob("students/*"), results / "index.html"]}
    check(len(pages) == 9, f"{language}: {sorted(pages)}")
    run("--language", "it" if language == "en" else "en", "report", results, wanted=2, cwd=folder)
    run("report", results, cwd=folder)
    for path, before in pages.items():
        check(path.read_bytes() == before, f"{path} changes its language when it is written again")
        if path.suffix == ".html":
            check(f'<html lang="{language}">' in before.decode(), f"{path} names no language")
    # What the commands say of themselves stays English: where the files lie, and who is meant.
    table = out.split("\nResults: ")[0]
    report = run("show", results, "ann", cwd=folder).partition("vecadd, ann")[2]
    return table + report + "".join(shown(path) for path in pages)


def main():
    english = phrases(sentences("en"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o711)
        hand_in(folder / "class")
        for language in LANGUAGES:
            text = grade_in(language, folder)
            own = "\n".join(sentences(language).values())
            for phrase in sorted(english):
                # An item's id, such as no-elements, is a name and no word.
                is_there = re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", text) and phrase not in own
                check(not is_there, f"{language}: '{phrase}' is English")
            reasons = sentences(language)
            for key in ("intake.empty", "intake.nothing"):
                wanted = reasons[key].replace("{name}", "vecadd.cu")
                check(wanted in text, f"{language}: nothing says '{wanted}'")
    print(f"{len(english)} English phrases, {len(LANGUAGES)} languages, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
