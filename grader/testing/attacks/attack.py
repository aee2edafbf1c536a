# SPDX-License-Identifier: MIT
"""Attacks as files: their headers, and the text that is handed in."""
import importlib.util
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
STAGES = ("compile", "run", "record", "timing", "reports", "neighbours", "archives")
KEYS = ("attacks", "control", "earns", "must stay", "undefended", "handed in")
EARNS = ("at most its control", "exactly its control")
STAYS = ("host files", "processes", "network", "neighbours", "memory", "secret", "reports")
UNDEFENDED = ("compiling prints the secret", "compiling keeps the secret", "running reaches it")
HEADER = re.compile(r"^(?://|#) ([a-z ]+): (.+)$")
INCLUDE = re.compile(r'^#include "((?:kit|controls|cudart)/[a-z_]+\.(?:h|cu|cpp))"$')


class Attack:
    """One file of a stage's folder. `control` names a file of controls/, or is a number of points."""

    def __init__(self, path):
        self.path = path
        self.name = f"{path.parent.name}-{path.stem.replace('_', '-')}"
        self.text = path.read_text(encoding="utf-8")
        lines = dict(self._header())
        self.attacks, self.control = lines["attacks"], lines["control"]
        self.earns = lines.get("earns", EARNS[0])
        self.stays = [each.strip() for each in lines["must stay"].split(",")]
        self.undefended = lines.get("undefended")
        self.copies = int(lines.get("handed in", "once").replace("once", "1").replace("twice", "2"))
        self._check(lines)

    def _header(self):
        """Keys with their values. A line without a key goes on with the last one."""
        key, value = None, ""
        for line in self.text.splitlines()[1:]:
            found = HEADER.match(line)
            if not line.startswith(("// ", "# ")) or (found and found.group(1) in KEYS and key):
                yield key, value
            if not line.startswith(("// ", "# ")):
                return
            key, value = found.groups() if found and found.group(1) in KEYS else (key, f"{value} {line.lstrip('/# ')}")

    def _check(self, lines):
        wrong = [key for key in lines if key not in KEYS]
        wrong += [each for each in self.stays if each not in STAYS]
        wrong += [each for each in [self.earns] if each not in EARNS]
        wrong += [each for each in [self.undefended] if each not in (None, *UNDEFENDED)]
        if not self.control.isdigit() and not (FOLDER / "controls" / f"{self.control}.cu").is_file():
            wrong.append(self.control)
        if wrong:
            raise ValueError(f"{self.path}: the header holds what the runner does not know: {', '.join(wrong)}")

    def students(self):
        """The names under which it is handed in."""
        return [self.name] if self.copies == 1 else [f"{self.name}-{i + 1}" for i in range(self.copies)]

    def module(self):
        """The Python attack: hand_in(folder, places) lays out what the class's folder holds."""
        spec = importlib.util.spec_from_file_location(self.path.stem, self.path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def all_attacks():
    """All attacks, by stage and name."""
    return [Attack(path) for stage in STAGES
            for path in sorted((FOLDER / stage).iterdir()) if path.suffix in (".cu", ".py")]


def expand(text, marks, seen=None):
    """The one file that is handed in: included files are put in place once, and @NAME@ is what `marks` holds."""
    seen, lines = set() if seen is None else seen, []
    for line in text.splitlines():
        found = INCLUDE.match(line)
        if found:
            is_new = found.group(1) not in seen
            seen.add(found.group(1))
            line = expand(text_of(found.group(1)), {}, seen) if is_new else ""
        lines.append(line)
    text = "\n".join(lines) + "\n"
    for name, value in marks.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def text_of(name):
    """A file of kit/ or controls/, or the device's own language, so that attacks speak it as it is today."""
    folder = FOLDER.parents[1] if name.startswith("cudart/") else FOLDER
    return (folder / name).read_text(encoding="utf-8").replace("#pragma once\n", "")
