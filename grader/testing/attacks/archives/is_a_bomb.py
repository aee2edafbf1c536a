# SPDX-License-Identifier: MIT
# attacks: archives that unpack to gigabytes or to a hundred thousand files, and a folder of fifty thousand
# control: 0
# must stay: host files, neighbours, memory, reports
"""Neither an archive nor a folder costs more than a look at its names."""
import zipfile

MIB = b"\0" * (1 << 20)
MEMBERS, FILES, SIZE_MIB = 100_000, 50_000, 256


def hand_in(folder, _):
    """One archive large when unpacked, one of many members, and one folder of many files."""
    (folder / "bomb").mkdir()
    with zipfile.ZipFile(folder / "bomb" / "vecadd.cu.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("vecadd.cu", "w", force_zip64=True) as member:
            for _ in range(SIZE_MIB):
                member.write(MIB)
    with zipfile.ZipFile(folder / "members.zip", "w") as archive:
        for number in range(MEMBERS):
            archive.writestr(f"{number}/vecadd.cu", b"")
    (folder / "many-files").mkdir()
    for number in range(FILES):
        (folder / "many-files" / f"{number}.cu").touch()
    return {"bomb": 0, "many-files": 0}
