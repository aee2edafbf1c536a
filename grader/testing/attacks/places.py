# SPDX-License-Identifier: MIT
"""What attacks are after: files, a process and sockets of the host, and whether they are as they were."""
import csv
import os
import pathlib
import re
import secrets
import signal
import socket
import subprocess
import threading
import unicodedata

GRADER_LIMIT_BYTES = 512 << 20
REPORT_LIMIT_BYTES = 256 << 10
# A page holds the student's source, with markup around each line.
PAGE_LIMIT_BYTES = 2 << 20
CLASS_LIMIT_BYTES = 100 * REPORT_LIMIT_BYTES
# What a results folder may hold in its folders: files of a student, and a folder of a student with what was handed in.
RESULT_FILE = re.compile(r"(results|students)/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\.(json|txt|html)"
                         r"|submissions/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")
# Where a program that left the sandbox could leave a file.
WRITABLE = ("/", "/tmp", "/var/tmp", "/dev/shm", "/usr", "/etc")


def without_source(text):
    """A student's page without the student's own text at its end."""
    return text.partition("<h2>Source</h2>")[0]


class Places:
    """The host's side of one run: `folder` holds a secret, a file that all may write, a class and its results."""

    def __init__(self, folder, course):
        self.folder, self.course = folder, course
        self.mark = "wgattack" + secrets.token_hex(6)
        self.secret = "WGSECRET" + secrets.token_hex(12)
        self.hidden = "WGHIDDEN" + secrets.token_hex(12)
        self.secret_file = self._write("secret/expected.txt", f"#error {self.secret}\n", 0o644)
        self.host_file = self._write("host/grades.csv", "ann,100\n", 0o666)
        self.host_file.parent.chmod(0o777)
        self.students, self.results = folder / "class", folder / "out"
        self.times = self._write("times.csv", "student,submitted\n", 0o644)
        self.students.mkdir()
        self.victim = subprocess.Popen(["sleep", "3600"])
        self.heard = []
        self.port = self._listen(socket.AF_INET, ("127.0.0.1", 0)).getsockname()[1]
        self._listen(socket.AF_UNIX, f"\0{self.mark}")

    def _write(self, name, text, mode):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def _listen(self, family, address):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.bind(address)
        listener.listen()

        def accept():
            while True:
                connection, _ = listener.accept()
                self.heard.append(str(address))
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        return listener

    def marks(self):
        """What attacks call @NAME@."""
        return {"SECRET_FILE": self.secret_file, "HOST_FILE": self.host_file, "MARK": self.mark, "PORT": self.port,
                "VICTIM": self.victim.pid, "HIDDEN": self.hidden, "COURSE": self.course, "CLASS": self.students,
                "RESULTS": self.results}

    def close(self):
        """Ends the victim and removes what attacks outside of the sandbox left."""
        self.victim.kill()
        self.victim.wait()
        for place in WRITABLE:
            for name in os.listdir(place):
                if self.mark in name:
                    pathlib.Path(place, name).unlink()

    def faults(self, peak_bytes, printed):
        """What is not as it was, by the word that headers have for it: who did it, or "", and what."""
        return {
            "host files": [("", each) for each in self._host_faults()],
            "processes": [("", f"process {pid} is left: {text}") for pid, text in self.processes()] +
                         ([] if self.victim.poll() is None else [("", "a process of the host was killed")]),
            "network": [("", f"a program reached {each}") for each in self.heard],
            "memory": [("", f"the grader took {peak_bytes >> 20} MiB")] if peak_bytes > GRADER_LIMIT_BYTES else [],
            "secret": [(who, f"{name} holds the secret") for who, name, text in self._texts(printed)
                       if self.secret in text],
            "reports": list(self._report_faults(printed)),
        }

    def _host_faults(self):
        if self.secret_file.read_text(encoding="utf-8") != f"#error {self.secret}\n":
            yield "the secret was changed"
        if self.host_file.read_text(encoding="utf-8") != "ann,100\n":
            yield "a file of the host was changed"
        for place in [*WRITABLE, *(str(each) for each in self.folder.rglob("*") if each.is_dir())]:
            try:
                yield from (f"{place}/{name} is left" for name in os.listdir(place) if name.startswith(self.mark))
            except OSError:
                continue

    def processes(self):
        """Processes that have to do with the folder: those of programs that outlived their run."""
        wanted, ours = str(self.folder).encode(), {os.getpid(), os.getppid(), self.victim.pid}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) in ours:
                continue
            try:
                told = (entry / "cmdline").read_bytes() + os.readlink(entry / "cwd").encode()
                told += (entry / "environ").read_bytes()
                if wanted in told and (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                    yield int(entry.name), told[:60].replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue

    def stop_processes(self):
        """Ends what is left, so that no later check finds it again."""
        for pid, _ in list(self.processes()):
            os.kill(pid, signal.SIGKILL)

    def _texts(self, printed):
        """What people read: whose it is, the place, the text."""
        yield "", "the terminal", printed
        for path in sorted(self.results.rglob("*")):
            # Kept submissions are what students handed in, byte for byte.
            if path.is_file() and path.suffix != ".csv" and path.parent.parent != self.results / "submissions":
                who = "" if path.parent == self.results else path.stem
                yield who, str(path.relative_to(self.results)), path.read_text(encoding="utf-8", errors="replace")
        grades = self.results / "grades.csv"
        for row in csv.reader(grades.read_text(encoding="utf-8", errors="replace").splitlines()):
            yield from ((row[0], grades.name, cell) for cell in row)

    def _report_faults(self, printed):
        yield from (("", f"{path.name!r} is no name of a student") for path in self.results.glob("*/*")
                    if not RESULT_FILE.fullmatch(str(path.relative_to(self.results))))
        for who, name, text in self._texts(printed):
            strange = {char for char in text if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cf")}
            if strange:
                yield who, f"{name} holds {', '.join(f'U+{ord(char):04X}' for char in sorted(strange))}"
            limit = CLASS_LIMIT_BYTES if not who else PAGE_LIMIT_BYTES if name.endswith(".html") else REPORT_LIMIT_BYTES
            if len(text) > limit:
                yield who, f"{name} has {len(text)} characters"
            if name.startswith("students") and self.hidden in without_source(text):
                yield who, f"{name} says what a program printed in a hidden case"
            if name.endswith(".csv") and text[:1] in ("=", "+", "-", "@"):
                yield who, f"{name} has a cell that a spreadsheet computes: {text[:40]!r}"
