#!/usr/bin/env python3
"""Every file under src/ and simulation/ by the rules of .clang-tidy, once: those that are built for each MPI would be
looked at two and three times. Where files are compiled together (AAPC_UNITY), they are looked at together, those of
several targets, too, as far as no name of one meets a name of another: their headers are read once, which is most of
the work. Two checks, misc-unused-using-decls and misc-unused-alias-decls, then see nothing of the files, so that what
they look for is looked for here.

    tidy.py RUN-CLANG-TIDY SOURCE-DIRECTORY BUILD-DIRECTORY
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.dont_write_bytecode = True

from names import DEFINITION, UNDEFINITION, file_level_names  # noqa: E402

INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)

# What a file is made of that others are put into.
LOOKED_AT = re.compile(r'^#include "(/.+?)"', re.MULTILINE)

# `using where::name;` and `namespace name = where;`
BROUGHT = re.compile(r"^\s*(?:using\s+[\w:]*::(\w+)\s*;|namespace\s+(\w+)\s*=)", re.MULTILINE)
COMMENT = re.compile(r"//.*|/\*.*?\*/")
HEADER = re.compile(r'^#include "[^"]+\.hpp"', re.MULTILINE)
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*")
BROUGHT_FROM = re.compile(r"^using ([\w:]*::(\w+));", re.MULTILINE)

EXTRA = ("-Wno-unknown-warning-option", "-Wno-deprecated-declarations", "-Wshadow")

# Stands for names that nobody knows.
ALL = "*"

# Lines of the files that are looked at as one: fewer cost more headers, more would leave one of two processors idle.
MOST_LINES = 5000


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


def names_of(text: str) -> dict[str, set[tuple[str, str]]]:
    """What a file has to itself: by name, what tells things of that name apart."""
    names: dict[str, set[tuple[str, str]]] = {}
    for _, name in file_level_names(text):
        names.setdefault(name.name, set()).add((name.kind, name.of))
    for macro in set(DEFINITION.findall(text)) - set(UNDEFINITION.findall(text)):
        names[macro] = {("other", "")}
    for path, name in BROUGHT_FROM.findall(text):
        names.setdefault(name, set()).add(("brought", path))
    if re.search(r"^int main\(", text, re.MULTILINE):
        names["main"] = {("other", "")}
    # What comes with all names of a namespace is not seen here.
    return {ALL: {("other", "")}} | names if re.search(r"^using namespace (?!aapc)", text, re.MULTILINE) else names


def meet(one: set[tuple[str, str]], other: set[tuple[str, str]]) -> bool:
    """Whether these of one name cannot be in one file."""
    if {kind for kind, _ in one | other} == {"function"}:
        return bool(one & other)
    return one != other or not {kind for kind, _ in one} <= {"alias", "brought"}


def hideable(things: set[tuple[str, str]]) -> bool:
    """Whether a local name would hide one of these."""
    return any(kind in ("alias", "other") for kind, _ in things)


def words_of(entry: dict[str, str]) -> list[str]:
    """The words of a command but for its file and what it makes, -isystem and its directory as one."""
    words = shlex.split(entry["command"].replace("-isystem ", "-isystem"))
    made = words.index("-o") if "-o" in words else len(words)
    return [word for word in words[:made] + words[made + 2 :] if word not in ("-c", entry["file"])]


def mpi_of(words: list[str]) -> str:
    """Whose mpi.h is found; nobody's: an empty word."""
    directories = (word.removeprefix("-isystem") for word in words if word.startswith("-isystem"))
    return next((directory for directory in directories if Path(directory, "mpi.h").exists()), "")


class Together:
    """Files that are looked at as one, and the words of the command that compiles them."""

    def __init__(self) -> None:
        self.sources: list[Path] = []
        self.words: list[str] = []
        self.names: dict[str, set[tuple[str, str]]] = {}
        self.identifiers: set[str] = set()
        self.lines = 0

    def takes(self, text: str, names: dict[str, set[tuple[str, str]]], words: list[str]) -> bool:
        if not self.sources:
            return True
        macros = dict(word.partition("=")[::2] for word in self.words if word.startswith("-D"))
        return (
            self.lines + text.count("\n") <= MOST_LINES
            and ALL not in names.keys() | self.names.keys()
            and mpi_of(self.words) == mpi_of(words)
            and all(macros.get(name, value) == value for name, _, value in (word.partition("=") for word in words))
            and not any(meet(names[name], self.names[name]) for name in names.keys() & self.names.keys())
            # What is local in one file would hide the other's.
            and not any(hideable(names[name]) for name in names.keys() & self.identifiers)
            and not any(hideable(self.names[name]) for name in self.names.keys() & set(IDENTIFIER.findall(text)))
        )

    def add(self, source: Path, text: str, names: dict[str, set[tuple[str, str]]], words: list[str]) -> None:
        self.sources.append(source)
        self.words += [word for word in words if not self.words or word not in self.words]
        self.lines += text.count("\n")
        self.identifiers.update(IDENTIFIER.findall(text))
        for name, kinds in names.items():
            self.names.setdefault(name, set()).update(kinds)
def without_repetition(
    commands: list[dict[str, str]], wanted: Callable[[Path], bool], directory: Path, across: bool
) -> Iterator[dict[str, object]]:
    """Commands that compile each wanted file once: those of one command together, or, across, as many as can be. What
    is put together lies in the directory."""
    seen: set[Path] = set()
    groups: list[Together] = []
    for entry in commands:
        words = words_of(entry)
        own: Together | None = None
        for source in sources_of(entry):
            if not wanted(source) or source in seen:
                continue
            seen.add(source)
            if source.suffix != ".cpp":
                yield entry | {"file": str(source), "command": entry["command"].replace(entry["file"], str(source))}
                continue
            text = source.read_text()
            names = names_of(text)
            group = own
            if across:
                group = next((group for group in groups if group.takes(text, names, words)), None)
            if group is None:
                groups.append(group := Together())
            own = group
            group.add(source, text, names, words)
    for number, group in enumerate(groups):
        file = directory / f"together_{number}.cpp"
        # Headers come before what files have to themselves, as they do in a file alone.
        headers = dict.fromkeys(found for source in group.sources for found in HEADER.findall(source.read_text()))
        lines = [f"{header}\n" for header in headers] if across else []
        # The only thing that is not as it is in a file alone.
        lines += [f'#include "{source}"  // NOLINT(bugprone-suspicious-include)\n' for source in group.sources]
        file.write_text("".join(lines))
        yield {"directory": str(directory), "file": str(file), "arguments": [*group.words, "-c", str(file)]}


def look(program: str, source: Path, directory: Path, commands: list[dict[str, object]]) -> tuple[int, set[Path]]:
    """The status of clang-tidy, and the files that it found something wrong in or through."""
    (directory / "compile_commands.json").write_text(json.dumps(commands))
    (directory / ".clang-tidy").write_text((source / ".clang-tidy").read_text())
    # The commands are for the compiler that builds: it knows warnings that clang does not, and deprecates less.
    words = [program, "-quiet", "-j", "2", "-p", str(directory)]
    words += [f"-extra-arg={word}" for word in EXTRA]
    looked = subprocess.run(words, check=False, text=True, stdout=subprocess.PIPE)
    print(looked.stdout, flush=True)
    failed = [Path(str(each["file"])) for each in commands if f"while processing {each['file']}." in looked.stdout]
    together = [Path(found) for file in failed for found in LOOKED_AT.findall(file.read_text())]
    return looked.returncode, {*failed, *together}


def main() -> int:
    program, source, build = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    inside = (source / "src", source / "simulation")
    tests = source / "simulation" / "tests"

    def wanted(file: Path) -> bool:
        return any(part in file.parents for part in inside) and tests not in file.parents

    commands = json.loads((build / "compile_commands.json").read_text())
    unused = [wrong for entry in commands for file in sources_of(entry) if wanted(file) for wrong in unused_names(file)]
    for wrong in sorted(set(unused)):
        print(wrong)
    directory = build / "tidy"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    once = list(without_repetition(commands, wanted, directory, True))
    if not once:
        print(f"tidy: no file of {source} is built in {build}", file=sys.stderr)
        return 1
    status, failed = look(program, source, directory, once)
    if failed:
        # It may be that a file is wrong only beside those of other targets.
        print(f"tidy: {len(failed)} files once more, beside those of their own target alone, which counts")
        once = list(without_repetition(commands, lambda file: file in failed, directory, False))
        status, _ = look(program, source, directory, once)
    return status or bool(unused)


if __name__ == "__main__":
    sys.exit(main())
