#!/usr/bin/python3
"""What the cores of this machine carry: the lab's networks in several sizes and speeds, until the bound is out of reach.

    lab/capacity                      measure what is missing, then write the table into docs/experiments.md
    lab/capacity --fresh              throw away what has been measured first

A lab is honest where a contention-free exchange comes close to the bound: its links are then what is scarce, not the processors.
Ctrl-C stops it; the next start goes on. The program aapc is $AAPC_PROGRAM or the one on the PATH.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "lab"))

from reproduction.networks import Network, networks  # noqa: E402
from reproduction.page import with_block  # noqa: E402
from reproduction.sweep import WIRE_OVER_PAYLOAD, bench, cluster  # noqa: E402

SIZE = 64 * 1024
METHODS = ("native", "tree/merged+timed", "tree/merged+sender")
MPI = "openmpi"
# Machines on one switch and speeds of the links in Mbit/s, by the number of switches.
SHAPES = {1: [(16, 100), (16, 50), (16, 25), (24, 25), (24, 12)], 4: [(4, 100), (8, 100), (8, 50), (8, 25)]}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="Ctrl-C stops it; the next start goes on where it was."
    )
    parser.add_argument("--results", type=Path, default=ROOT / "docs/experiments/results/capacity", help="default %(default)s")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--lab", default="capacity", help="name of the lab that is put up (default %(default)s)")
    parser.add_argument("--fresh", action="store_true", help="throw away what has been measured first")
    return parser.parse_args()


def shapes() -> list[Network]:
    """The papers' three networks with other numbers of machines and other speeds."""
    return [
        replace(network, machines=machines, rate_megabits=rate)
        for network in networks()
        for machines, rate in SHAPES[len(network.uplinks)]
    ]


def busy_and_all_ticks() -> tuple[int, int]:
    """Ticks that the processors of this machine were busy, and all of them, since it started."""
    with open("/proc/stat", encoding="ascii") as statistics:
        ticks = [int(field) for field in statistics.readline().split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, sum(ticks)


def measure(network: Network, file: Path, repeats: int, lab: str) -> None:
    topology = file.with_suffix(".toml")
    topology.write_text(network.toml())
    cluster("up", str(topology), "--name", lab)
    try:
        busy_before, all_before = busy_and_all_ticks()
        report = file.with_suffix(".part")
        bench(lab, MPI, topology, [SIZE], METHODS, repeats, report)
        busy, all_ticks = busy_and_all_ticks()
    finally:
        cluster("down", "--name", lab)
    document = json.loads(report.read_text())
    document["processors_busy"] = (busy - busy_before) / (all_ticks - all_before)
    report.write_text(json.dumps(document, indent=1))
    report.replace(file)


def table(results: Path) -> str:
    lines = [
        f"| network | ranks | links | {' | '.join(METHODS)} | processors busy |",
        "|---|---|---|" + "---|" * (len(METHODS) + 1),
    ]
    for network in shapes():
        file = result_file(results, network)
        if not file.exists():
            continue
        document = json.loads(file.read_text())
        (measured,) = document["sizes"]
        medians = {candidate["candidate"]: candidate["median_seconds"] for candidate in measured["candidates"]}
        bound = network.bottleneck_messages() * SIZE * WIRE_OVER_PAYLOAD * 8 / (network.rate_megabits * 1e6)
        cells = " | ".join(f"{bound / medians[method]:.2f}" for method in METHODS)
        lines.append(
            f"| {network.title} | {network.ranks} | {network.rate_megabits} Mbit/s | {cells} |"
            f" {document['processors_busy']:.0%} |"
        )
    return "\n".join(lines) + "\n"


def result_file(results: Path, network: Network) -> Path:
    return results / f"{network.name}-{network.ranks}-{network.rate_megabits}.json"


def main() -> int:
    arguments = parse_arguments()
    if arguments.fresh:
        shutil.rmtree(arguments.results, ignore_errors=True)
    arguments.results.mkdir(parents=True, exist_ok=True)
    try:
        for network in shapes():
            file = result_file(arguments.results, network)
            if not file.exists():
                began = time.monotonic()
                measure(network, file, arguments.repeats, arguments.lab)
                print(f"{file.stem}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    except KeyboardInterrupt:
        print("capacity: stopped; the next start goes on here", file=sys.stderr)
        return 130
    except subprocess.CalledProcessError as error:
        print(f"capacity: {error}", file=sys.stderr)
        return 1
    page = ROOT / "docs/experiments.md"
    text = page.read_text() if page.exists() else "# The papers' experiments again\n"
    page.write_text(with_block(text, "capacity", "lab/capacity", table(arguments.results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
