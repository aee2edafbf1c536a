#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bundles the scripts of the report pages with esbuild, which npm fetches as the lockfile says.

usage: bundle.py auto|enabled NPM OUTPUT.js... SOURCE...

Each OUTPUT is made from the .ts file of its name. With `auto`, a machine where that fails gets empty scripts, and
pages that are plain tables.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PATIENCE_S = 120
ESBUILD = ["node_modules/.bin/esbuild", "--bundle", "--minify", "--format=iife", "--target=es2020", "--charset=ascii",
           "--log-level=warning", "--outdir=out"]
# A machine without a network is known as one within seconds.
INSTALL = ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--prefer-offline",
           "--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-timeout=20000", "--loglevel=error"]


def bundle(npm, names, sources, folder):
    """The bundled scripts by name; raises where they cannot be had."""
    for source in sources:
        shutil.copy(source, folder)
    subprocess.run([npm, *INSTALL], cwd=folder, check=True, timeout=PATIENCE_S)
    subprocess.run([*ESBUILD, *(f"{name}.ts" for name in names)], cwd=folder, check=True, timeout=PATIENCE_S)
    return {name: (folder / "out" / f"{name}.js").read_text(encoding="ascii") for name in names}


def main():
    mode, npm, *files = sys.argv[1:]
    outputs = [pathlib.Path(name) for name in files if name.endswith(".js")]
    sources = [name for name in files if not name.endswith(".js")]
    names = [output.stem for output in outputs]
    scripts = dict.fromkeys(names, "")
    with tempfile.TemporaryDirectory() as folder:
        try:
            scripts = bundle(npm, names, sources, pathlib.Path(folder))
        except (OSError, subprocess.SubprocessError) as problem:
            if mode == "enabled":
                print(f"the report's scripts cannot be bundled: {problem}\n"
                      "put right with: a network that npm reaches, or meson configure -Dweb_report=disabled")
                return 1
            print(f"report pages will be plain tables, since their scripts cannot be bundled: {problem}")
    for output in outputs:
        output.write_text(scripts[output.stem], encoding="ascii")
    return 0


sys.exit(main())
