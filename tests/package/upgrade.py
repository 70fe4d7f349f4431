#!/usr/bin/env python3
"""Installs over an older installation, and removes all of it: files of the older one go, files of others stay.

    upgrade.py BUILD
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command: object) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"upgrade.py: {command} ended with {done.returncode}: {done.stdout}{done.stderr}")


def expect(holds: object, what: str) -> None:
    if not holds:
        sys.exit(f"upgrade.py: {what}")


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        prefix = Path(directory) / "installed"
        run("cmake", "--install", sys.argv[1], "--prefix", prefix)
        files = prefix / "share/aapc/installed-files"
        listed = {(prefix / "share" / name).resolve() for name in files.read_text().splitlines()}
        there = {path.resolve() for path in prefix.rglob("*") if not path.is_dir()}
        expect(listed == there, f"listed or there, and not both: {listed ^ there}")

        # What an older version had, and what is none of aapc's.
        stale = prefix / "include/aapc/of_an_older_version.hpp"
        foreign = [prefix / "bin/other", prefix / "include/aapc/notes.txt"]
        for file in (stale, *foreign):
            file.touch()
        with files.open("a") as list_of_older:
            list_of_older.write("../include/aapc/of_an_older_version.hpp\n")
        run("cmake", "--install", sys.argv[1], "--prefix", prefix)
        expect(not stale.exists() and all(file.exists() for file in foreign), "an installation over an older one")

        moved = prefix.rename(Path(directory) / "moved")
        run(moved / "share/aapc/uninstall")
        left = sorted(str(path.relative_to(moved)) for path in moved.rglob("*") if not path.is_dir())
        expect(left == ["bin/other", "include/aapc/notes.txt"], f"removed, and still there: {left}")
        own = [str(path) for path in moved.rglob("aapc")]
        expect(own == [str(moved / "include/aapc")], f"directories that are left: {own}")


if __name__ == "__main__":
    main()
