#!/usr/bin/env python3
"""Clusters on the lab: samples for the contention signature of one, and two over a long backbone.

    benchmarks/clusters_sweep PREFIX RESULTS

With RESULTS docs/experiments/results, `lab/experiments --report-only` draws what has been measured and writes docs/experiments.md.
benchmarks/sweep_table RESULTS/grid shows the times on two clusters. Ctrl-C stops it, and the next start goes on.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from reproduction import clusters, sweep  # noqa: E402


def main() -> int:
    arguments = sweep.parse_arguments(__doc__, default_sizes="1Ki,2Ki,4Ki,8Ki,16Ki,32Ki,64Ki", default_repeats=7)
    places = [
        clusters.Place(arguments.results, control, mpi)
        for control in arguments.congestion_controls
        for mpi in arguments.mpis
    ]
    runs = clusters.runs(places, arguments.sizes, arguments.repeats, arguments.most_seconds)
    wanted = [run for run in runs if sweep.is_wanted(run.title, arguments.only)]
    return sweep.carry_out_and_report("clusters_sweep", wanted, arguments.lab)


if __name__ == "__main__":
    sys.exit(main())
