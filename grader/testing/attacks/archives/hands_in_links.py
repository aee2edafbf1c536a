# SPDX-License-Identifier: MIT
# attacks: links in place of a file or folder: to the model answer, to another student's answer, to the secret
# control: 0
# must stay: secret, neighbours
"""A link is refused with a sentence; the work of others earns nothing."""
import os


def hand_in(folder, place):
    """Symbolic links, hard links and loops."""
    reference = place.course / "reference" / "vecadd"
    for student, target in (("links-file", reference / "vecadd.cu"), ("links-secret", place.secret_file),
                            ("links-loop", "vecadd.cu"), ("links-neighbour", "../aaa-neighbour/vecadd.cu"),
                            ("links-process", "/proc/self/environ"), ("links-zero", "/dev/zero")):
        (folder / student).mkdir()
        (folder / student / "vecadd.cu").symlink_to(target)
    (folder / "links-folder").symlink_to(reference)
    (folder / "links-class").symlink_to(".")
    (folder / "links-hard").mkdir()
    os.link(folder / "zzz-neighbour" / "vecadd.cu", folder / "links-hard" / "copy.cu")
    os.link(folder / "links-hard" / "copy.cu", folder / "links-hard" / "vecadd.cu")
    # The neighbour's own file has one name again.
    text = (folder / "zzz-neighbour" / "vecadd.cu").read_text(encoding="utf-8")
    (folder / "zzz-neighbour" / "vecadd.cu").unlink()
    (folder / "zzz-neighbour" / "vecadd.cu").write_text(text, encoding="utf-8")
    return {f"links-{name}": 0 for name in ("file", "secret", "loop", "neighbour", "process", "zero", "folder", "class",
                                            "hard")}
