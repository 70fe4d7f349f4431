#!/usr/bin/env python3
"""The page aapc-topology(5) has every key that the readers of topology files take, and no other; its examples can be
read; man finds nothing wrong with it.

    topology_page.py SOURCE-DIRECTORY PAGE AAPC
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KEYS = re.compile(r"std::string_view, \d+> \w*keys\{([^}]*)\}")
TABLES = {"network", "switch", "cluster", "wide_area"}


def keys_of_readers(source: Path) -> set[str]:
    text = "".join(path.read_text() for path in sorted((source / "src/topology").glob("*.cpp")))
    lists = KEYS.findall(text)
    assert len(lists) > 8, "the lists of keys are no longer found in src/topology"
    return {key for one in lists for key in re.findall(r'"(\w+)"', one)} - TABLES


def mistakes(source: Path, page: str, aapc: str) -> list[str]:
    found = []
    named = set(re.findall(r"^\.B (\w+)$", page, re.MULTILINE))
    readers = keys_of_readers(source)
    found += [f"the page lacks the key {key}" for key in sorted(readers - named)]
    found += [f"no reader takes the key {key}" for key in sorted(named - readers)]
    examples = re.findall(r"^\.EX\n(.*?)^\.EE$", page, re.MULTILINE | re.DOTALL)
    assert len(examples) >= 2, "the page has no examples"
    for example in examples:
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(example.replace("\\-", "-"))
            file.flush()
            run = subprocess.run([aapc, "topology", file.name], capture_output=True, text=True)
            if run.returncode != 0:
                found.append(f"an example cannot be read: {run.stderr}")
    return found


def main() -> int:
    source, page, aapc = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    found = mistakes(source, page.read_text(), aapc)
    if shutil.which("groff"):
        run = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(page)], capture_output=True, text=True)
        found += [line for line in run.stderr.splitlines() if line]
    for mistake in found:
        print(mistake, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
