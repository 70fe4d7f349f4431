"""What a lab that is up does, against what was asked for: round trips, and what one TCP connection carries."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import LabError
from .layout import FRAME
from .launch import enter_command
from .state import HostRecord, State

_GOODPUT = Path(__file__).with_name("goodput.py")
_PAYLOAD = 1448  # bytes in a full frame, with TCP's time stamps
_ROUND_TRIPS = re.compile(r"= ([\d.]+)/([\d.]+)/([\d.]+)/")


@dataclass(frozen=True)
class Way:
    """Between two machines."""

    cables: int
    bits_per_second: int  # of the slowest cable
    latency: float  # seconds, one way, all cables together


@dataclass(frozen=True)
class Measured:
    round_trips: tuple[float, float, float]  # seconds: least, mean, most
    bytes_per_second: float


def find_way(state: State, start: str, end: str) -> Way:
    """A shortest way between two different machines. Only one there is in a tree; in a torus all links are alike."""
    reached = {start: Way(0, sys.maxsize, 0.0)}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for cable in state.cables:
            if here not in (cable.lower, cable.upper):
                continue
            there = cable.upper if here == cable.lower else cable.lower
            if there not in reached:
                way = reached[here]
                slowest = min(way.bits_per_second, cable.bits_per_second)
                reached[there] = Way(way.cables + 1, slowest, way.latency + cable.latency)
                queue.append(there)
    return reached[end]


def measure(start: HostRecord, end: HostRecord, seconds: float) -> Measured:
    return Measured(_round_trips(start, end), _bytes_per_second(start, end, seconds))


def describe(start: str, end: str, way: Way, measured: Measured) -> str:
    asked = way.bits_per_second * _PAYLOAD / FRAME / 1e6
    carried = measured.bytes_per_second * 8 / 1e6
    least, mean, most = (f"{seconds * 1e3:.2f}" for seconds in measured.round_trips)
    return (
        f"{start} to {end}, {way.cables} cables: round trip {least}/{mean}/{most} ms (least/mean/most), "
        f"latency asked for {2e3 * way.latency:.2f} ms; one TCP connection {carried:.1f} of {asked:.1f} Mbit/s, "
        f"{carried / asked:.3f}"
    )


def _round_trips(start: HostRecord, end: HostRecord) -> tuple[float, float, float]:
    ping = ["ping", "-q", "-c", "20", "-i", "0.05", "-W", "5", end.address]
    result = subprocess.run(enter_command(start, ping), capture_output=True, text=True, check=False)
    match = _ROUND_TRIPS.search(result.stdout)
    if match is None:
        raise LabError(f"{start.name} does not reach {end.name}: {(result.stderr or result.stdout).strip()}")
    least, mean, most = (float(milliseconds) / 1e3 for milliseconds in match.groups())
    return least, mean, most


def _bytes_per_second(start: HostRecord, end: HostRecord, seconds: float) -> float:
    program: Sequence[str] = [sys.executable, str(_GOODPUT)]
    receive = enter_command(end, [*program, "receive", str(seconds)])
    with subprocess.Popen(receive, stdout=subprocess.PIPE, text=True) as receiving:
        assert receiving.stdout is not None
        port = receiving.stdout.readline().strip()
        sending = enter_command(start, [*program, "send", end.address, port])
        subprocess.run(sending, check=False, capture_output=True)
        answer = receiving.stdout.read().strip()
    if not answer:
        raise LabError(f"nothing of a TCP connection from {start.name} got to {end.name}")
    return float(answer)
