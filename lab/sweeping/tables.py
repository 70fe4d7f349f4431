#!/usr/bin/env python3
"""Tables of what `aapc bench` wrote as JSON below a directory: fractions of the bound, and the lead over the first method.

    benchmarks/sweep_table DIRECTORY

A cell is the fraction of the bound (least time over median time), and behind it the first method's time over this one's, median of
the rounds pair by pair, with "?" where its interval includes 1.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from reproduction.quantities import size_text  # noqa: E402


def cell(candidate: dict, is_first: bool) -> str:
    fraction = f"{candidate['fraction_of_bound']:.2f}"
    if is_first:
        return fraction
    doubt = "?" if candidate["verdict"] == "undecided" else ""
    return f"{fraction}; {candidate['first_over_this']['median']:.2f}{doubt}"


def print_table(name: str, document: dict) -> None:
    sizes = document["sizes"]
    print(f"\n{name}: {document['ranks']} ranks, {document['mpi']}\n")
    print("| | " + " | ".join(size_text(size["message_bytes"]) for size in sizes) + " |")
    print("|---|" + "---|" * len(sizes))
    rows: dict[str, list[str]] = {}
    for size in sizes:
        for place, candidate in enumerate(size["candidates"]):
            rows.setdefault(candidate["candidate"], []).append(cell(candidate, place == 0))
    for method, cells in rows.items():
        print(f"| `{method}` | " + " | ".join(cells) + " |")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    results = Path(sys.argv[1])
    for file in sorted(results.rglob("*.json")):
        document = json.loads(file.read_text())
        if document.get("format") == "aapc-bench/1":
            print_table(str(file.relative_to(results).with_suffix("")), document)
    return 0


if __name__ == "__main__":
    sys.exit(main())
