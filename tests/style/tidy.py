#!/usr/bin/env python3
"""Every file under src/ and simulation/ by the rules of .clang-tidy, once: those that are built for each MPI would be
looked at two and three times. Files that are compiled together (AAPC_UNITY) are looked at one by one.

    tidy.py RUN-CLANG-TIDY SOURCE-DIRECTORY BUILD-DIRECTORY
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def one_by_one(entry: dict[str, str]) -> Iterator[dict[str, str]]:
    """The command for each file that it compiles."""
    file = Path(entry["directory"]) / entry["file"]
    if file.parent.name != "Unity":
        yield entry
        return
    for source in INCLUDED.findall(file.read_text()):
        yield entry | {"file": source, "command": entry["command"].replace(entry["file"], source)}


def main() -> int:
    program, source, build = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    inside = (source / "src", source / "simulation")
    commands = json.loads((build / "compile_commands.json").read_text())
    tests = source / "simulation" / "tests"
    once = {
        entry["file"]: entry
        for command in commands
        for entry in one_by_one(command)
        if any(part in Path(entry["file"]).parents for part in inside) and tests not in Path(entry["file"]).parents
    }
    if not once:
        print(f"tidy: no file of {source} is built in {build}", file=sys.stderr)
        return 1
    directory = build / "tidy"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "compile_commands.json").write_text(json.dumps(list(once.values())))
    # The commands are for the compiler that builds: it knows warnings that clang does not, and deprecates less.
    words = [program, "-quiet", "-j", "2", "-p", str(directory)]
    words += [f"-extra-arg={word}" for word in ("-Wno-unknown-warning-option", "-Wno-deprecated-declarations", "-Wshadow")]
    return subprocess.run(words, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
