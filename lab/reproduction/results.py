"""What has been measured, as the reports need it: curves out of the CSV files of sweeps."""

from __future__ import annotations

from pathlib import Path

from sweeping.medians import SAMPLE_CELL, SAMPLE_COLUMNS, Medians, Row

Curve = dict[int, float]  # bytes: seconds


def rows(results: Path, sweep: str, **cell: str) -> list[Row]:
    """Of one sweep, where these columns have these values."""
    return _matching(Medians(results / f"{sweep}.csv").rows, cell)


def samples(results: Path, **cell: str) -> list[Row]:
    return _matching(Medians(results / "signature.csv", SAMPLE_COLUMNS, SAMPLE_CELL).rows, cell)


def curves(of: list[Row]) -> dict[str, Curve]:
    """Medians by method."""
    found: dict[str, Curve] = {}
    for row in of:
        found.setdefault(row["method"], {})[int(row["message_bytes"])] = float(row["median_seconds"])
    return found


def _matching(all_rows: list[Row], cell: dict[str, str]) -> list[Row]:
    return [row for row in all_rows if all(row[column] == value for column, value in cell.items())]
