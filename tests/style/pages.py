#!/usr/bin/env python3
"""Pages are for readers: no line is longer than 120 columns, but in tables, in blocks of code, and where a link cannot
be broken; every link within the repository leads to a file, and to a heading where it names one; sources that the text
names are there; and code that a page takes from examples/ is that of the file.

    pages.py SOURCE-DIRECTORY
"""

import re
import sys
from pathlib import Path

COLUMNS = 120
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
PICTURE = re.compile(r'<img\b[^>]*\bsrc="([^"]+)"')
CODE = re.compile(r"`[^`]*`")
PATH = re.compile(r"(?<![\w./<-])(?:src|include|tests|cmake)/[\w+./-]*\w")
QUOTED = re.compile(r"^From \[(examples/[^\]]+)\]\([^)]*\):\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"#{1,6} +(.*)")
LIST_MARK = re.compile(r"\s*(?:[*+-]|\d+\.)\s+")


def text_lines(page: str) -> list[tuple[int, str]]:
    """Numbers and text of the lines outside blocks of code."""
    found, in_code = [], False
    for number, line in enumerate(page.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            found.append((number, line))
    return found


def is_too_long(line: str) -> bool:
    """Whether somebody could have broken it: a line that is one link cannot be."""
    if len(line) <= COLUMNS or line.lstrip().startswith("|"):
        return False
    without_mark = LIST_MARK.sub("", line, count=1) if LIST_MARK.match(line) else line.strip()
    link = LINK.match(without_mark)
    return not (link and " " not in without_mark[link.end() :])


def anchors(page: str) -> set[str]:
    """What a link may name behind '#': headings as a forge writes them."""
    found = set()
    for _, line in text_lines(page):
        if heading := HEADING.match(line):
            words = re.sub(r"[^\w\- ]", "", heading.group(1).lower())
            found.add(words.replace(" ", "-"))
    return found


def broken_link(path: Path, target: str) -> str | None:
    if re.match(r"[a-z]+:", target):
        return None
    file, _, anchor = target.partition("#")
    there = path.parent / file if file else path
    if not there.exists():
        return f"there is no {target}"
    if anchor and there.suffix == ".md" and anchor not in anchors(there.read_text(encoding="utf-8")):
        return f"{there.name} has no heading '#{anchor}'"
    return None


def mistakes(path: Path) -> list[str]:
    found = []
    for number, line in text_lines(path.read_text(encoding="utf-8")):
        if is_too_long(line):
            found.append(f"{path}:{number}: {len(line)} columns; break it at {COLUMNS}")
        prose = CODE.sub("", line)
        for target in LINK.findall(prose) + PICTURE.findall(prose):
            if wrong := broken_link(path, target):
                found.append(f"{path}:{number}: {wrong}")
    return found


def missing_paths(source: Path, page: Path) -> list[str]:
    """Files and directories that the text names and that are not there; a page may leave out the end of a name."""
    found = []
    for number, line in text_lines(page.read_text(encoding="utf-8")):
        for path in PATH.findall(line):
            if not (source / path).exists() and not any(source.glob(f"{path}.*")):
                found.append(f"{page}:{number}: there is no {path}")
    return found


def other_than_file(source: Path, page: Path) -> list[str]:
    """Blocks of code that "From [examples/...](...):" introduces and that are not that file."""
    text = page.read_text(encoding="utf-8")
    return [
        f"{page}: the code is not that of {name}; copy the file"
        for name, code in QUOTED.findall(text)
        if code != (source / name).read_text(encoding="utf-8")
    ]


def pages(source: Path) -> list[Path]:
    return sorted([*source.glob("*.md"), *(source / "docs").rglob("*.md")])


def main() -> int:
    source = Path(sys.argv[1])
    found = pages(source)
    wrong = [mistake for page in found for mistake in mistakes(page)]
    # The changelog says what was; HACKING.md walks through files that its reader makes.
    wrong += [
        mistake
        for page in found
        if page.name not in ("CHANGELOG.md", "HACKING.md")
        for mistake in missing_paths(source, page)
    ]
    wrong += [mistake for page in found for mistake in other_than_file(source, page)]
    for mistake in wrong:
        print(mistake, file=sys.stderr)
    print(f"{len(found)} pages, {len(wrong)} mistakes")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
