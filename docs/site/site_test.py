#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the site of the documentation and follows every link and anchor of every page; shows that a broken link, a page
without a role and a model answer are noticed.

usage: site_test.py ROOT
"""
import html.parser
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
BUILD = pathlib.Path(__file__).resolve().parent / "build_site.py"


class Links(html.parser.HTMLParser):
    """The links and anchors of one page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.links += [given[name] for name in ("href", "src") if name in given]
        if "id" in given:
            self.anchors.append(given["id"])


def build(root, output):
    return subprocess.run([sys.executable, "-B", BUILD, root, output], capture_output=True, text=True, check=False)


def broken_links(site):
    pages = {path.name: Links(path) for path in site.glob("*.html")}
    broken = []
    for name, page in pages.items():
        if len(page.anchors) != len(set(page.anchors)):
            broken.append(f"{name}: an id stands twice")
        for link in page.links:
            if link.startswith(("https:", "http:", "data:")):
                continue
            path, _, anchor = link.partition("#")
            target = site / (path or name)
            if not target.is_file() or site not in target.resolve().parents:
                broken.append(f"{name}: {link}: no such file")
            elif anchor and anchor not in pages[target.name].anchors:
                broken.append(f"{name}: {link}: no such anchor")
    return broken, sum(len(page.links) for page in pages.values())


def expect(what, holds, shown=""):
    if not holds:
        print(f"not ok: {what}\n{shown}")
        sys.exit(1)
    print(f"ok: {what}")


def copy_of(root, folder):
    """What the site is made of."""
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(root / name, folder / name)
    for name in ("docs", "assignments", "reference", "grader/testing/attacks"):
        shutil.copytree(root / name, folder / name)
    return folder


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder).resolve() / "site"
        built = build(root, site)
        if built.returncode == SKIPPED:
            print(built.stdout, end="")
            return SKIPPED
        expect("every link of the Markdown files leads somewhere", built.returncode == 0, built.stdout + built.stderr)
        broken, links = broken_links(site)
        expect(f"{links} links of the pages lead somewhere", not broken and links > 500, "\n".join(broken))
        copied = [path for path in site.rglob("*") if "reference" in str(path.relative_to(site))]
        expect("no answer is published", not copied, copied)
        expect("the index finds headings", '"what-students-may-read"' in (site / "search-index.js").read_text("utf-8"))
        copy = pathlib.Path(folder) / "copy"
        copy.mkdir()
        (copy_of(root, copy) / "docs/lost.md").write_text("# Lost\n", encoding="utf-8")
        text = (copy / "README.md").read_text(encoding="utf-8")
        (copy / "README.md").write_text(f"{text}\n[a](docs/none.md) [b](docs/run.md#no-such)\n", encoding="utf-8")
        broken = build(copy, pathlib.Path(folder) / "broken")
        expect("a broken link, a missing heading and a page without a role fail the build", broken.returncode == 1)
        for trouble in ("README.md: docs/none.md does not exist", "README.md: docs/run.md#no-such has no such heading",
                        "lost.md stands in no role"):
            expect(f"the build says: {trouble}", trouble in broken.stdout, broken.stdout)
    return 0


sys.exit(main())
