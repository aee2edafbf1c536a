#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks at the site of the documentation in Chromium (site_browser_test.mjs). Skips with a reason where something for
that is missing.

usage: site_browser_test.py ROOT TOOLS_FOLDER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WEB = HERE.parents[1] / "grader/report/web"
sys.path.insert(0, str(WEB))
import browser_test


def main():
    root, tools = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    for program, remedy in browser_test.NEEDED.items():
        if shutil.which(program) is None:
            browser_test.skip(f"{program} is missing ({remedy})")
    browser_test.install(WEB, tools)
    with tempfile.TemporaryDirectory() as folder:
        built = subprocess.run([sys.executable, "-B", HERE / "build_site.py", root, folder, tools / "screenshots"], check=False)
        if built.returncode:
            return built.returncode
        return subprocess.run(["node", HERE / "site_browser_test.mjs", tools / "node_modules", shutil.which("chromium"),
                               folder], check=False).returncode


sys.exit(main())
