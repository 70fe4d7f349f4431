"""Tables of medians: fractions of the bound, and the lead over the first method."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence

from . import calls, programs
from .jobs import Plan
from .medians import CELL, SAMPLE_CELL, Row
from .quantities import size_text, time_text

GOAL = 1.02
SMALLEST_OF_MEAN = 8192

Cell = Callable[[Row, bool], str]


def of_plan(plan: Plan, with_intervals: bool = False) -> str:
    """Of everything that a sweep has measured so far."""
    rows = plan.medians.rows
    if plan.is_of_programs:
        return (programs.tables_of_rounds if plan.sweep.each_round else programs.tables)(rows)
    if plan.is_of_calls:
        return calls.tables(rows)
    if plan.is_of_samples:
        return sample_tables(rows)
    if plan.sweep.tune_minutes > 0:
        return tuned_tables(rows)
    return bench_tables(rows, interval_cell if with_intervals else lead_cell)


def fraction(row: Row, of: str = "median_seconds") -> str:
    """Of the bound; a dash where no speeds are known and there is no bound in time."""
    return f"{float(row['bound_seconds']) / float(row[of]):.2f}" if row["bound_seconds"] else "–"


def is_undecided(row: Row) -> bool:
    return float(row["first_over_this_low"]) <= 1 <= float(row["first_over_this_high"])


def lead_cell(row: Row, is_first: bool) -> str:
    """The fraction of the bound; the first method's time over this one's, with "?" where its interval includes 1."""
    if is_first:
        return fraction(row)
    return f"{fraction(row)}; {float(row['first_over_this']):.2f}{'?' if is_undecided(row) else ''}"


def interval_cell(row: Row, is_first: bool) -> str:
    own = f"{fraction(row)} ({fraction(row, 'high_seconds')} to {fraction(row, 'low_seconds')})"
    if is_first:
        return own
    low, high = float(row["first_over_this_low"]), float(row["first_over_this_high"])
    return f"{own}; {float(row['first_over_this']):.2f} ({low:.2f} to {high:.2f})"


def bench_tables(rows: Iterable[Row], cell: Cell = lead_cell) -> str:
    """One table for each network and setting: methods by sizes."""
    tables = []
    for title, of_table in _tables(rows, CELL[:-1]):
        sizes = sorted({int(row["message_bytes"]) for row in of_table})
        first_of_size = {row["message_bytes"]: row["asked"] for row in reversed(of_table)}
        methods: dict[str, dict[int, str]] = {}
        for row in of_table:
            text = cell(row, first_of_size[row["message_bytes"]] == row["asked"])
            methods.setdefault(row["method"], {})[int(row["message_bytes"])] = text
        lines = [
            f"{title}: {of_table[0]['ranks']} ranks, {of_table[0]['mpi_version']}, {of_table[0]['date']}",
            "",
            "| | " + " | ".join(size_text(size) for size in sizes) + " |",
            "|---|" + "---|" * len(sizes),
            *(
                f"| `{method}` | " + " | ".join(cells.get(size, "") for size in sizes) + " |"
                for method, cells in methods.items()
            ),
        ]
        tables.append("\n".join(lines) + "\n")
    return "\n".join(tables)


def sample_tables(rows: Iterable[Row]) -> str:
    """One table for each network, MPI and method: numbers of ranks by sizes."""
    tables = []
    for title, of_table in _tables(rows, (*SAMPLE_CELL, "part")):
        sizes = sorted({int(row["message_bytes"]) for row in of_table})
        counts = sorted({int(row["ranks"]) for row in of_table})
        seconds = {(int(row["ranks"]), int(row["message_bytes"])): time_text(float(row["seconds"])) for row in of_table}
        lines = [
            title,
            "",
            "| ranks | " + " | ".join(size_text(size) for size in sizes) + " |",
            "|---|" + "---|" * len(sizes),
            *(
                f"| {count} | " + " | ".join(seconds.get((count, size), "") for size in sizes) + " |"
                for count in counts
            ),
        ]
        tables.append("\n".join(lines) + "\n")
    return "\n".join(tables)


def tuned_tables(rows: Iterable[Row]) -> str:
    """What a tuning is worth: `interposed`, which obeys it, against native and against the best single method.

    The best single one has the least median in the odd rounds, and is compared in the even ones.
    """
    tables = []
    for title, of_table in _tables(rows, CELL[:-1]):
        lines = [
            f"{title}: {of_table[0]['mpi_version']}, {of_table[0]['date']}",
            "",
            "| | of the bound: native; tuned | native/tuned | tuned/best single | best single | rounds |",
            "|---|---|---|---|---|---|",
        ]
        speed_ups = []
        for size in sorted({int(row["message_bytes"]) for row in of_table}):
            by_method = {row["asked"]: row for row in of_table if int(row["message_bytes"]) == size}
            native, tuned = by_method["native"], by_method.pop("interposed")
            lines.append(_tuned_line(size, native, tuned, list(by_method.values())))
            if size >= SMALLEST_OF_MEAN:
                speed_ups.append(float(tuned["first_over_this"]))
        if speed_ups:
            mean = math.exp(statistics.fmean(math.log(speed_up) for speed_up in speed_ups))
            lines += ["", f"Geometric mean of native/tuned from 8 KB up: {mean:.2f}"]
        tables.append("\n".join(lines) + "\n")
    return "\n".join(tables)


def _tuned_line(size: int, native: Row, tuned: Row, single: Sequence[Row]) -> str:
    best = min(single, key=lambda row: float(row["odd_rounds_seconds"]))
    speed_up, to_best = float(tuned["first_over_this"]), float(best["held_out_over_this"])
    bound = float(native["bound_seconds"])
    fractions = "; ".join(f"{bound / float(row['median_seconds']):.3f}" for row in (native, tuned))
    return (
        f"| {size_text(size)} | {fractions}"
        f" | {speed_up:.2f}{'' if 1 / speed_up <= GOAL else ' (missed)'}"
        f" | {to_best:.2f}{'' if to_best <= GOAL else ' (missed)'} | `{best['method']}` | {tuned['rounds']} |"
    )


def _tables(rows: Iterable[Row], columns: Sequence[str]) -> list[tuple[str, list[Row]]]:
    """Rows that are alike in these columns, in the order in which they came, and these columns as a title."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[column] for column in columns), []).append(row)
    return [
        (", ".join(_title_word(*pair) for pair in zip(columns, key) if pair[1]), table) for key, table in found.items()
    ]


def _title_word(column: str, value: str) -> str:
    return f"buffers of {size_text(int(value))}" if column == "buffer_bytes" else value
