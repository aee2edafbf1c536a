#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ends programs in every way, and talks nonsense to the device: each device ends with its program, and serves the next.

usage: device_test.py DEVICE DEATHS LIBRARY_FOLDER
"""
import array
import ctypes
import mmap
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

DEVICE, DEATHS, LIBRARIES = sys.argv[1:4]
LIMIT_S = 60
VERSION, HELLO, WELCOME, OPEN_CHANNEL, CHANNEL, MEMORY, FINISH = 2, 0, 1, 2, 3, 4, 5
PACKET = struct.Struct("=IIQ64x")  # line and file, of packets that the program sends alone
RUN_OVER = struct.Struct("=Q")
CALL, RESULT = 0, None
FUTEX, FUTEX_WAKE = 202 if os.uname().machine == "x86_64" else 98, 1
PR_SET_CHILD_SUBREAPER = 36
LIBC = ctypes.CDLL(None, use_errno=True)


def adopt_orphans():
    """Devices that a program has started become children of this process when it ends."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def all_children_ended():
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
        except ChildProcessError:
            return True
    return False


def run(how, **more):
    environment = dict(os.environ, LD_LIBRARY_PATH=LIBRARIES, WARPGRADE_QUIET="1", WARPGRADE_DEVICES="RTX 3090", **more)
    return subprocess.run([DEATHS, how], env=environment, timeout=LIMIT_S, check=False, capture_output=True).returncode


class ProgramsEnd(unittest.TestCase):
    """Each device ends with the program that started it."""

    WAYS = {
        "returns": 0, "exits at once": 0, "aborts": -signal.SIGABRT, "kills itself": -signal.SIGKILL,
        "becomes another program": 0, "is killed in a kernel": -signal.SIGKILL, "closes its descriptors": 98, "calls back for ever": 98,
        "has a child": 0, "has many threads": 0, "ends in a thread": 0,
    }

    def test_no_device_outlives_its_program(self):
        adopt_orphans()
        for how, code in self.WAYS.items():
            with self.subTest(how):
                self.assertEqual(run(how), code)
                self.assertTrue(all_children_ended())


class Listening(unittest.TestCase):
    """A device that listens serves each program that comes, whatever came before it."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "device")
        environment = dict(os.environ, WARPGRADE_QUIET="1", WARPGRADE_DEVICES="RTX 3090",
                           WARPGRADE_TRACE=os.path.join(self.folder.name, "trace"))
        control = os.path.join(self.folder.name, "control")
        self.device = subprocess.Popen([DEVICE, "--listen", self.path, control], env=environment, stderr=subprocess.DEVNULL)
        while not os.path.exists(self.path):
            time.sleep(0.002)
        self.owner = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.owner.settimeout(LIMIT_S)
        self.owner.connect(control)
        # A socket's file is there a moment before anyone listens.
        self.end_run()

    def tearDown(self):
        self.assertEqual(self.finish(), 0)
        self.folder.cleanup()

    def finish(self):
        self.owner.close()
        return self.device.wait(LIMIT_S)

    def end_run(self):
        """Bytes of the largest process that served the run."""
        self.owner.send(RUN_OVER.pack(0))
        return RUN_OVER.unpack(self.owner.recv(64))[0]

    def sessions(self):
        with open(os.path.join(self.folder.name, "trace"), encoding="utf-8") as trace:
            return trace.read().count('"type":"session"')

    def connect(self):
        end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        end.connect(self.path)
        return end

    def greet(self):
        end = self.connect()
        end.send(PACKET.pack(VERSION, HELLO, 1))
        self.assertEqual(PACKET.unpack(end.recv(PACKET.size))[1], WELCOME)
        return end

    def open_channel(self, end):
        end.send(PACKET.pack(VERSION, OPEN_CHANNEL, 2))
        _, control, _, _ = end.recvmsg(PACKET.size, socket.CMSG_SPACE(4))
        descriptors = array.array("i")
        descriptors.frombytes(control[0][2][:4])
        memory = mmap.mmap(descriptors[0], 0)
        os.close(descriptors[0])
        return memory

    def say(self, memory, message, body, size=None):
        """Gives the device its turn with that message, and waits for what it does."""
        memory[64:64 + len(body)] = body
        memory[4:16] = struct.pack("=IQ", message, len(body) if size is None else size)
        memory[0:4] = struct.pack("=I", 1)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        LIBC.syscall(FUTEX, ctypes.c_void_p(address), FUTEX_WAKE, 1, None, None, 0)

    def still_serves(self):
        self.assertEqual(run("returns", WARPGRADE_DEVICE=self.path), 0)

    def test_listens_at_a_path_that_is_too_long_for_an_address(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f" * 200, "device")
            os.mkdir(os.path.dirname(path))
            device = subprocess.Popen([DEVICE, "--listen", path, os.path.join(folder, "control")], stderr=subprocess.DEVNULL)
            while not os.path.exists(path):
                time.sleep(0.002)
            self.assertEqual(run("returns", WARPGRADE_DEVICE=path), 0)
            device.kill()
            device.wait()

    def test_serves_one_program_after_another(self):
        for _ in range(3):
            self.still_serves()

    def test_survives_connections_that_say_nothing_or_nonsense(self):
        silent = [self.connect() for _ in range(8)]
        for packet in (b"", b"x", PACKET.pack(VERSION + 1, HELLO, 0), PACKET.pack(VERSION, 77, 0), os.urandom(PACKET.size)):
            with self.connect() as end:
                end.send(packet)
        self.still_serves()
        for end in silent:
            end.close()

    def test_survives_nonsense_in_a_channel(self):
        chance = random.Random(7)
        for number in range(60):
            with self.greet() as end:
                memory = self.open_channel(end)
                size = None if number % 3 else chance.choice([1 << 22, (1 << 22) + 1, 1 << 40, (1 << 64) - 1])
                self.say(memory, chance.choice([CALL, CALL, chance.randrange(24), chance.randrange(1 << 32)]),
                         chance.randbytes(chance.randrange(256)), size)
                time.sleep(0.005)
        self.still_serves()

    def test_records_the_program_and_no_process_that_it_forks(self):
        self.assertEqual(run("has a child that comes first", WARPGRADE_DEVICE=self.path), 0)
        with open(os.path.join(self.folder.name, "trace"), encoding="utf-8") as trace:
            text = trace.read()
        self.assertEqual(text.count('"type":"session"'), 1)
        self.assertEqual(text.count('"kernel":"twice'), 1)
        self.assertEqual(text.count('"type":"exit"'), 1)

    def test_serves_the_next_run_after_one_is_over(self):
        trace = os.path.join(self.folder.name, "trace")
        for _ in range(3):
            self.still_serves()
            self.assertGreater(self.end_run(), 1 << 20)
            self.assertEqual(self.sessions(), 1)
            os.remove(trace)
        self.assertEqual(self.end_run(), 0)

    def test_forgets_programs_that_came_as_their_run_ended(self):
        late = [self.greet()]
        os.kill(self.device.pid, signal.SIGSTOP)
        late += [self.connect() for _ in range(3)]
        for end in late[1:]:
            end.send(PACKET.pack(VERSION, HELLO, 1))
        self.owner.send(RUN_OVER.pack(0))
        for end in late:
            end.close()
        os.kill(self.device.pid, signal.SIGCONT)
        self.owner.recv(64)
        os.remove(os.path.join(self.folder.name, "trace"))
        self.still_serves()
        self.assertEqual(self.sessions(), 1)

    def test_ends_a_run_whose_programs_stay(self):
        with self.greet() as kept:
            self.end_run()
            self.assertEqual(kept.recv(64), b"", "the device has closed the connection")
        self.still_serves()

    def test_a_program_cannot_end_the_device(self):
        for _ in range(80):
            with self.connect() as end:
                end.send(PACKET.pack(VERSION, FINISH, 0))
        self.still_serves()

    def test_tells_a_mistake_in_it_from_what_the_machine_does_to_it(self):
        for number, code in ((signal.SIGSEGV, 97), (signal.SIGABRT, 97), (signal.SIGKILL, 98), (signal.SIGBUS, 98)):
            with self.subTest(number), self.greet() as end:
                with open(f"/proc/{self.device.pid}/task/{self.device.pid}/children", encoding="utf-8") as serving:
                    os.kill(int(serving.read().split()[0]), number)
                self.assertEqual(end.recv(PACKET.size), b"")
                self.assertEqual(self.finish(), code)
            self.folder.cleanup()
            self.setUp()

    def test_ends_where_more_programs_stay_than_it_waits_for(self):
        kept = self.greet()
        self.assertEqual(self.finish(), 0)
        kept.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
