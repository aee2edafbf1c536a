# SPDX-License-Identifier: MIT
"""Which files belong to the repository, for the tests that read them."""
import functools
import pathlib
import re
import subprocess

SOURCE_SUFFIXES = {".cpp", ".h", ".cu", ".cuh"}
# A line of a file that Meson makes of several sources.
JOINED = re.compile(r"^#include<(/[^>]+)>$", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)
NOT_OURS = {".git", ".cache", "results", "__pycache__"}


def tracked_files(root):
    """Paths relative to `root`, sorted: what git tracks, or all files where `root` is no git checkout."""
    root = pathlib.Path(root)
    try:
        listing = subprocess.run(
            ["git", "-c", f"safe.directory={root.resolve()}", "-C", str(root), "ls-files", "-z"],
            check=True, capture_output=True).stdout
        names = [pathlib.PurePosixPath(name) for name in listing.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [pathlib.PurePosixPath(path.relative_to(root).as_posix()) for path in root.rglob("*")]
        names = [name for name in names if not is_product(name)]
    return sorted(name for name in names if (root / name).is_file() and not (root / name).is_symlink())


def is_product(name):
    return name.parts[0].startswith("build") or any(part in NOT_OURS for part in name.parts)


def in_sample_class(name):
    """True for the sample class's submissions, which are written in their imagined authors' own styles."""
    return len(name.parts) > 3 and name.parts[0] == "reference" and name.parts[2] == "class"


def in_foreign_style(name):
    """True for submissions that the staff keeps to prove its course and the grader with, in styles that students have."""
    proofs = {"class", "mutants", "accepted"}
    if name.parts[:3] == ("grader", "testing", "attacks"):
        return True
    return len(name.parts) > 3 and name.parts[0] == "reference" and name.parts[2] in proofs


def sources(root, suffixes=SOURCE_SUFFIXES):
    """Tracked C++ and CUDA files held to the house style, sorted."""
    return [name for name in tracked_files(root) if name.suffix in suffixes and not in_foreign_style(name)]


def joined_sources(entry):
    """The sources that one entry of compile_commands.json compiles, in order: Meson joins several of some folders."""
    path = pathlib.Path(entry["directory"], entry["file"]).resolve()
    if "-unity" not in path.name:
        return [path]
    return [pathlib.Path(name).resolve() for name in JOINED.findall(path.read_text(encoding="utf-8"))]


def included(root, path, name):
    """The header of ours that a line of `path` includes, or None where it is none of ours."""
    places = [root / "grader" / name, path.parent / name]
    return next((place.resolve() for place in places if place.is_file()), None)


@functools.cache
def all_included(root, path):
    """The headers of ours that a file includes, directly or through others of them."""
    ours = {included(root, path, name) for name in INCLUDE.findall(path.read_text(encoding="utf-8"))} - {None}
    return frozenset(ours.union(*(all_included(root, header) for header in ours)))
