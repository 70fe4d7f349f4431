"""The papers' topologies, in any size."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Network:
    """One of the papers' clusters: switches of equal size, each but the first plugged into another."""

    name: str  # in file names
    title: str
    uplinks: tuple[int | None, ...]  # of each switch: the switch that it is plugged into
    papers_machines: int  # on one switch, in the papers
    machines: int  # on one switch, here
    rate_megabits: int  # of every link, here

    @property
    def ranks(self) -> int:
        return len(self.uplinks) * self.machines

    def bottleneck_messages(self) -> int:
        """Messages on the busiest directed link: a machine's own, or those that one side of an uplink owes the other."""
        loads = [self.ranks - 1]
        for switch in range(1, len(self.uplinks)):
            below = sum(self.machines for other in range(len(self.uplinks)) if self._hangs_below(other, switch))
            loads.append(below * (self.ranks - below))
        return max(loads)

    def peak_megabits(self) -> float:
        """Aggregate throughput that no all-to-all can beat, without any overhead, as in the papers (2007, section 3)."""
        return self.ranks * (self.ranks - 1) * self.rate_megabits / self.bottleneck_messages()

    def _hangs_below(self, switch: int | None, top: int) -> bool:
        while switch is not None:
            if switch == top:
                return True
            switch = self.uplinks[switch]
        return False


def networks() -> list[Network]:
    """(a), (b) and (c) of 2005; (1), (3) and (4) of 2007 are the same but for names.

    Sixteen machines instead of 24 and 32, and the single switch at a quarter of the speed: that is what two cores carry
    (docs/experiments.md, "What the cores carry").
    """
    return [
        Network("one-switch", "(a) one switch", (None,), papers_machines=24, machines=16, rate_megabits=25),
        Network("star", "(b) four switches in a star", (None, 0, 0, 0), papers_machines=8, machines=4, rate_megabits=100),
        Network("chain", "(c) four switches in a chain", (None, 0, 1, 2), papers_machines=8, machines=4, rate_megabits=100),
    ]
