#!/usr/bin/env python3
"""Installs the program to a directory of its own and follows every link of the installed pages to another file.

    installed_links.py BUILD
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def main() -> None:
    with tempfile.TemporaryDirectory() as prefix:
        command = ["cmake", "--install", sys.argv[1], "--component", "program", "--prefix", prefix]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"installed_links.py: {command} ended with {done.returncode}: {done.stderr}")
        pages = sorted(Path(prefix).rglob("*.md"))
        links = [(page, target) for page in pages for target in LINK.findall(page.read_text(encoding="utf-8"))]
        files = [(page, target) for page, target in links if "://" not in target]
        dead = [f"{page.relative_to(prefix)}: {target}" for page, target in files if not (page.parent / target).exists()]
        if len(pages) < 30 or len(files) < 100:
            sys.exit(f"installed_links.py: {len(pages)} pages and {len(files)} links are too few to be all")
        if dead:
            sys.exit("installed_links.py: installed pages have links to files that are not installed:\n" + "\n".join(dead))


if __name__ == "__main__":
    main()
