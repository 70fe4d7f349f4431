"""The experiments of Steffenel, Martinasso & Trystram: what is measured, and what is asked of the model.

Figures 2 to 4: samples of one cluster with several numbers of ranks; the model is fitted to the smaller ones and predicts
the largest. Figures 6, 8 and 9: two clusters over a slower, longer backbone.
"""

from __future__ import annotations

import csv
import json
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .networks import Network, networks
from .sweep import Bench, Run, Up, ask_aapc, bench_runs, mpirun, write_topology

# One switch of 16 machines at 25 Mbit/s, which the cores carry.
SIGNATURE_NETWORK: Network = networks()[0]
SIGNATURE_RANKS = (4, 6, 8, 10, 12, 14, 16)
FEWEST_FITTED_RANKS = 8  # fewer do not saturate the network, as `aapc fit` says of them
MOST_FITTED_RANKS = 12  # what has more is held out
# The MPI's own changes its algorithm with the size. `linear`, everything at once, is what the paper's MPIs did.
SIGNATURE_METHODS = ("native", "linear")

GRID_MACHINES = 8  # of each of two clusters
GRID_METHODS = ("native", "ring", "local-group", "tree/merged+timed")
GRID_TOPOLOGY = f"""# Two clusters and a backbone of one link's speed
[network]
kind  = "clusters"
speed = "100Mbit"

[[cluster]]
name     = "a"
machines = "a[0-{GRID_MACHINES - 1}]"

[[cluster]]
name     = "b"
machines = "b[0-{GRID_MACHINES - 1}]"

[wide_area]
speed   = "100Mbit"
latency = "10ms"
"""


@dataclass(frozen=True)
class Fit:
    """What `aapc fit` is asked to measure."""

    mpi: str
    method: str
    sizes: Sequence[int]
    ranks: Sequence[int]  # empty: its own choice
    repeats: int

    def __call__(self, run: Run, lab: str) -> None:
        ranks = ["--ranks", ",".join(map(str, self.ranks))] if self.ranks else []
        mpirun(
            *(lab, self.mpi, (), "fit", "--topology", str(run.up.topology), "--method", self.method),
            *("--sizes", ",".join(map(str, self.sizes))),
            *(*ranks, "--repeats", str(self.repeats), "--csv", str(samples_file(run.file))),
            *("--format", "json", "-o", str(run.part)),
        )


def samples_file(fit: Path) -> Path:
    """Beside the fit; of clusters there is one for each, with its name added."""
    return fit.with_suffix(".csv")


@dataclass(frozen=True)
class Place:
    """Where the results of one congestion control and one MPI are."""

    results: Path
    congestion_control: str
    mpi: str

    @property
    def name(self) -> str:
        return f"{self.congestion_control}-{self.mpi}"

    def signature(self, method: str) -> Path:
        return self.results / "signature" / f"{self.name}-{method}.json"

    @property
    def grid_model(self) -> Path:
        return self.results / "grid" / f"{self.name}-model.json"

    @property
    def grid_bench(self) -> Path:
        return self.results / "grid" / f"{self.name}.json"


def grid_topology(results: Path) -> Path:
    return results / "grid" / "topology.toml"


def runs(places: Sequence[Place], sizes: Sequence[int], repeats: int, most_seconds: float) -> list[Run]:
    """What is to be measured, lab by lab."""
    return [
        run
        for place in places
        for run in (
            *(_signature_run(place, method, _modelled_sizes(sizes), repeats) for method in SIGNATURE_METHODS),
            _grid_model_run(place, _modelled_sizes(sizes), repeats),
            _grid_bench_run(place, sizes, repeats, most_seconds),
        )
    ]


def _modelled_sizes(sizes: Sequence[int]) -> list[int]:
    """`local-group` hands on two blocks at a time inside clusters of equal size."""
    return sorted({*sizes, 2 * max(sizes)})


def _signature_run(place: Place, method: str, sizes: Sequence[int], repeats: int) -> Run:
    topology = write_topology(place.results / "signature" / "topology.toml", SIGNATURE_NETWORK.toml())
    bits_per_second = SIGNATURE_NETWORK.rate_megabits * 1e6
    exchanges = sum(ranks * size * 8 / bits_per_second for ranks in SIGNATURE_RANKS for size in sizes)
    return Run(
        title=f"signature of {method} on one switch, {place.congestion_control}, {place.mpi}",
        up=Up(topology, place.congestion_control),
        file=place.signature(method),
        expected_seconds=10 + 2 * exchanges * (repeats + 1),
        carry_out=Fit(place.mpi, method, sizes, SIGNATURE_RANKS, repeats),
    )


def _grid_model_run(place: Place, sizes: Sequence[int], repeats: int) -> Run:
    return Run(
        title=f"model of two clusters, {place.congestion_control}, {place.mpi}",
        up=Up(write_topology(grid_topology(place.results), GRID_TOPOLOGY), place.congestion_control),
        file=place.grid_model,
        expected_seconds=60,
        carry_out=Fit(place.mpi, "native", sizes, (), repeats),
    )


def _grid_bench_run(place: Place, sizes: Sequence[int], repeats: int, most_seconds: float) -> Run:
    topology = write_topology(grid_topology(place.results), GRID_TOPOLOGY)
    bench = Bench(place.mpi, sizes, GRID_METHODS, repeats, most_seconds)
    (run,) = bench_runs(topology, "two clusters", [bench], [place.congestion_control], place.grid_bench.parent)
    return run


@dataclass(frozen=True)
class Point:
    """One number of ranks and one size, measured and predicted, in seconds."""

    ranks: int
    size: int
    measured: float
    predicted: float

    @property
    def is_held_out(self) -> bool:
        return self.ranks > MOST_FITTED_RANKS

    @property
    def error(self) -> float:
        """Relative; above 0: it took longer than predicted."""
        return self.measured / self.predicted - 1


@dataclass(frozen=True)
class HoldOut:
    fit: dict  # the document of `aapc fit`
    points: list[Point]

    @property
    def held_out(self) -> list[Point]:
        return [point for point in self.points if point.is_held_out]

    @property
    def median_error(self) -> float:
        """Of the points that are held out; absolute."""
        return statistics.median(abs(point.error) for point in self.held_out)


def hold_out(signature: Path, fewest_fitted_ranks: int = FEWEST_FITTED_RANKS) -> HoldOut:
    """Fits the model to the samples with fewer ranks, and lets it predict all. Those of 2 ranks are of the link."""
    lines = [line for line in samples_file(signature).read_text().splitlines() if line and not line.startswith("#")]
    header, samples = lines[0], list(csv.DictReader(lines))
    fitted_ranks = {2, *range(fewest_fitted_ranks, MOST_FITTED_RANKS + 1)}
    fitted = [line for line in lines[1:] if int(line.split(",")[0]) in fitted_ranks]
    with tempfile.TemporaryDirectory() as directory:
        few, fit = Path(directory) / "samples.csv", Path(directory) / "fit.json"
        few.write_text("\n".join([header, *fitted]) + "\n")
        fit.write_text(ask_aapc("fit", str(few), "--format", "json"))
        counts = sorted({int(sample["ranks"]) for sample in samples if int(sample["ranks"]) > 2})
        sizes = sorted({int(sample["message_bytes"]) for sample in samples if int(sample["ranks"]) > 2})
        predictions = json.loads(
            ask_aapc(
                *("predict", str(fit), "--ranks", ",".join(map(str, counts))),
                *("--sizes", ",".join(map(str, sizes)), "--format", "json"),
            )
        )
        predicted = {(entry["ranks"], entry["message_bytes"]): entry["seconds"] for entry in predictions}
        points = [
            Point(ranks, size, float(sample["seconds"]), predicted[ranks, size])
            for sample in samples
            if (ranks := int(sample["ranks"])) > 2 and (size := int(sample["message_bytes"]))
        ]
        return HoldOut(json.loads(fit.read_text()), sorted(points, key=lambda point: (point.ranks, point.size)))


Curve = dict[int, float]  # bytes: seconds


def measured_curves(bench: Path) -> dict[str, Curve]:
    """Medians by method."""
    curves: dict[str, Curve] = {}
    for size in json.loads(bench.read_text())["sizes"]:
        for candidate in size["candidates"]:
            curves.setdefault(candidate["candidate"], {})[size["message_bytes"]] = candidate["median_seconds"]
    return curves


def predicted_curves(model: Path, topology: Path, sizes: Sequence[int]) -> dict[tuple[str, str], Curve]:
    """By method and what the prediction rests on, such as "equation 7'"."""
    size_list = ",".join(map(str, sizes))
    answer = ask_aapc("predict", str(topology), "--model", str(model), "--sizes", size_list, "--format", "json")
    curves: dict[tuple[str, str], Curve] = {}
    for entry in json.loads(answer):
        curves.setdefault((entry["method"], entry["basis"]), {})[entry["message_bytes"]] = entry["seconds"]
    return curves


def wide_area_messages(topology: Path, algorithm: str) -> int:
    """Messages of a schedule from one cluster to another, counted in the document that `aapc schedule` writes."""
    document = json.loads(ask_aapc("schedule", str(topology), "--algorithm", algorithm, "--format", "json"))
    clusters = [participant["machine"][0] for participant in document["participants"]]  # "a3" is in cluster "a"
    return sum(
        clusters[message["from"]] != clusters[message["to"]] for phase in document["phases"] for message in phase
    )
