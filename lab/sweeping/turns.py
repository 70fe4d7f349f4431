"""Two jobs of one program on one lab, native and with aapc, that call in turns: neither ever disturbs the other, and
whatever else the machine does meets both."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from emulation.errors import LabError

FIRST_CALLS = 5  # a program's first calls of a size: connections are cold, and aapc is learning
SETTLING_CALLS = 5  # more of them before what follows is called the steady state
CALLS_A_TURN = 3  # the first is not counted: connections were idle during the other job's turn
PATIENCE = 10.0  # seconds that a job has to end when it is asked to


class Callers(Protocol):
    """Something that makes all-to-alls when it has its turn."""

    def take_turn(self, calls: int, size: int) -> list[float]:
        """Makes `calls` all-to-alls with blocks of `size` bytes and returns the seconds that each took."""


@dataclass(frozen=True)
class Row:
    """Medians, in seconds, of calls with blocks of one size. The ratio is the median over pairs of turns."""

    size: int
    native: float
    first: float
    steady: float
    ratio: float


def measure(size: int, native: Callers, ours: Callers, pairs: int) -> Row:
    """The first calls of both, then `pairs` times a turn of each."""
    first = ours.take_turn(FIRST_CALLS + SETTLING_CALLS, size)[:FIRST_CALLS]
    turns: list[tuple[float, float]] = []
    for pair in range(pairs):
        # Who is first alternates, so that a load that grows or fades favours neither.
        order = (native, ours) if pair % 2 == 0 else (ours, native)
        seconds = {id(one): statistics.mean(one.take_turn(CALLS_A_TURN, size)[1:]) for one in order}
        turns.append((seconds[id(native)], seconds[id(ours)]))
    return Row(
        size,
        native=statistics.median(turn[0] for turn in turns),
        first=statistics.median(first),
        steady=statistics.median(turn[1] for turn in turns),
        ratio=statistics.median(turn[0] / turn[1] for turn in turns),
    )


class Job:
    """A program that is told its turns through a FIFO and prints "BYTES SECONDS" for each call."""

    def __init__(self, turns: IO[str], output: IO[str], name: str) -> None:
        self._turns = turns
        self._output = output
        self._name = name

    def end(self) -> None:
        """There are no more turns."""
        print(0, 0, file=self._turns, flush=True)

    def take_turn(self, calls: int, size: int) -> list[float]:
        seconds: list[float] = []
        print(calls, size, file=self._turns, flush=True)
        while len(seconds) < calls:
            line = self._output.readline()
            if not line:
                raise LabError(f"the program has ended before its turn was over ({self._name})")
            words = line.split()
            if len(words) == 2 and words[0] == str(size):
                seconds.append(float(words[1]))
        return seconds


@contextmanager
def jobs(commands: Sequence[tuple[str, Callable[[Path], list[str]]]], directory: Path) -> Iterator[list[Job]]:
    """Starts each named command, which is a function of its FIFO, in a session of its own. Behind the `with` all of
    them have ended."""
    with ExitStack() as stack:
        started: list[Job] = []
        processes: list[subprocess.Popen[str]] = []
        for number, (name, command) in enumerate(commands):
            fifo = directory / f"turns{number}"
            os.mkfifo(fifo)
            process = subprocess.Popen(
                command(fifo),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            processes.append(process)
            stack.callback(_end, process)
            # For reading, too: it opens at once then, whether or not the program has got so far.
            turns = stack.enter_context(open(os.open(fifo, os.O_RDWR), "w", encoding="ascii"))
            if process.stdout is None:
                raise LabError("no pipe from the program")
            started.append(Job(turns, process.stdout, name))
        try:
            yield started
        except BaseException:
            for job in processes:
                job.terminate()  # the launcher ends its ranks
            raise
        for job in started:
            job.end()


def _end(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
