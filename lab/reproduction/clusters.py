"""The experiments of Steffenel, Martinasso & Trystram: what was measured, and what is asked of the model.

Figures 2 to 4: samples of one cluster with several numbers of ranks (`lab/sweep signature`); the model is fitted to the
smaller ones and predicts the largest. Figures 6, 8 and 9: two clusters over a slower, longer backbone (`lab/sweep clusters`).
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sweeping import definition
from sweeping.medians import Row
from sweeping.running import ask_aapc

from . import results
from .networks import Network, networks
from .results import Curve

# One switch of 16 machines at 25 Mbit/s, which the cores carry.
SIGNATURE_NETWORK: Network = networks()[0]
SIGNATURE_TITLE = "switch-16-25Mbit"
FEWEST_RANKS = 4  # that were measured
FEWEST_FITTED_RANKS = 8  # fewer do not saturate the network, as `aapc fit` says of them
MOST_FITTED_RANKS = 12  # what has more is held out
SIGNATURE_METHODS = ("native", "linear")

GRID = "two-clusters"
GRID_TOPOLOGY = definition.Network("two-clusters.toml").path
GRID_MACHINES = 8  # of each of two clusters
GRID_CLUSTERS = ("a", "b")
SMALLEST_GRID_BYTES = 1024  # smaller ones are in docs/measurements.md


@dataclass(frozen=True)
class Place:
    """The results of one congestion control and one MPI."""

    directory: Path
    congestion_control: str
    mpi: str

    @property
    def name(self) -> str:
        return f"{self.congestion_control}-{self.mpi}"

    def signature(self, method: str) -> list[Row]:
        """Samples of one switch."""
        return results.samples(self.directory, network=SIGNATURE_TITLE, asked=method, **self._cell())

    def grid_samples(self, part: str) -> list[Row]:
        """Samples of a cluster of the two, or of the wide area."""
        return results.samples(self.directory, network=GRID, part=part, **self._cell())

    def grid_curves(self) -> dict[str, Curve]:
        """Medians of two clusters, by method."""
        rows = results.rows(self.directory, "clusters", network=GRID, **self._cell())
        return results.curves([row for row in rows if int(row["message_bytes"]) >= SMALLEST_GRID_BYTES])

    def _cell(self) -> dict[str, str]:
        return {"congestion_control": self.congestion_control, "mpi": self.mpi}


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


def hold_out(samples: Sequence[Row], fewest_fitted_ranks: int = FEWEST_FITTED_RANKS) -> HoldOut:
    """Fits the model to the samples with fewer ranks, and lets it predict all. Those of 2 ranks are of the link."""
    fitted_ranks = {2, *range(fewest_fitted_ranks, MOST_FITTED_RANKS + 1)}
    measured = [sample for sample in samples if int(sample["ranks"]) > 2]
    with tempfile.TemporaryDirectory() as directory:
        fit = fit_to(
            [sample for sample in samples if int(sample["ranks"]) in fitted_ranks], Path(directory) / "fit.json"
        )
        counts = sorted({int(sample["ranks"]) for sample in measured})
        sizes = sorted({int(sample["message_bytes"]) for sample in measured})
        predictions = json.loads(
            ask_aapc(
                *("predict", str(fit), "--ranks", ",".join(map(str, counts))),
                *("--sizes", ",".join(map(str, sizes)), "--format", "json"),
            )
        )
        predicted = {(entry["ranks"], entry["message_bytes"]): entry["seconds"] for entry in predictions}
        points = [
            Point(ranks, size, float(sample["seconds"]), predicted[ranks, size])
            for sample in measured
            if (ranks := int(sample["ranks"])) and (size := int(sample["message_bytes"]))
        ]
        return HoldOut(json.loads(fit.read_text()), sorted(points, key=lambda point: (point.ranks, point.size)))


def fit_to(samples: Sequence[Row], fit: Path) -> Path:
    """`fit`, where the document of `aapc fit` for these samples is now."""
    columns = ("ranks", "message_bytes", "seconds")
    lines = [",".join(columns), *(",".join(sample[column] for column in columns) for sample in samples)]
    file = fit.with_suffix(".csv")
    file.write_text("\n".join(lines) + "\n")
    fit.write_text(ask_aapc("fit", str(file), "--format", "json"))
    return fit


def predicted_curves(place: Place, sizes: Sequence[int]) -> dict[tuple[str, str], Curve]:
    """By method and what the prediction rests on, such as "equation 7'"."""
    with tempfile.TemporaryDirectory() as directory:
        fits = {
            part: fit_to(place.grid_samples(part), Path(directory) / f"{part}.json")
            for part in (*GRID_CLUSTERS, "wide-area")
        }
        link = json.loads(fits.pop("wide-area").read_text())
        answer = ask_aapc(
            *("predict", str(GRID_TOPOLOGY), "--model", ",".join(f"{part}={fit}" for part, fit in fits.items())),
            *("--wide-area", f"{link['alpha_seconds']!r},{link['beta_seconds_per_byte']!r}"),
            *("--sizes", ",".join(map(str, sizes)), "--format", "json"),
        )
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
