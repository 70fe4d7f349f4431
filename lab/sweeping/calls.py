"""Whole programs of many calls: what learning in a program's own calls is worth (docs/learning.md)."""

from __future__ import annotations

import contextlib
import json
import random
import statistics
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from emulation import layout, system
from emulation.errors import LabError, UsageError
from emulation.topology import Topology, read_topology

from .definition import Calls, Guests, Halved, Network
from .medians import Row, number
from .quantities import size_text, time_text
from .running import aapc_beside, foreign_traffic, program_output, seconds_per_byte

NATIVE = "native"  # without aapc
LEARNED = "learned"  # with aapc, and nothing said but the topology
CLOCK = "clock"  # all unequal messages by the clock

CALLS_CELL = ("network", "congestion_control", "buffer_bytes", "mpi", "kind", "calls", "message_bytes", "change")
CALLS_COLUMNS = (
    *(*CALLS_CELL, "asked", "rounds", "median_seconds", "least_seconds", "most_seconds"),
    *("native_over_this", "native_over_this_low", "native_over_this_high"),  # round by round
)


def methods_of(part: Calls) -> list[str]:
    return [NATIVE, LEARNED, *part.methods]


Seconds = dict[str, list[float]]  # by method, round by round


def rounds(lab: str, mpi: str, network: Network, file: Path, told: Path, part: Calls, size: int) -> dict[int, Seconds]:
    """What each number of calls took, the methods in turns. A program of many calls tells of its first ones, too."""
    seconds: dict[int, Seconds] = {calls: {method: [] for method in methods_of(part)} for calls in part.calls}
    order = random.Random(1)
    for marks in marks_of_rounds(part):
        program = [str(aapc_beside(f"aapc-calls-{mpi}")), part.kind, ",".join(map(str, marks)), str(size)]
        turns = methods_of(part)
        order.shuffle(turns)
        for method in turns:
            with changing(lab, file, part.change):
                lines = program_output(lab, mpi, network.launcher_options, *_prefix(method, told), *program)
            for calls, line in zip(marks, lines.splitlines()[-len(marks) :], strict=True):
                told_calls, own = line.split()
                if int(told_calls) != calls:
                    raise LabError(f"{program[0]} told of {told_calls} calls instead of {calls}")
                seconds[calls][method].append(float(own))
    return seconds


def marks_of_rounds(part: Calls) -> list[list[int]]:
    """For each round the numbers of calls that it tells of, ascending."""
    return [
        sorted(calls for calls, of_these in part.calls.items() if of_these > past)
        for past in range(max(part.calls.values()))
    ]


def _prefix(method: str, told: Path) -> list[str]:
    if method == NATIVE:
        return []
    aapc = str(aapc_beside("aapc"))
    if method == CLOCK:
        return ["env", "AAPC_ALLTOALLV=always", aapc, "exec", "--topology", str(told), "--"]
    forced = [] if method == LEARNED else ["--algorithm", method]
    return [aapc, "exec", "--topology", str(told), *forced, "--"]


def rows(cell: Row, seconds: Seconds) -> list[Row]:
    found = []
    for method, own in seconds.items():
        ratios = sorted(native / one for native, one in zip(seconds[NATIVE], own, strict=True))
        found.append(
            {
                **cell,
                "asked": method,
                "rounds": str(len(own)),
                "median_seconds": number(statistics.median(own)),
                "least_seconds": number(min(own)),
                "most_seconds": number(max(own)),
                "native_over_this": number(statistics.median(ratios)),
                "native_over_this_low": number(ratios[0]),
                "native_over_this_high": number(ratios[-1]),
            }
        )
    return found


def expected_seconds(part: Calls, size: int, file: Path, launch_seconds: float) -> float:
    """Twice the bound and a start-up for each call."""
    mean = size * (17 / 32 if part.kind == "two" else 1)
    one = 2 * seconds_per_byte(file) * mean + 0.003
    each_method = sum(marks[-1] * one + launch_seconds for marks in marks_of_rounds(part))
    return each_method * len(methods_of(part))


@contextlib.contextmanager
def changing(lab: str, file: Path, change: Halved | Guests | None) -> Iterator[None]:
    """Inside the `with` the network changes as is said; behind it, it is as it was before."""
    if change is None:
        yield
    elif isinstance(change, Halved):
        with _halved(lab, file, change):
            yield
    else:
        with _visited(lab, change):
            yield


@contextlib.contextmanager
def _halved(lab: str, file: Path, change: Halved) -> Iterator[None]:
    read = read_topology(file)
    if not isinstance(read, Topology):
        raise UsageError(f"{file} has no trunks")
    trunks = layout.lay_out(read, lab, None).trunks
    ports = [port for trunk in trunks for port in (trunk.lower, trunk.upper)]
    timer = threading.Timer(change.after_seconds, _set_speeds, (lab, ports, 0.5))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        _set_speeds(lab, ports, 1)


@contextlib.contextmanager
def _visited(lab: str, change: Guests) -> Iterator[None]:
    over = threading.Event()
    failures: list[LabError] = []

    def visit() -> None:
        if over.wait(change.after_seconds):
            return
        try:
            with foreign_traffic(lab, change.traffic):
                over.wait(change.until_seconds - change.after_seconds)
        except LabError as error:
            failures.append(error)

    visitor = threading.Thread(target=visit)
    visitor.start()
    try:
        yield
    finally:
        over.set()
        visitor.join()
    if failures:
        raise failures[0]


def _set_speeds(lab: str, ports: Sequence[layout.Port], factor: float) -> None:
    """The queues stay as they are."""
    commands = []
    for port in ports:
        rate = int(port.bits_per_second * factor)
        burst = layout.token_bucket(rate)
        # A change needs all parameters; the limit is asked of the kernel, since only `up` knows the buffers.
        limit = _limit_of(lab, port.interface)
        commands.append(f"qdisc change dev {port.interface} root tbf rate {rate}bit burst {burst} limit {limit}")
    system.batch(["tc", "-n", layout.fabric_namespace(lab)], commands)


def _limit_of(lab: str, interface: str) -> int:
    """In bytes; without -raw tc says what latency that is."""
    answer = system.run(["tc", "-n", layout.fabric_namespace(lab), "-raw", "-j", "qdisc", "show", "dev", interface])
    return int(json.loads(answer)[0]["options"]["limit"])


def tables(of: Iterable[Row]) -> str:
    """For each network and kind: the program's time by method, against the better of native and the best single one."""
    cells: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in of:
        cells.setdefault(tuple(row[column] for column in CALLS_CELL), {})[row["asked"]] = row
    titles: dict[tuple[str, ...], list[str]] = {}
    for key, by_method in cells.items():
        cell = dict(zip(CALLS_CELL, key, strict=True))
        titles.setdefault(key[:5], []).append(_line(cell, by_method))
    return "\n".join(
        "\n".join(
            [
                ", ".join(word for word in title if word),
                "",
                "| calls | bytes | | native | learned | best single | native/learned | learned/best of all |",
                "|---|---|---|---|---|---|---|---|",
                *lines,
                "",
            ]
        )
        for title, lines in titles.items()
    )


def _line(cell: Row, by_method: dict[str, Row]) -> str:
    median = {method: float(row["median_seconds"]) for method, row in by_method.items()}
    single = {method: seconds for method, seconds in median.items() if method not in (NATIVE, LEARNED)}
    best = min(single, key=lambda method: single[method]) if single else NATIVE
    learned = by_method[LEARNED]
    interval = f"{float(learned['native_over_this_low']):.2f} to {float(learned['native_over_this_high']):.2f}"
    regret = median[LEARNED] / min(median[NATIVE], median[best])
    return (
        f"| {cell['calls']} | {size_text(int(cell['message_bytes']))} | {cell['change']} | {time_text(median[NATIVE])}"
        f" | {time_text(median[LEARNED])} | {time_text(median[best])} `{best}`"
        f" | {float(learned['native_over_this']):.3f} ({interval}) | {regret:.3f} |"
    )
