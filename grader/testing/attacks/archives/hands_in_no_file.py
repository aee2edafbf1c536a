# SPDX-License-Identifier: MIT
# attacks: pipes, sockets, folders, devices and sparse files of a terabyte in place of the file
# control: 0
# must stay: neighbours, memory
"""The grader opens nothing that it would wait for, and reads no more than a source file may have."""
import os
import socket


def hand_in(folder, _):
    """One student for each kind of file."""
    students = [f"is-{kind}" for kind in ("pipe", "socket", "folder", "sparse", "closed", "device")]
    for student in students:
        (folder / student).mkdir()
    os.mkfifo(folder / "is-pipe" / "vecadd.cu")
    here = os.getcwd()
    os.chdir(folder / "is-socket")  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("vecadd.cu")
    os.chdir(here)
    (folder / "is-folder" / "vecadd.cu").mkdir()
    with open(folder / "is-sparse" / "vecadd.cu", "wb") as file:
        file.truncate(1 << 40)
    (folder / "is-closed" / "vecadd.cu").touch(mode=0)
    try:
        os.mknod(folder / "is-device" / "vecadd.cu", 0o020666, os.makedev(1, 5))
    except PermissionError:
        pass  # only root makes devices; without it the folder is empty
    return {student: 0 for student in students}
