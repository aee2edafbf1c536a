# SPDX-License-Identifier: MIT
# attacks: archives whose members lie outside of the folder: ../, absolute paths, links, and links that later members
# go through
# control: 0
# must stay: host files, secret, neighbours
"""Archives are no submissions: the grader reads one source file of each student and unpacks nothing."""
import io
import tarfile
import zipfile

ANSWER = b"#error unpacked\n"


def names(place):
    return [f"../{place.mark}", f"../../../../../../../../tmp/{place.mark}", f"/tmp/{place.mark}", str(place.host_file),
            "..\\..\\vecadd.cu", "./../zzz-neighbour/vecadd.cu", "vecadd.cu"]


def write_zip(path, place):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names(place):
            archive.writestr(name, ANSWER)
        link = zipfile.ZipInfo("linked.cu")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, str(place.secret_file))


def write_tar(path, place):
    with tarfile.open(path, "w:gz") as archive:
        for kind, target in ((tarfile.SYMTYPE, "/tmp"), (tarfile.LNKTYPE, str(place.secret_file))):
            link = tarfile.TarInfo("place")
            link.type, link.linkname = kind, target
            archive.addfile(link)
        for name in [*names(place), f"place/{place.mark}"]:
            member = tarfile.TarInfo(name)
            member.size = len(ANSWER)
            archive.addfile(member, io.BytesIO(ANSWER))


def hand_in(folder, place):
    """The archives in place of the file, and beside the students."""
    write_zip(folder / "unpacks.zip", place)
    write_tar(folder / "unpacks.tar.gz", place)
    for student, write in (("unpacks-zip", write_zip), ("unpacks-tar", write_tar)):
        (folder / student).mkdir()
        write(folder / student / "vecadd.cu", place)
    return {"unpacks-zip": 0, "unpacks-tar": 0}
