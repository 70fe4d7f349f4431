"""The table of docs/experiments.md on what the cores carry."""

from __future__ import annotations

from collections.abc import Sequence

from sweeping.medians import Row
from sweeping.tables import fraction

from .networks import networks

SWITCHES = {"switch": 1, "star": 4, "chain": 4}  # what the names of the networks begin with


def capacity_block(rows: Sequence[Row]) -> str:
    methods = list(dict.fromkeys(row["method"] for row in rows))
    lines = [
        f"| network | ranks | links | {' | '.join(methods)} | processors busy |",
        "|---|---|---|" + "---|" * (len(methods) + 1),
    ]
    for network in dict.fromkeys(row["network"] for row in rows):
        here = {row["method"]: row for row in rows if row["network"] == network}
        first = here[methods[0]]
        cells = " | ".join(fraction(here[method]) for method in methods)
        speed = network.rsplit("-", 1)[1].replace("Mbit", " Mbit/s")
        lines.append(
            f"| {_title(network)} | {first['ranks']} | {speed} | {cells} | {float(first['processors_busy']):.0%} |"
        )
    return "\n".join(lines) + "\n"


def _title(name: str) -> str:
    of_figures = {"switch": "one-switch"}
    shape = name.split("-")[0]
    return next(network.title for network in networks() if network.name == of_figures.get(shape, shape))
