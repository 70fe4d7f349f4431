"""What has crossed every cable of a fabric that is up, and what the switches of any lab have dropped: the kernel's own
counters, which prove what a hash did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import system
from .errors import UsageError
from .state import CableRecord, State


@dataclass(frozen=True)
class Crossed:
    """One direction of a cable."""

    start: str
    end: str
    interface: str  # through which it leaves
    bits_per_second: int
    sent_bytes: int  # since the cable is there
    dropped: int  # packets, for want of room in the buffer

    @property
    def seconds(self) -> float:
        """What these bytes take."""
        return 8 * self.sent_bytes / self.bits_per_second


def require_fabric(state: State, what: str) -> None:
    """Only there are the ports of cables known."""
    if not any(cable.lower_port for cable in state.cables):
        raise UsageError(f"lab {state.name} is a {state.kind}; {what} of a fabric")


def counters(state: State) -> list[Crossed]:
    require_fabric(state, "cables are counted")
    ports = [port for cable in state.cables for port in (cable.lower_port, cable.upper_port)]
    sent = _sent_and_dropped({port.split("/")[0] for port in ports})
    return [crossed for cable in state.cables for crossed in _both_ways(cable, sent)]


def dropped_by_port(state: State) -> dict[str, int]:
    """Packets that each port of a switch has dropped since the lab is up, for want of room in its buffer.

    A port is NAMESPACE/INTERFACE. On a torus, whose machines are its switches, it is each end of each cable.
    """
    machines = set() if state.kind == "torus" else {host.namespace for host in state.hosts}
    switches = [namespace for namespace in state.namespaces if namespace not in machines]
    return {port: dropped for port, (_, dropped) in _sent_and_dropped(switches).items()}


def _sent_and_dropped(namespaces: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Bytes and packets, by NAMESPACE/INTERFACE."""
    return {
        f"{namespace}/{queue['dev']}": (int(queue["bytes"]), int(queue["drops"]))
        for namespace in namespaces
        for queue in json.loads(system.run(["tc", "-n", namespace, "-s", "-j", "qdisc", "show"]))
        if queue["kind"] == "tbf"
    }


def _both_ways(cable: CableRecord, sent: dict[str, tuple[int, int]]) -> list[Crossed]:
    ways = ((cable.lower, cable.upper, cable.lower_port), (cable.upper, cable.lower, cable.upper_port))
    return [
        Crossed(start, end, port.split("/")[1], cable.bits_per_second, *sent[port]) for start, end, port in ways
    ]


def describe(crossed: Sequence[Crossed]) -> str:
    """A line for each direction of each cable between switches, and what the fullest cable makes of the bound."""
    lines = [f"{'from':<12} {'to':<12} {'by':<8} {'bytes':>14} {'drops':>8}"]
    lines += [f"{one.start:<12} {one.end:<12} {one.interface:<8} {one.sent_bytes:>14} {one.dropped:>8}" for one in crossed]
    fullest = max(crossed, key=lambda one: one.seconds)
    lines.append(
        f"realised bound: {fullest.seconds:.6f} s for all of this, by the fullest cable, {fullest.start} to {fullest.end} "
        f"({fullest.interface})"
    )
    return "\n".join(lines)
