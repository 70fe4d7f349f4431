#!/usr/bin/env python3
"""Every file under src/ and simulation/ by the rules of .clang-tidy, once: those that are built for each MPI would be
looked at two and three times. Files that read command lines without one of the rules, which looks at every function of
CLI11 for as long as all other rules together look at everything.

    tidy.py RUN-CLANG-TIDY SOURCE-DIRECTORY BUILD-DIRECTORY
"""

import json
import subprocess
import sys
from pathlib import Path


def main() -> int:
    program, source, build = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    inside = (source / "src", source / "simulation")
    commands = json.loads((build / "compile_commands.json").read_text())
    once = {entry["file"]: entry for entry in commands if any(part in Path(entry["file"]).parents for part in inside)}
    if not once:
        print(f"tidy: no file of {source} is built in {build}", file=sys.stderr)
        return 1
    of_programs = [entry for file, entry in once.items() if reads_command_lines(Path(file).relative_to(source))]
    others = [entry for entry in once.values() if entry not in of_programs]
    # Both, whatever the first one finds.
    statuses = [
        look_at(program, build / "tidy" / "programs", of_programs, ["-checks=-performance-unnecessary-value-param"]),
        look_at(program, build / "tidy" / "others", others, []),
    ]
    return max(statuses)


def reads_command_lines(file: Path) -> bool:
    """Those of the programs."""
    return file.is_relative_to("src/cli") or file.is_relative_to("src/bench") or file.is_relative_to("simulation")


def look_at(program: str, directory: Path, commands: list[dict], options: list[str]) -> int:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "compile_commands.json").write_text(json.dumps(commands))
    # The commands are for the compiler that builds, which knows warnings that clang does not.
    words = [program, "-quiet", "-j", "2", "-p", str(directory), "-extra-arg=-Wno-unknown-warning-option", *options]
    return subprocess.run(words, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
