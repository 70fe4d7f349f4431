#!/usr/bin/env python3
"""Does what HACKING.md says under "A new algorithm": writes the new files, and a copy of the table with the new row.

    walk_through.py SOURCE-DIRECTORY OUTPUT-DIRECTORY

Each block of code belongs to the file that its first line names, or else to the one that is named last before it.
Ends with 1 where the text does not fit the tree.
"""

import re
import sys
from pathlib import Path

HEADING = "## A new algorithm"
PATH = re.compile(r"`([\w./-]+/[\w.-]+\.\w+)`")
TABLE = "src/algorithms/table.cpp"
SOURCES = "src/algorithms/CMakeLists.txt"
PAGE = "docs/algorithms.md"


def blocks_of(text: str) -> list[tuple[str, str]]:
    """(file, code) for every block of the section."""
    section = text.split(HEADING + "\n", 1)[1].split("\n## ", 1)[0]
    found, named = [], ""
    for index, part in enumerate(re.split(r"^```", section, flags=re.MULTILINE)):
        if index % 2 == 1:
            opening, code = part.split("\n", 1)
            found.append((opening.split()[-1] if " " in opening else named, code))
        elif paths := PATH.findall(part):
            named = paths[-1]
    return found


def with_row(table: str, code: str) -> str:
    """The table with an include before the first one of an algorithm's, or with a row at its end."""
    place = '#include "algorithms/' if code.startswith("#include") else "};\n\n}  // namespace\n"
    assert place in table, f"{TABLE} has no {place!r}"
    return table.replace(place, code + place, 1)


def main() -> int:
    source, output = Path(sys.argv[1]), Path(sys.argv[2])
    table, new, listed, row = (source / TABLE).read_text(), [], [], ""
    for name, code in blocks_of((source / "HACKING.md").read_text()):
        if name == TABLE:
            table = with_row(table, code)
        elif name == SOURCES:
            listed.append(code.strip())
        elif name == PAGE:
            row = code
        else:
            assert not (source / name).exists(), f"{name} is there already"
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            (output / name).write_text(code)
            new.append(name)
    compiled = [name.removeprefix("src/algorithms/") for name in new if name.endswith(".cpp")]
    assert compiled == listed and compiled, f"{listed} are to be compiled, and {compiled} are new"
    columns = (source / PAGE).read_text().split("\n| name |", 1)[1].split("\n", 1)[0].count("|") + 2
    assert row.count("|") == columns, f"the row for {PAGE} has {row.count('|') - 1} columns of {columns - 1}"
    (output / "table.cpp").write_text(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
