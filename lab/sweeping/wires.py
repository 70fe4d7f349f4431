"""What the wires between switches carry while one all-to-all runs: the kernel's counters of their ends, read every two
milliseconds."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from emulation import system
from emulation.errors import LabError

INTERVAL = 0.002  # seconds between two readings
BIN = 0.01  # seconds over which the picture averages
BEGINS = 20_000  # bytes on all wires together; what launchers and barriers send is less

Reading = tuple[float, tuple[int, ...]]  # seconds, and the bytes that each wire has carried so far


@dataclass(frozen=True)
class Wire:
    """One direction of a cable between two switches."""

    start: str
    end: str
    interface: str  # in the namespace of all switches, through which it leaves
    bits_per_second: int


class Watch:
    """Reads the counters in a thread of its own, inside the `with`."""

    def __init__(self, namespace: str, wires: Sequence[Wire]) -> None:
        self._namespace = namespace
        self._wires = wires
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._problem: OSError | None = None
        self.readings: list[Reading] = []

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        if self._problem is not None:
            raise LabError(f"the counters of {self._namespace} cannot be read: {self._problem}")

    def _run(self) -> None:
        try:
            self._enter_namespace()
            with contextlib.suppress(PermissionError):  # so that it is not kept from running by the ranks
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            while not self._ended.is_set():
                before = time.monotonic()
                sent = self._read()
                if time.monotonic() - before < INTERVAL:  # otherwise it is not known when the counters were read
                    self.readings.append((before, sent))
                self._ended.wait(INTERVAL)
        except OSError as error:
            self._problem = error

    def _enter_namespace(self) -> None:
        """This thread alone."""
        library = ctypes.CDLL(None, use_errno=True)
        with open(system.NAMESPACES / self._namespace, "rb") as namespace:
            if library.setns(namespace.fileno(), 0x40000000) != 0:  # CLONE_NEWNET
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def _read(self) -> tuple[int, ...]:
        sent = sent_bytes(Path("/proc/thread-self/net/dev").read_text(encoding="ascii"))
        return tuple(sent[wire.interface] for wire in self._wires)


def sent_bytes(text: str) -> dict[str, int]:
    """By interface, from the text of /proc/net/dev."""
    sent = {}
    for line in text.splitlines()[2:]:
        name, _, counters = line.partition(":")
        sent[name.strip()] = int(counters.split()[8])
    return sent


def loads(readings: Sequence[Reading], wires: Sequence[Wire], seconds: float) -> list[list[float]]:
    """For each wire the fraction of its speed that was used in each BIN of an exchange of that length. The exchange
    begins where the wires begin to carry more than the odd message."""
    first = readings[0][1]
    begin = next((index for index, (_, sent) in enumerate(readings) if sum(sent) - sum(first) > BEGINS), None)
    if begin is None:
        raise LabError("no exchange crossed a wire between switches")
    start = readings[max(begin - 1, 0)][0]
    bins = int(seconds / BIN + 1)
    edges = [[bytes_at(readings, number, start + index * BIN) for index in range(bins + 1)] for number in range(len(wires))]
    return [
        [8 * (after - before) / BIN / wire.bits_per_second for before, after in zip(edge, edge[1:])]
        for wire, edge in zip(wires, edges)
    ]


def bytes_at(readings: Sequence[Reading], wire: int, moment: float) -> float:
    """Between two readings, as if the wire had carried evenly."""
    earlier = readings[0]
    for later in readings:
        if later[0] >= moment:
            span = later[0] - earlier[0]
            part = (moment - earlier[0]) / span if span > 0 else 0.0
            return earlier[1][wire] + part * (later[1][wire] - earlier[1][wire])
        earlier = later
    return earlier[1][wire]
