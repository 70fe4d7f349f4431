"""The papers' figures for trees: what has to be measured for them, one message size at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import figures
from .networks import Network
from .sweep import Bench, Run, Up, write_topology


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

    def runs(self, results: Path, repeats: int) -> list[Run]:
        topology = write_topology(results / self.network.name / "topology.toml", self.network.toml())
        seconds_per_byte = self.network.bottleneck_messages() * 8 / (self.network.rate_megabits * 1e6)
        runs = []
        for size in figures.sizes():
            bench = Bench(self.mpi, [size], figures.candidates(size), repeats)
            runs.append(
                Run(
                    title=f"{self.network.name}, {self.congestion_control}, {self.mpi}, {size} bytes",
                    up=Up(topology, self.congestion_control),
                    file=self.file(results, size),
                    expected_seconds=bench.expected_seconds(seconds_per_byte),
                    carry_out=bench,
                )
            )
        return runs
