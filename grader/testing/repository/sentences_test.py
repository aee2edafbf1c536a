#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the catalogues of sentences with the code: the code says each sentence, a catalogue has each sentence that
the code says, and each reason for a loss has a form without places for hidden cases. The emulated device has a catalogue of its own, and no
other text becomes a finding of it.

usage: sentences_test.py ROOT
"""
import pathlib
import re
import sys

GRADERS = pathlib.PurePath("grader/sentences/en.txt")
DEVICES = pathlib.PurePath("grader/emulator/sentences/en.txt")
SAID = re.compile(r'"([a-z_]+\.[a-z_]+)"')
# Ids that are made of two words: a finding or a checker by the checker's name, a counter by its own.
MADE = ("finding.", "words.", "counted.", "checker.")
HIDDEN = "@hidden"
# {"name", ...}, listed("name", ...), finding.filling("name").
FILLING = re.compile(r'(?:\{\s*|listed\(|\w+(?:\.|->)filling\()"(\w+)"')
# A finding's sentence made of anything but say().
UNNAMED = re.compile(r"message(\.text)? = (fmt::|\"|std::string)|Sentence\{\"")
# These are no reasons for a loss, or are parts of one.
WITHOUT_HIDDEN_FORM = ("build.", "doer.", "sandbox.", "item.", "waits.", "words.", "owner.", "more.", "rubric.", "counter.value", "speed.outside",
                       "speed.time", "speed.rate", "speed.modelled", "speed.baseline", "speed.at_home",
                       "speed.measured", "speed.undecided", "decision.", "handout.", "place.", "who.", "state.", "size.",
                       "bound.", "source.", "program.", "writer.", "test.", "demand.", "counted.", "checker.",
                       "list.", "status.", "report.", "late.", "where.", "page.", "run.", "class.", "feedback.", "intake.")


def catalogue(root, path):
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def said_in(root, of_device):
    """Ids in the sources of the device or in the engine's others, but not in tests."""
    ids = set()
    device = root / "grader/emulator"
    for path in (root / "grader").rglob("*.cpp"):
        is_test = path.stem.endswith("_test") and not path.with_suffix(".h").exists()
        if not is_test and path.is_relative_to(device) == of_device:
            ids.update(SAID.findall(path.read_text(encoding="utf-8", errors="replace")))
    return ids


def within(source, begin):
    """The text up to the bracket that closes one opened before `begin`, and its parts between commas."""
    depth, quoted, parts, at = 0, False, [""], begin
    while at < len(source):
        char = source[at]
        if quoted and char == "\\":
            parts[-1] += char
            at += 1
        elif char == '"':
            quoted = not quoted
        elif not quoted and char in "([{":
            depth += 1
        elif not quoted and char in ")]}":
            depth -= 1
            if depth < 0:
                break
        if char == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += source[at]
        at += 1
    return [part.strip() for part in parts if part.strip()]


def places_of(text):
    return {place.split(":")[0] for place in re.findall(r"\{([^}]*)\}", text)}


def misfits(texts, source):
    """What is said with other fillings than its places; the device would end by an exception."""
    source = re.sub(r'"\s*\n\s*"', "", source)
    for call in re.finditer(r"\bsay\(", source):
        arguments = within(source, call.end())
        filled, is_known = set(), True
        for filling in within(arguments[1], 1) if len(arguments) > 1 and arguments[1].startswith("{") else []:
            name = FILLING.match(filling)
            is_known = is_known and name is not None
            filled.update([name.group(1)] if name else [])
        for sentence in SAID.findall(arguments[0]) if arguments else []:
            wanted = places_of(texts.get(sentence, ""))
            if sentence in texts and not (filled == wanted if is_known else filled <= wanted):
                yield f"{sentence}: filled with {sorted(filled)}, has {sorted(wanted)}"


def unnamed(source):
    """Lines that make a finding's sentence without a catalogue."""
    return [line.strip() for line in source.splitlines() if UNNAMED.search(line)]


def devices_problems(texts, said, sources):
    for sentence, text in texts.items():
        if sentence not in said:
            yield f"{sentence}: nothing says it"
        if text.rstrip() != text:
            yield f"{sentence}: it ends with a blank"
    for sentence in said - set(texts):
        if sentence.split(".")[0] in {known.split(".")[0] for known in texts}:
            yield f"{sentence}: the catalogue has no such sentence"
    for path, source in sources:
        yield from (f"{path}: {line}" for line in misfits(texts, source))
        yield from (f"{path}: a finding whose sentence has no id: {line}" for line in unnamed(source))


def problems(texts, said):
    for sentence, text in texts.items():
        base = sentence.removesuffix(HIDDEN)
        if sentence.endswith(HIDDEN):
            if base not in texts:
                yield f"{sentence}: there is no sentence {base}"
            if "{" in text:
                yield f"{sentence}: a hidden case would show what fills a place"
        elif base not in said and not base.startswith(MADE):
            yield f"{sentence}: nothing says it"
        elif base + HIDDEN not in texts and not base.startswith(WITHOUT_HIDDEN_FORM):
            yield f"{sentence}: there is no {base}{HIDDEN}"
        if not sentence.endswith(HIDDEN) and text.rstrip() != text:
            yield f"{sentence}: it ends with a blank"


def main():
    root = pathlib.Path(sys.argv[1])
    texts, devices = catalogue(root, GRADERS), catalogue(root, DEVICES)
    assert list(problems({"a.b": "one", "a.b@hidden": "{x}", "c.d": "two"}, {"a.b"})) == [
        "a.b@hidden: a hidden case would show what fills a place", "c.d: nothing says it"], "the test itself"
    assert list(devices_problems({"a.b": "one", "a.c": "two"}, {"a.b", "a.d", "x.cu"}, [("f", 'message = fmt::format();')])) == [
        "a.c: nothing says it", "a.d: the catalogue has no such sentence",
        "f: a finding whose sentence has no id: message = fmt::format();"], "the test itself"
    assert list(misfits({"a.b": "{one} {two:x|y}"}, 'say("a.b", {{"one", f(1, "{")}, listed("two", x)}); say("a.b", {{"one", 1}});')) == [
        "a.b: filled with ['one'], has ['one', 'two']"], "the test itself"
    sources = [(path.relative_to(root), path.read_text(encoding="utf-8"))
               for folder in ("exec", "checkers", "memory", "runtime", "device") for path in (root / "grader/emulator" / folder).rglob("*.cpp")
               if not path.stem.endswith("_test")]
    found = [f"{GRADERS}: {line}" for line in problems(texts, said_in(root, False))]
    found += [f"{DEVICES}: {line}" for line in devices_problems(devices, said_in(root, True), sources)]
    print("\n".join(found + [f"{len(texts)} sentences of the grader, {len(devices)} of the device"]))
    return 1 if found else 0


sys.exit(main())
