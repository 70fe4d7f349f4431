#!/usr/bin/env python3
"""Every file under src/ and simulation/ by the rules of .clang-tidy, once: those that are built for each MPI would be
looked at two and three times. Files that are compiled together (AAPC_UNITY) are looked at together: their headers are
read once, which is most of the work. Two checks, misc-unused-using-decls and misc-unused-alias-decls, then see nothing
of the files, so that what they look for is looked for here.

    tidy.py RUN-CLANG-TIDY SOURCE-DIRECTORY BUILD-DIRECTORY
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)

# `using where::name;` and `namespace name = where;`
BROUGHT = re.compile(r"^\s*(?:using\s+[\w:]*::(\w+)\s*;|namespace\s+(\w+)\s*=)", re.MULTILINE)
COMMENT = re.compile(r"//.*|/\*.*?\*/")


def unused_names(file: Path) -> Iterator[str]:
    """What is wrong with names that a file brings into its scope and does not use."""
    text = COMMENT.sub("", file.read_text())
    for found in BROUGHT.finditer(text):
        name = found[1] or found[2]
        rest = text[: found.start()] + text[found.end() :]
        if not re.search(rf"(?<!::)\b{name}\b", BROUGHT.sub("", rest)):
            line = text.count("\n", 0, found.start(0)) + found[0].count("\n") + 1
            yield f"{file}:{line}: '{name}' is brought into scope and not used"


def sources_of(entry: dict[str, str]) -> list[Path]:
    """The files that a command compiles."""
    file = Path(entry["directory"]) / entry["file"]
    return [Path(source) for source in INCLUDED.findall(file.read_text())] if file.parent.name == "Unity" else [file]


def without_repetition(
    commands: list[dict[str, str]], wanted: Callable[[Path], bool], directory: Path
) -> Iterator[dict[str, str]]:
    """Commands that compile each wanted file once; files of one command together, in a file in the directory."""
    seen: set[Path] = set()
    for number, entry in enumerate(commands):
        sources = [source for source in sources_of(entry) if wanted(source) and source not in seen]
        seen.update(sources)
        if not sources:
            continue
        file = sources[0]
        if len(sources) > 1:
            file = directory / f"together_{number}.cpp"
            # The only thing that is not as it is in a file alone.
            lines = [f'#include "{source}"  // NOLINT(bugprone-suspicious-include)\n' for source in sources]
            file.write_text("".join(lines))
        yield entry | {"file": str(file), "command": entry["command"].replace(entry["file"], str(file))}


def main() -> int:
    program, source, build = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    inside = (source / "src", source / "simulation")
    tests = source / "simulation" / "tests"

    def wanted(file: Path) -> bool:
        return any(part in file.parents for part in inside) and tests not in file.parents

    directory = build / "tidy"
    directory.mkdir(parents=True, exist_ok=True)
    commands = json.loads((build / "compile_commands.json").read_text())
    once = list(without_repetition(commands, wanted, directory))
    if not once:
        print(f"tidy: no file of {source} is built in {build}", file=sys.stderr)
        return 1
    (directory / "compile_commands.json").write_text(json.dumps(once))
    (directory / ".clang-tidy").write_text((source / ".clang-tidy").read_text())
    unused = [wrong for entry in commands for file in sources_of(entry) if wanted(file) for wrong in unused_names(file)]
    for wrong in sorted(set(unused)):
        print(wrong)
    # The commands are for the compiler that builds: it knows warnings that clang does not, and deprecates less.
    words = [program, "-quiet", "-j", "2", "-p", str(directory)]
    words += [f"-extra-arg={word}" for word in ("-Wno-unknown-warning-option", "-Wno-deprecated-declarations", "-Wshadow")]
    return subprocess.run(words, check=False).returncode or bool(unused)


if __name__ == "__main__":
    sys.exit(main())
