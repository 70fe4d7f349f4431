"""Runs what is still missing, one message size at a time, so that it can be stopped anywhere and goes on later."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import figures
from .networks import Network

LAB = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Series:
    """One network, one congestion control, one MPI: a directory of results, a file for each message size."""

    network: Network
    congestion_control: str
    mpi: str

    def directory(self, results: Path) -> Path:
        return results / self.network.name / f"{self.congestion_control}-{self.mpi}"

    def file(self, results: Path, size: int) -> Path:
        return self.directory(results) / f"{size}.json"

    def missing(self, results: Path) -> list[int]:
        return [size for size in figures.sizes() if not self.file(results, size).exists()]


class Progress:
    """Says how far it is and how long the rest will take, by what the exchanges cost at the bound."""

    def __init__(self, work: list[tuple[Series, int]]) -> None:
        self._left = sum(self._cost(series, size) for series, size in work)
        self._done = 0.0
        self._seconds = 0.0

    @staticmethod
    def _cost(series: Series, size: int) -> float:
        exchange = series.network.bottleneck_messages() * size * 8 / (series.network.rate_megabits * 1e6)
        return (exchange + 0.02) * len(figures.candidates(size)) + 3

    def step(self, series: Series, size: int, seconds: float) -> None:
        cost = self._cost(series, size)
        self._left -= cost
        self._done += cost
        self._seconds += seconds
        minutes = self._left * self._seconds / self._done / 60
        print(
            f"{series.network.name}, {series.congestion_control}, {series.mpi}, {size} bytes: {seconds:.0f} s;"
            f" about {minutes:.0f} min left",
            file=sys.stderr,
        )


def measure(all_series: list[Series], results: Path, repeats: int, lab_name: str) -> None:
    work = [(series, size) for series in all_series for size in series.missing(results)]
    progress = Progress(work)
    for series in all_series:
        missing = series.missing(results)
        if not missing:
            continue
        topology = results / series.network.name / "topology.toml"
        series.directory(results).mkdir(parents=True, exist_ok=True)
        topology.write_text(series.network.toml())
        cluster("up", str(topology), "--name", lab_name, "--congestion-control", series.congestion_control)
        try:
            for size in missing:
                began = time.monotonic()
                _bench(series, size, topology, results, repeats, lab_name)
                progress.step(series, size, time.monotonic() - began)
        finally:
            cluster("down", "--name", lab_name)


def _bench(series: Series, size: int, topology: Path, results: Path, repeats: int, lab_name: str) -> None:
    target = series.file(results, size)
    fresh = target.with_suffix(".part")
    bench(lab_name, series.mpi, topology, size, figures.candidates(size), repeats, fresh)
    fresh.replace(target)  # what has this name is complete


def bench(lab: str, mpi: str, topology: Path, size: int, methods: Sequence[str], repeats: int, report: Path) -> None:
    """Measures the methods in turns on a lab that is up, with messages of one size, and writes the report as JSON."""
    program = os.environ.get("AAPC_PROGRAM", "aapc")
    cluster(
        *("mpirun", "--name", lab, "--mpi", mpi, "--timeout", "1800", "--"),
        *(program, "bench", "--topology", str(topology.resolve()), "--sizes", str(size)),
        *("--candidates", ",".join(methods), "--repeats", str(repeats), "--warm-up", "1"),
        *("--format", "json", "-o", str(report.resolve())),
    )


def cluster(*arguments: str) -> None:
    """Runs lab/cluster; raises CalledProcessError where it fails."""
    subprocess.run([str(LAB / "cluster"), *arguments], check=True, stdout=subprocess.DEVNULL)
