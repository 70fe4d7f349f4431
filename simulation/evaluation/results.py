"""What is kept of a simulation: one line for each experiment and size, in a CSV file."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

from .experiments import Experiment, experiments

COLUMNS = (
    *("experiment", "message_bytes", "seconds", "of_bound", "messages", "processor_seconds"),
    *("run_processor_seconds", "run_memory_bytes"),
)

Curve = dict[int, float]
"""Simulated seconds by bytes from each rank to each."""


@dataclass(frozen=True)
class Result:
    experiment: Experiment
    samples: list[dict[str, str]]
    """One for each size, by column."""

    @property
    def seconds(self) -> Curve:
        return self._by_size("seconds")

    @property
    def of_bound(self) -> Curve:
        return self._by_size("of_bound")

    @property
    def processor_seconds(self) -> float:
        """Of the whole run."""
        return float(self.samples[0]["run_processor_seconds"])

    @property
    def memory_bytes(self) -> int:
        return int(self.samples[0]["run_memory_bytes"])

    def _by_size(self, column: str) -> Curve:
        return {int(sample["message_bytes"]): float(sample[column]) for sample in self.samples}


def result_of(experiment: Experiment, document: dict) -> Result:
    """Of what aapc-simulate wrote as JSON."""
    of_run = {
        "experiment": experiment.name,
        "run_processor_seconds": str(document["processor_seconds"]),
        "run_memory_bytes": str(document["memory_bytes"]),
    }
    samples = []
    for sample in document["samples"]:
        of_size = {column: f"{sample[column]:.10g}" for column in ("seconds", "of_bound")}
        of_size |= {column: str(sample[column]) for column in ("messages", "processor_seconds")}
        samples.append({**of_run, **of_size, "message_bytes": str(sample["bytes"])})
    return Result(experiment, samples)


def read_results(file: Path) -> dict[Experiment, Result]:
    """In the order of the experiments."""
    if not file.exists():
        return {}
    with open(file, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    found = {}
    for experiment in experiments():
        samples = [row for row in rows if row["experiment"] == experiment.name]
        if samples:
            found[experiment] = Result(experiment, samples)
    return found


def write_results(file: Path, results: dict[Experiment, Result]) -> None:
    """The file is there as a whole or as it was."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".unfinished")
    with open(unfinished, "w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for result in results.values():
            writer.writerows(result.samples)
    os.replace(unfinished, file)
