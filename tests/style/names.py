#!/usr/bin/env python3
"""Finds names of single files that would meet in one: with AAPC_UNITY=ON, which ./test sets, CMake compiles the files
of a target together, and then what two of them have in their unnamed namespaces or declare static is one namespace's.

    names.py SOURCE-DIRECTORY COMPILE-COMMANDS

A name may stand in two files of a target where both are functions of different parameter types, or aliases of one
type: that is legal, together too. Everything else fails. It goes by the lines that .clang-format makes: what is in a
namespace begins in column 0, what is in something else does not.
"""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
NAMESPACE = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{")
END_OF_NAMESPACE = re.compile(r"\}  // namespace")
ATTRIBUTE = re.compile(r"\[\[.*?\]\] ?")
ALIAS = re.compile(r"using (\w+) =(.*)")
TYPE = re.compile(r"(?:class|struct|union|enum class|enum)(?: alignas\([^)]*\))? (\w+)[^;]*\{")
VARIABLE = re.compile(r".*?[ &*>](\w+)(?:\[[^]]*\])*\s*[={;]", re.DOTALL)
MACRO = re.compile(r"[A-Z][A-Z0-9_]+\(")
DEFINITION = re.compile(r"^#define (\w+)(?:\(|\s|$)", re.MULTILINE)
UNDEFINITION = re.compile(r"^#undef (\w+)", re.MULTILINE)


class Name(NamedTuple):
    """A name, and what tells it from others of that name: the parameter types, the type that an alias is of."""

    name: str
    kind: str  # "function", "alias" or "other"
    of: str


def without_template(text: str) -> str:
    """The declaration behind `template <…>`."""
    while text.startswith("template <"):
        depth = 0
        for index, character in enumerate(text):
            depth += (character == "<") - (character == ">")
            if character == ">" and depth == 0:
                text = text[index + 1 :].lstrip()
                break
        else:
            return ""
    return text


def split_at_commas(text: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for index, character in enumerate(text):
        depth += (character in "(<[{") - (character in ")>]}")
        if character == "," and depth == 0:
            parts.append(text[begin:index])
            begin = index + 1
    return [*parts, text[begin:]]


def parameter_type(parameter: str) -> str:
    """Without the parameter's name and what it is by default."""
    declared = parameter.split("=")[0].strip()
    named = re.fullmatch(r"(.*[\w>&*])(?:\s+|(?<=[&*>])\s*)(\w+)", declared)
    if named and not re.fullmatch(r"(?:const\s+)?(?:unsigned|struct|enum|typename|const)?", named.group(1).strip()):
        declared = named.group(1)
    return re.sub(r"\s+", " ", declared).strip()


def parameters(head: str, opening: int) -> str:
    depth = 0
    for index in range(opening, len(head)):
        depth += (head[index] == "(") - (head[index] == ")")
        if depth == 0:
            inside = head[opening + 1 : index]
            return ", ".join(parameter_type(one) for one in split_at_commas(inside)) if inside.strip() else ""
    return head[opening:]


def end_of_declarator(head: str) -> int:
    """Where a declaration comes to its body, its value or its end; its length if it does not."""
    depth = 0
    for index, character in enumerate(head):
        depth += (character in "([") - (character in ")]")
        if depth == 0 and (character in "{;" or (character == "=" and head[index - 1] not in "=!<>r")):
            return index
    return len(head)


def declared_name(head: str) -> Name | None:
    """What a declaration declares; nothing for what needs no name of its own."""
    head = without_template(ATTRIBUTE.sub("", head))
    if not head or head.startswith(("using namespace ", "namespace ", "friend ", "static_assert", "extern ")):
        return None
    if alias := ALIAS.match(head):
        return Name(alias.group(1), "alias", alias.group(2).strip())
    if head.startswith("using ") or MACRO.match(head):
        return None
    if head.startswith(("class ", "struct ", "union ", "enum ")) and (kind := TYPE.match(head)):
        return Name(kind.group(1), "other", "")
    before_value = head[: end_of_declarator(head)]
    # A function's name is what stands before the first parenthesis outside of template arguments.
    depth = 0
    for index, character in enumerate(before_value):
        depth += (character == "<") - (character == ">" and before_value[index - 1] != "-")
        if character == "(" and depth == 0:
            name = re.search(r"([\w:~]+|operator\W+)$", before_value[:index])
            if name is None or "::" in name.group(1) or name.start() == 0:
                return None  # a member's definition, or no declaration
            return Name(name.group(1), "function", parameters(before_value, index))
    variable = VARIABLE.match(head)
    return Name(variable.group(1), "other", "") if variable else None


def file_level_names(text: str) -> list[tuple[str, Name]]:
    """Those with internal linkage, each with the named namespace that it is in."""
    text = BLOCK_COMMENT.sub("", RAW_STRING.sub('""', text))
    found, namespaces, head = [], [], ""
    for line in text.split("\n"):
        if not head:
            if line[:1] in ("", " ", "#", "/"):
                continue
            if namespace := NAMESPACE.match(line):
                namespaces.append(namespace.group(1) or "")
                continue
            if END_OF_NAMESPACE.match(line):
                if namespaces:
                    namespaces.pop()
                continue
            if line[0] == "}" or not ("" in namespaces or line.startswith(("static ", "template <"))):
                continue
        head = f"{head} {line.strip()}" if head else line
        bare = without_template(head)
        if end_of_declarator(bare) == len(bare):
            continue
        if "" in namespaces or bare.startswith("static "):
            if name := declared_name(bare.removeprefix("static ")):
                found.append(("::".join(part for part in namespaces if part), name))
        head = ""
    return found


def collide(one: Name, other: Name) -> bool:
    if one.kind == other.kind and one.kind in ("function", "alias"):
        return (one.of == other.of) == (one.kind == "function")
    return True


def collisions(texts: dict[str, str]) -> list[str]:
    """What files of one target, by their names, may not have together."""
    seen: dict[tuple[str, str], list[tuple[str, Name]]] = defaultdict(list)
    macros: dict[str, list[str]] = defaultdict(list)
    for file, text in texts.items():
        for namespace, name in file_level_names(text):
            seen[namespace, name.name].append((file, name))
        undefined = set(UNDEFINITION.findall(text))
        for macro in set(DEFINITION.findall(text)) - undefined:
            macros[macro].append(file)
    found = [f"{files[0]} and {files[1]} both define {macro}" for macro, files in macros.items() if len(files) > 1]
    for (_, name), places in seen.items():
        for index, (file, one) in enumerate(places):
            for other_file, other in places[index + 1 :]:
                if file != other_file and collide(one, other):
                    what = f"{name}({one.of})" if one.kind == other.kind == "function" else name
                    found.append(f"{file} and {other_file} both have {what}")
    return found


def files_by_target(commands: Path, source: Path) -> dict[str, set[Path]]:
    targets: dict[str, set[Path]] = defaultdict(set)
    for command in json.loads(commands.read_text()):
        target = re.search(r"CMakeFiles/([^/\s]+)\.dir/", command.get("output") or command["command"])
        file = Path(command["directory"], command["file"])
        if target is None or file.suffix not in (".cpp", ".cxx"):
            continue
        files = [file]
        if "/Unity/" in str(file):
            files = [Path(found) for found in re.findall(r'^#include "(.+)"', file.read_text(), re.MULTILINE)]
        # Both MPIs have the same sources.
        name = re.sub(r"_(openmpi|mpich)\b", "", target.group(1))
        targets[name].update(
            file
            for file in files
            if file.suffix == ".cpp" and file.is_relative_to(source) and not file.is_relative_to(commands.parent)
        )
    return targets


SAMPLES = {
    "a.cpp": 'namespace x {\nnamespace {\nconstexpr int most = 1;\nstd::string text(int value) {\n    return "";\n}\n'
    "struct Thing {\n    int a;\n};\nusing Same = int;\n}  // namespace\n}  // namespace x\nstatic void alone() {}\n"
    'const char* toml = R"(\nmost = 3\n)";\n#define M 1\n',
    "b.cpp": "namespace x {\nnamespace {\nint most(int value) {\n    return 1;\n}\nstd::string text(double value) {\n"
    "    return {};\n}\ntemplate <class T>\nclass Thing : Base<T> {\n};\nusing Same = int;\n}  // namespace\n"
    "}  // namespace x\nstatic void alone() {\n}\n#define M 2\n",
    "c.cpp": "namespace y {\nnamespace {\nconstexpr int most = 2;\nstruct Thing;\n}  // namespace\n}  // namespace y\n"
    "namespace x {\nnamespace {\nstd::string text(\n    int other = 3) {\n}\n}  // namespace\n}  // namespace x\n",
}
EXPECTED = [
    "a.cpp and b.cpp both define M",
    "a.cpp and b.cpp both have most",
    "a.cpp and c.cpp both have text(int)",
    "a.cpp and b.cpp both have Thing",
    "a.cpp and b.cpp both have alone()",
]


def main() -> int:
    if sorted(collisions(SAMPLES)) != sorted(EXPECTED):
        sys.exit("names.py does not find what is wrong with its own samples: " + "; ".join(collisions(SAMPLES)))
    source, commands = Path(sys.argv[1]), Path(sys.argv[2])
    texts: dict[Path, str] = {}
    found: dict[str, list[str]] = defaultdict(list)
    names = 0
    for target, files in files_by_target(commands, source).items():
        for file in files:
            texts.setdefault(file, file.read_text())
        named = {str(file.relative_to(source)): texts[file] for file in sorted(files)}
        for mistake in collisions(named):
            found[mistake].append(target)
    for mistake, targets in sorted(found.items()):
        print(f"{mistake}, and {targets[0]} may compile both together; give one another name")
    if not texts:
        sys.exit(f"{commands} names no file of {source}")
    print(f"{len(texts)} files, {len(found)} names that meet")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
