"""Cables with a latency: TAP devices, joined by the program of delay_line.c."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from . import system
from .layout import Trunk

SOURCE = Path(__file__).with_name("delay_line.c")
_SMALLEST_FRAME = 60  # bytes, as the kernel counts it
_SPARE_FRAMES = 1000


def start(fabric: str, trunks: Sequence[Trunk], directory: Path) -> None:
    """Compiles and starts the program, once for each latency; it ends with the processes of the fabric."""
    program = compile_delay_line(directory)
    for latency in sorted({trunk.latency for trunk in trunks}):
        alike = [trunk for trunk in trunks if trunk.latency == latency]
        devices = [port.interface for trunk in alike for port in (trunk.lower, trunk.upper)]
        frames = max(frames_on_the_way(trunk) for trunk in alike)
        arguments = [str(round(latency * 1e9)), str(frames), *devices]
        system.run(["ip", "netns", "exec", fabric, str(program), *arguments])


def frames_on_the_way(trunk: Trunk) -> int:
    """How many frames a cable takes in one direction: twice as many as its token bucket lets through while one is on its
    way, and some that a late wake-up may bring at once. So frames are lost in front of the bucket only."""
    return math.ceil(2 * trunk.lower.bits_per_second * trunk.latency / 8 / _SMALLEST_FRAME) + _SPARE_FRAMES


def compile_delay_line(directory: Path) -> Path:
    program = directory / "delay_line"
    system.run(["cc", "-O2", "-o", str(program), str(SOURCE)])
    return program
