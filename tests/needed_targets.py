#!/usr/bin/env python3
"""What has to be built for the tests that `ctest OPTION...` would run: prints ninja's targets, `none`, or nothing at
all where it is everything. Knows -R (names) and -L (labels); for any other choice of tests everything is built.

    needed_targets.py BUILD-DIRECTORY [CTEST-OPTION...]
"""

import json
import re
import subprocess
import sys
from pathlib import Path

CASE = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)", re.MULTILINE)
ADDED = re.compile(r'^add_test\(\[=*\[(.+?)\]=*\] "([^"]+)"', re.MULTILINE)
CHOOSES = {"-R": "name", "--tests-regex": "name", "-L": "label", "--label-regex": "label"}
CHOOSES_OTHERWISE = ("-I", "--tests-information", "--rerun-failed")


def choices(options: list[str]) -> list[tuple[str, re.Pattern[str]]] | None:
    """Pairs of what is matched and how; None where all tests may run."""
    found = []
    for option, value in zip(options, [*options[1:], ""]):
        if option in CHOOSES:
            found.append((CHOOSES[option], re.compile(value)))
        if option in CHOOSES_OTHERWISE:
            return None
    return found or None


def chosen(choice: list[tuple[str, re.Pattern[str]]], name: str, labels: list[str]) -> bool:
    return all(
        pattern.search(name) if what == "name" else any(pattern.search(label) for label in labels)
        for what, pattern in choice
    )


def programs_of_cases(build: Path, choice: list[tuple[str, re.Pattern[str]]]) -> set[str]:
    """GoogleTest programs with a case that is chosen. The sources are asked, since programs may not be built yet."""
    needed = set()
    for line in (build / "test-programs.txt").read_text().splitlines():
        program, directory, *sources = line.split(";")
        parts = Path(directory).parts
        labels = [parts[len(parts) - parts[::-1].index("tests")]] if "tests" in parts[:-1] else []
        for source in sources:
            text = (Path(directory) / source).read_text()
            # Parameterised cases have the parameter behind and the instantiation before their name.
            if any(chosen(choice, f"{suite}.{case}", labels) for suite, case in CASE.findall(text)):
                needed.add(program)
        if not any(what == "name" for what, _ in choice) and chosen(choice, program, labels):
            needed.add(program)
        if any(what == "name" and pattern.search(program) for what, pattern in choice):
            needed.add(program)
    return needed


def programs_not_built(build: Path) -> dict[str, str]:
    """By the names of tests: ctest tells no command of a test whose program is not there yet."""
    return {
        name: program
        for file in build.rglob("CTestTestfile.cmake")
        for name, program in ADDED.findall(file.read_text())
    }


def files_of_tests(build: Path, choice: list[tuple[str, re.Pattern[str]]]) -> set[str]:
    """Of the other tests: what their commands name inside the build directory."""
    listing = subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True, text=True
    )
    needed = set()
    programs = programs_not_built(build)
    for test in json.loads(listing.stdout)["tests"]:
        labels = next((each["value"] for each in test.get("properties", []) if each["name"] == "LABELS"), [])
        if test["name"].endswith("_NOT_BUILT") or not chosen(choice, test["name"], labels):
            continue
        words = [*test.get("command", [programs.get(test["name"], "")])]
        for each in test.get("properties", []):
            if each["name"] == "ENVIRONMENT":
                words += [assignment.partition("=")[2] for assignment in each["value"]]
        for word in {*words, *" ".join(words).split()}:
            if word.startswith(f"{build}/"):
                needed.add(str(Path(word).relative_to(build)))
            # A script that preloads a library of ours into MPICH's ranks.
            if word == f"{build}/tests/mpiexec.mpich":
                needed.add("tests/libmpich_ranks.so")
    return needed


def known_to_ninja(build: Path) -> set[str]:
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "targets", "all"], check=True, capture_output=True, text=True)
    return {line.rsplit(":", 1)[0] for line in listing.stdout.splitlines()}


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    choice = choices(sys.argv[2:])
    if choice is None:
        return 0
    needed = programs_of_cases(build, choice) | files_of_tests(build, choice)
    # A test names a library's file; programs look for it under the name without a version, which is a link.
    needed |= {file.partition(".so.")[0] + ".so" for file in needed if ".so." in file}
    targets = sorted(needed & known_to_ninja(build))
    print(" ".join(targets) or "none")
    return 0


if __name__ == "__main__":
    sys.exit(main())
