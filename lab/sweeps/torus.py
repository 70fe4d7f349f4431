#!/usr/bin/env python3
"""A torus on the lab: `torus` and `torus-direct` against the MPI's own and the ring.

    benchmarks/torus_sweep PREFIX RESULTS

4 x 4 machines, the larger tori with --only 4x8 8x8, at speeds that two cores carry, where a machine forwards at every hop.
Ctrl-C stops it, and the next start goes on. benchmarks/sweep_table RESULTS/torus shows what has been measured.
"""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from reproduction import sweep  # noqa: E402

NETWORKS = {"4x4": ((4, 4), "10Mbit"), "4x8": ((4, 8), "5Mbit"), "8x8": ((8, 8), "2Mbit")}
USUAL = ["4x4"]
ALGORITHMS = ("torus", "torus-direct", "ring")


def toml(sides: tuple[int, ...], speed: str) -> str:
    return (
        f'[network]\nkind     = "torus"\nspeed    = "{speed}"\nsides    = {list(sides)}\n'
        f'machines = "t[0-{math.prod(sides) - 1}]"\n'
    )


def methods(topology: Path) -> list[str]:
    """What can be had on this torus."""
    return ["native", *(algorithm for algorithm in ALGORITHMS if can_be_had(topology, algorithm))]


def can_be_had(topology: Path, algorithm: str) -> bool:
    command = [sweep.aapc_program(), "schedule", str(topology), "--algorithm", algorithm]
    answer = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if answer.returncode != 0:
        print(f"torus_sweep: without {algorithm}: {answer.stderr.strip()}", file=sys.stderr)
    return answer.returncode == 0


def main() -> int:
    arguments = sweep.parse_arguments(__doc__, default_sizes="64,512,4Ki,16Ki,64Ki", default_repeats=9)
    runs = []
    for name, (sides, speed) in NETWORKS.items():
        if sweep.is_wanted(name, arguments.only or USUAL):
            directory = arguments.results / "torus" / name
            topology = sweep.write_topology(directory / "topology.toml", toml(sides, speed))
            candidates = methods(topology)
            benches = [
                sweep.Bench(mpi, arguments.sizes, candidates, arguments.repeats, arguments.most_seconds)
                for mpi in arguments.mpis
            ]
            runs += sweep.bench_runs(topology, name, benches, arguments.congestion_controls, directory)
    return sweep.carry_out_and_report("torus_sweep", runs, arguments.lab)


if __name__ == "__main__":
    sys.exit(main())
