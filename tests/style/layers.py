#!/usr/bin/env python3
"""Holds every #include of the project's own headers against the layers that src/CMakeLists.txt declares: a layer may
include itself, what it DEPENDS on, and what these depend on.

    layers.py SOURCE-DIRECTORY LAYERS-FILE
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# What a preloaded interposer says of itself: C, without a layer's name in its path, for programs that know no C++.
HEADERS_OF = {"aapc/interposer.h": "interposer"}


def read_layers(path: Path) -> dict[str, set[str]]:
    """For every layer all that it may include, itself too."""
    allowed: dict[str, set[str]] = {}
    for line in path.read_text().splitlines():
        name, _, dependencies = line.partition(":")
        allowed[name] = {name}.union(*(allowed[dependency] for dependency in dependencies.split()))
    return allowed


def layer_of(header: str) -> str:
    return HEADERS_OF.get(header) or header.removeprefix("aapc/").split("/")[0]


def mistakes(source: Path, allowed: dict[str, set[str]]) -> tuple[list[str], int]:
    found, seen = [], 0
    for root in (source / "src", source / "include" / "aapc"):
        for path in sorted(root.rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".h", ".c") or "templates" in path.parts:
                continue
            relative = path.relative_to(root)
            if len(relative.parts) == 1:
                if f"aapc/{relative}" not in HEADERS_OF:
                    found.append(f"{path.relative_to(source)}: it is in no layer; move it into the directory of one")
                continue
            layer = relative.parts[0]
            if layer not in allowed:
                found.append(f"{path.relative_to(source)}: {layer} is no layer; declare it in src/CMakeLists.txt")
                continue
            text = path.read_text()
            for include in INCLUDE.finditer(text):
                header = include.group(1)
                if "/" not in header:
                    continue
                seen += 1
                if layer_of(header) not in allowed[layer]:
                    line = text.count("\n", 0, include.start()) + 1
                    found.append(
                        f'{path.relative_to(source)}:{line}: {layer} includes "{header}", but may only include from '
                        + ", ".join(sorted(allowed[layer]))
                    )
    return found, seen


def main() -> int:
    found, seen = mistakes(Path(sys.argv[1]), read_layers(Path(sys.argv[2])))
    for mistake in found:
        print(mistake, file=sys.stderr)
    print(f"{seen} includes between files of the project, {len(found)} against the direction")
    return 1 if found or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
