#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Renders README.md, docs/ and the handouts into one folder of pages that need no server and no network.

usage: build_site.py ROOT OUTPUT [SCREENSHOTS]

Files of the course that hold answers are named and never copied, so that the folder may be published. Exit: 0 built,
1 a link leads nowhere, 77 markdown-it is missing.
"""
import html
import json
import pathlib
import posixpath
import re
import shutil
import sys

try:
    from markdown_it import MarkdownIt
except ImportError:
    print("skipped: markdown-it is missing (apt-get install python3-markdown-it)")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
# Who reads what, in the order of the navigation. A page that stands nowhere is a mistake.
ROLES = {
    "Start": ["README.md", "docs/faq.md", "docs/coming-from.md", "docs/how-it-works.md"],
    "Students": ["docs/students.md"],
    "TAs": ["docs/grading.md", "docs/batch.md", "docs/exports.md", "docs/machines.md", "docs/toolkits.md"],
    "Course staff": ["docs/rubric.md", "docs/add-an-assignment.md", "docs/own-course.md", "docs/course.md", "docs/cheats.md"],
    "GPU programmers": ["docs/run.md", "docs/emulated.md", "docs/limits.md", "docs/performance.md", "docs/timing.md",
                        "docs/gpu.md"],
    "Reference": ["docs/commands.md"],
    "Project": ["CONTRIBUTING.md", "CHANGELOG.md"],
    "Assignments": [],
}
# Files that pages link to and that hold no answer.
OPEN_FILES = re.compile(r"LICENSE|docs/lectures\.txt|assignments/[^/]+/[^/]+\.h")
SCREENSHOTS = {
    "docs/grading.md": ("class.png", "The page of a class: a table of students, plots of scores, and groups of equal failures"),
    "docs/students.md": ("student.png", "A student's page: points with reasons, findings beside the source, plots of counters"),
}


def slug_of(heading, known):
    """The anchor that GitHub gives a heading."""
    slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
    count = known.get(slug, 0)
    known[slug] = count + 1
    return f"{slug}-{count}" if count else slug


class Page:
    """One Markdown file: `path` in the repository, `name` in the site."""

    def __init__(self, root, path):
        self.path = path
        slug = pathlib.PurePosixPath(path)
        self.name = {"README.md": "index.html"}.get(
            path, f"{slug.parent.name}.html" if slug.name == "handout.md" else f"{slug.stem.lower()}.html")
        if slug.name == "handout.md":
            self.name = f"assignment-{self.name}"
        self.tokens = MarkdownIt("commonmark", {"html": False}).enable("table").parse(
            (root / path).read_text(encoding="utf-8"))
        self.title = path
        self.sections = []  # [anchor, heading, text] of each heading
        self._read_headings()

    def _read_headings(self):
        known = {}
        for place, token in enumerate(self.tokens):
            content = self.tokens[place + 1] if token.type == "heading_open" else None
            if content is not None:
                words = "".join(child.content for child in content.children)
                anchor = slug_of(words, known)
                token.attrSet("id", anchor)
                if not self.sections:
                    self.title = words
                self.sections.append([anchor, words, ""])
            elif token.type in {"inline", "fence"} and self.sections:
                words = token.content if token.type == "fence" else "".join(
                    child.content or " " for child in token.children)
                self.sections[-1][2] += words + "\n"


class Site:
    """All pages, and the links between them."""

    def __init__(self, root):
        self.root = root
        handouts = sorted(str(path.relative_to(root)) for path in root.glob("assignments/*/handout.md"))
        self.roles = {**ROLES, "Assignments": handouts}
        self.pages = {path: Page(root, path) for paths in self.roles.values() for path in paths}
        self.open_files = set()
        self.troubles = []
        for path in sorted(root.glob("docs/*.md")):
            if str(path.relative_to(root)) not in self.pages:
                self.troubles.append(f"{path.name} stands in no role of ROLES in build_site.py")

    def address(self, page, target):
        """Where a link of a page leads in the site; None for a file that is not part of it."""
        if re.match(r"[a-z]+:", target):
            return target
        path, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path)) if path else page.path
        if path in self.pages:
            if anchor and anchor not in {section[0] for section in self.pages[path].sections}:
                self.troubles.append(f"{page.path}: {target} has no such heading")
            return self.pages[path].name + (f"#{anchor}" if anchor else "")
        if not (self.root / path).exists():
            self.troubles.append(f"{page.path}: {target} does not exist")
        if not OPEN_FILES.fullmatch(path):
            return None
        self.open_files.add(path)
        return f"files/{path}" + ("" if pathlib.PurePosixPath(path).suffix == ".txt" else ".txt")

    def _link(self, page, children):
        """Turns links of the repository into those of the site; one that has no place there becomes its text."""
        kept, lost = [], 0
        for token in children:
            if token.type == "link_open":
                address = self.address(page, token.attrGet("href"))
                lost += address is None
                if address is None:
                    continue
                token.attrSet("href", address)
            elif token.type == "link_close" and lost:
                lost -= 1
                continue
            kept.append(token)
        return kept

    def body(self, page):
        tables = 0
        for token in page.tokens:
            if token.type == "inline":
                token.children = self._link(page, token.children)
        markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

        def open_table(*_):
            nonlocal tables
            tables += 1
            return f'<div class="wide" role="region" tabindex="0" aria-label="Table {tables}"><table>\n'

        markdown.renderer.rules["table_open"] = open_table
        markdown.renderer.rules["table_close"] = lambda *_: "</table></div>\n"
        text = markdown.renderer.render(page.tokens, markdown.options, {})
        # A heading without words is an empty corner.
        text = re.sub(r"<th[^>]*></th>", "<td></td>", text)
        return text.replace("<pre>", '<pre tabindex="0">')

    def navigation(self, current):
        groups = []
        for role, paths in self.roles.items():
            links = []
            for path in paths:
                page = self.pages[path]
                here = ' aria-current="page"' if page is current else ""
                links.append(f'<li><a href="{page.name}"{here}>{html.escape(page.title)}</a></li>')
            is_open = " open" if role != "Assignments" or current.path in paths else ""
            groups.append(f"<details{is_open}><summary>{role}</summary><ul>{''.join(links)}</ul></details>")
        return "\n".join(groups)


def figure_of(page, screenshots, output):
    """The page's screenshot, where the browser test has made it."""
    name, words = SCREENSHOTS.get(page.path, ("", ""))
    if not name or screenshots is None or not (screenshots / name).is_file():
        return ""
    shutil.copy(screenshots / name, output / name)
    return f'<figure><img src="{name}" alt="{html.escape(words)}"><figcaption>{html.escape(words)}</figcaption></figure>'


def write_site(site, output, screenshots):
    output.mkdir(parents=True, exist_ok=True)
    template = (HERE / "page.html").read_text(encoding="utf-8")
    for name in ("site.css", "search.js"):
        shutil.copy(HERE / name, output / name)
    for page in site.pages.values():
        filled = {"TITLE": html.escape(page.title), "NAVIGATION": site.navigation(page),
                  "BODY": site.body(page) + figure_of(page, screenshots, output)}
        (output / page.name).write_text(re.sub(r"@([A-Z]+)@", lambda match: filled[match[1]], template), encoding="utf-8")
    for path in sorted(site.open_files):
        copy = output / site.address(site.pages["README.md"], path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(site.root / path, copy)
    index = [[page.name, page.title, *section] for page in site.pages.values() for section in page.sections]
    (output / "search-index.js").write_text("const searchIndex = " + json.dumps(index) + ";\n", encoding="utf-8")


def main():
    root, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    screenshots = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
    site = Site(root)
    write_site(site, output, screenshots)
    for trouble in site.troubles:
        print(trouble)
    print(f"{output / 'index.html'}: {len(site.pages)} pages")
    return 1 if site.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
