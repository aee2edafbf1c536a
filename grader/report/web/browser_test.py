#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the types of the report's scripts, and looks at the pages in Chromium (browser_test.mjs). Skips with a reason
where something for that is missing.

usage: browser_test.py SAMPLE_PAGES WARPGRADE SOURCE_FOLDER TOOLS_FOLDER
"""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
NEEDED = {"node": "apt-get install nodejs", "npm": "apt-get install npm", "chromium": "apt-get install chromium"}
INSTALL = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--prefer-offline",
           "--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-timeout=20000", "--loglevel=error"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def install(source, tools):
    """The lockfile's packages in `tools`, which keeps them from one run to the next."""
    lock = source / "package-lock.json"
    stamp = tools / "installed"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="ascii") == wanted:
        return
    tools.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, tools)
    if subprocess.run(INSTALL, cwd=tools, check=False).returncode:
        skip("npm cannot fetch playwright-core, axe-core and typescript")
    stamp.write_text(wanted, encoding="ascii")


def main():
    sample_pages, warpgrade, source, tools = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    for program, remedy in NEEDED.items():
        if shutil.which(program) is None:
            skip(f"{program} is missing ({remedy})")
    install(source, tools)
    modules = tools / "node_modules"
    if subprocess.run([modules / ".bin/tsc", "-p", source], check=False).returncode:
        return 1
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sample_pages, folder], check=True)
        subprocess.run([warpgrade, "report", folder], check=True)
        if 'id="data"' not in (pathlib.Path(folder) / "index.html").read_text(encoding="utf-8"):
            skip("the pages have no scripts, since npm could not bundle them")
        return subprocess.run(["node", source / "browser_test.mjs", modules, shutil.which("chromium"), folder,
                               tools / "screenshots"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
