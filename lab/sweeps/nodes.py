#!/usr/bin/env python3
"""Machines with several ranks each, on the lab: the MPI's own, the tree schedule with ranks as leaves, and `factor`.

    benchmarks/nodes_sweep PREFIX RESULTS

Ranks of a machine reach each other by shared memory. About 20 minutes; Ctrl-C stops it, and the next start goes on.
benchmarks/sweep_table RESULTS/nodes shows what has been measured.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from reproduction import sweep  # noqa: E402

METHODS = (
    *("native", "tree/merged+timed", "tree/merged+sender"),
    *("factor/fill", "factor/permutation", "factor/paper", "factor/flat", "factor/fill+ports:1"),
)
LAUNCHER_OPTIONS = ("--shared-memory",)
MACHINES = 6
FULL = 4  # ranks on a full machine
SEED = 2002


def distributions() -> dict[str, list[int]]:
    """Ranks on each machine, by name: those of Sanders & Traeff 2002, section 4, and two with a meaning of their own."""
    choose = random.Random(SEED)
    named = {
        "rising": [1, 2, 3, 4],
        "full": [FULL] * MACHINES,
        "regular": [3] * MACHINES,
        "organ-pipe": [2, 3, 4, 4, 3, 2],
        "alternating": [4, 2] * (MACHINES // 2),
    }
    for number in (1, 2):
        named[f"random-{number}"] = random_distribution(choose)
    return named


def random_distribution(choose: random.Random) -> list[int]:
    while True:
        ranks = [choose.randint(1, FULL) for _ in range(MACHINES)]
        if 16 <= sum(ranks) <= 20:
            return ranks


def toml(name: str, ranks: list[int]) -> str:
    machines = ", ".join(f'"n{index}:{count}"' for index, count in enumerate(ranks))
    return f'# {name}\n[network]\nspeed = "100Mbit"\n\n[[switch]]\nname     = "s0"\nmachines = [{machines}]\n'


def main() -> int:
    arguments = sweep.parse_arguments(__doc__, default_sizes="4Ki,16Ki,64Ki,256Ki", default_repeats=5)
    benches = [
        sweep.Bench(mpi, arguments.sizes, METHODS, arguments.repeats, arguments.most_seconds, LAUNCHER_OPTIONS)
        for mpi in arguments.mpis
    ]
    runs = []
    for name, ranks in distributions().items():
        if sweep.is_wanted(name, arguments.only):
            directory = arguments.results / "nodes" / name
            topology = sweep.write_topology(directory / "topology.toml", toml(name, ranks))
            runs += sweep.bench_runs(topology, name, benches, arguments.congestion_controls, directory)
    return sweep.carry_out_and_report("nodes_sweep", runs, arguments.lab)


if __name__ == "__main__":
    sys.exit(main())
