"""In which order the runs of a sweep are carried out, and how many of them fit into a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Protocol, TypeVar


class Ordered(Protocol):
    """Of a run, what its place depends on."""

    expected_seconds: float
    part: int  # of the sweep
    axes: tuple[str, ...]  # what varies


Run = TypeVar("Run", bound=Ordered)


def in_order(runs: Sequence[Run], order: str) -> list[Run]:
    """`runs` come lab by lab."""
    if order == "parts":
        return sorted(runs, key=lambda run: run.part)
    return covering(runs) if order == "covering" else list(runs)


def covering(runs: Sequence[Run]) -> list[Run]:
    """Next is always what has most pairs of values that none before it has, then what has the rarest ones.

    O(runs² · pairs).
    """
    seen: Counter = Counter()
    left = [(run, list(combinations(enumerate(run.axes), 2))) for run in runs]
    ordered = []
    while left:
        place = max(
            range(len(left)),
            key=lambda at: (sum(pair not in seen for pair in left[at][1]), -sum(seen[pair] for pair in left[at][1])),
        )
        run, pairs = left.pop(place)
        seen.update(pairs)
        ordered.append(run)
    return ordered


def within(runs: Sequence[Run], minutes: float) -> list[Run]:
    """The first ones, as long as they should not take longer together."""
    left = 60 * minutes
    chosen = []
    for run in runs:
        left -= run.expected_seconds
        if left < 0:
            break
        chosen.append(run)
    return chosen
