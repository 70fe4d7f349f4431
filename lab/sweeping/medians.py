"""What is kept of a measurement: one line of medians for each method and size, in one CSV file for each sweep."""

from __future__ import annotations

import csv
import io
import os
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

Row = dict[str, str]

CELL = ("network", "congestion_control", "buffer_bytes", "mpi", "message_bytes")
COLUMNS = (
    *CELL,
    *("ranks", "asked", "method", "rounds", "bound_seconds", "median_seconds", "low_seconds", "high_seconds"),
    *("first_over_this", "first_over_this_low", "first_over_this_high", "processors_busy", "mpi_version", "date"),
    "mean_seconds",  # of all rounds: what happens in one of ten is seen here
)
HELD_OUT_COLUMNS = ("odd_rounds_seconds", "held_out_over_this")
SAMPLE_CELL = ("network", "congestion_control", "mpi", "asked")
SAMPLE_COLUMNS = (*SAMPLE_CELL, "method", "part", "ranks", "message_bytes", "seconds")

FEW_ROUNDS = 7  # up to so many, all are used both for choosing and for comparing


class Medians:
    """The rows of one file. What stands in a cell was measured in one run, so a cell is replaced as a whole."""

    def __init__(self, file: Path, columns: Sequence[str] = COLUMNS, cell: Sequence[str] = CELL) -> None:
        self._file = file
        self._columns = tuple(columns)
        self._cell = tuple(cell)
        self.rows: list[Row] = []
        if file.exists():
            with open(file, newline="", encoding="utf-8") as lines:
                self.rows = list(csv.DictReader(lines))

    def asked(self, cell: Row) -> set[str]:
        """The methods, as they were asked for, of which there is something in this cell."""
        return {row["asked"] for row in self._of(cell)}

    def forget(self, cell: Row) -> None:
        """The file follows with the next put()."""
        key = self._key(cell)
        self.rows = [row for row in self.rows if self._key(row) != key]

    def put(self, rows: Iterable[Row]) -> None:
        """Replaces the cells that these rows are of. The file is there as a whole or as it was."""
        new = [{column: row.get(column, "") for column in self._columns} for row in rows]
        cells = {self._key(row) for row in new}
        self.rows = [row for row in self.rows if self._key(row) not in cells] + new
        text = io.StringIO()
        writer = csv.DictWriter(text, self._columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(self.rows)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._file.with_suffix(".unfinished")
        unfinished.write_text(text.getvalue(), encoding="utf-8")
        os.replace(unfinished, self._file)

    def _of(self, cell: Row) -> list[Row]:
        key = self._key(cell)
        return [row for row in self.rows if self._key(row) == key]

    def _key(self, row: Row) -> tuple[str, ...]:
        return tuple(str(row[column]) for column in self._cell)


def number(value: float) -> str:
    return f"{value:.10g}"


def bench_rows(document: dict, asked: Sequence[str], held_out: str = "", bound_factor: float = 1.0) -> list[Row]:
    """Of what `aapc bench` wrote as JSON; `asked` in its order. The columns of the cell are the caller's but for the size.

    The bound that it took for true is to be multiplied by `bound_factor`.
    """
    rows = []
    for size in document["sizes"]:
        compared = next((one for one in size["candidates"] if one["candidate"] == held_out), None)
        for name, candidate in zip(asked, size["candidates"], strict=True):
            ratio = candidate["first_over_this"]
            row = {
                "message_bytes": str(size["message_bytes"]),
                "ranks": str(document["ranks"]),
                "asked": name,
                "method": candidate["candidate"],
                "rounds": str(len(candidate["samples"])),
                "bound_seconds": number(size["least_seconds"] * bound_factor) if size.get("least_seconds") else "",
                "median_seconds": number(candidate["median_seconds"]),
                "low_seconds": number(candidate["interval"]["low"]),
                "high_seconds": number(candidate["interval"]["high"]),
                "first_over_this": number(ratio["median"]),
                "first_over_this_low": number(ratio["interval"]["low"]),
                "first_over_this_high": number(ratio["interval"]["high"]),
                "mpi_version": document["mpi"],
                "date": document["date"][:10],
                "mean_seconds": number(statistics.fmean(sample["seconds"] for sample in candidate["samples"])),
            }
            rows.append(row if compared is None else row | _held_out(candidate, compared))
    return rows


def _held_out(candidate: dict, compared: dict) -> Row:
    """The least of many medians is low by chance, too: what is chosen by some rounds is compared in the others."""
    own, other = ([sample["seconds"] for sample in one["samples"]] for one in (candidate, compared))
    few = len(other) <= FEW_ROUNDS
    odd, even = (slice(None), slice(None)) if few else (slice(0, None, 2), slice(1, None, 2))
    ratios = [second / first for first, second in zip(own[even], other[even], strict=True)]
    return {
        "odd_rounds_seconds": number(statistics.median(own[odd])),
        "held_out_over_this": number(statistics.median(ratios)),
    }


def sample_rows(part: str, method: str, text: str) -> list[Row]:
    """Of a CSV file of samples that `aapc fit` wrote; `part` says of which cluster they are."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [{"part": part, "method": method, **sample} for sample in csv.DictReader(lines)]
