"""How a torus is laid out: interfaces, addresses and routes. Pure arithmetic: nothing here touches the system.

Every machine is a network namespace and a router. Cables are veth pairs from machine to machine, a token bucket at both
ends. A machine's address belongs to eth0, which has no cable, so that there is one whichever cable a packet comes by.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from .layout import fabric_namespace, hardware_address, machine_address, machine_namespace, require_addresses
from .topology import Torus, TorusMachine


class Grid:
    """Coordinates and next hops, by the same rule as aapc: docs/torus.md, "Routes"."""

    def __init__(self, sides: list[int]) -> None:
        self.sides = sides
        self.machines = math.prod(sides)
        self._strides = [math.prod(sides[dimension + 1 :]) for dimension in range(len(sides))]

    def coordinate(self, machine: int, dimension: int) -> int:
        return machine // self._strides[dimension] % self.sides[dimension]

    def neighbour(self, machine: int, dimension: int, up: bool) -> int:
        side, here = self.sides[dimension], self.coordinate(machine, dimension)
        there = (here + (1 if up else -1)) % side
        return machine + (there - here) * self._strides[dimension]

    def next_hop(self, machine: int, destination: int) -> tuple[int, bool]:
        """The dimension and direction in which a packet leaves a machine that is not its destination."""
        for dimension in reversed(range(len(self.sides))):
            here, there = self.coordinate(machine, dimension), self.coordinate(destination, dimension)
            if here != there:
                return dimension, self._goes_up(self.sides[dimension], here, there)
        raise ValueError(f"machine {machine} is at its destination")

    @staticmethod
    def _goes_up(side: int, here: int, there: int) -> bool:
        upward = (there - here) % side
        if 2 * upward != side:
            return 2 * upward < side
        return 4 * here // side % 2 == 0  # half-way round: by the quarter of the ring

    def leads_up(self, machine: int, dimension: int, up: bool) -> bool:
        """Whether the cable in that direction is the machine's upward one; both directions have one cable on a side of 2."""
        return up if self.sides[dimension] > 2 else self.coordinate(machine, dimension) == 0


@dataclass(frozen=True)
class End:
    """One end of a cable."""

    machine: int
    interface: str
    hardware_address: str


@dataclass(frozen=True)
class Cable:
    lower: End
    upper: End  # next in its dimension


@dataclass(frozen=True)
class Route:
    destination: str  # address
    gateway: str  # address of the machine at the other end of the cable
    interface: str


@dataclass(frozen=True)
class Neighbour:
    """Who is at the other end of a cable, so that nobody has to ask."""

    address: str
    hardware_address: str
    interface: str


@dataclass(frozen=True)
class TorusHost:
    machine: TorusMachine
    namespace: str
    address: str
    hardware_address: str  # of eth0
    neighbours: list[Neighbour]
    routes: list[Route]  # to every other machine

    @property
    def interfaces(self) -> list[str]:
        """Those that have a cable."""
        return [neighbour.interface for neighbour in self.neighbours]


@dataclass(frozen=True)
class TorusLayout:
    fabric: str  # what all namespaces of the lab begin with; there is none of just this name
    hosts: list[TorusHost]  # row-major
    cables: list[Cable]
    bits_per_second: int

    @property
    def namespaces(self) -> list[str]:
        return [host.namespace for host in self.hosts]


def lay_out_torus(torus: Torus, lab: str, rate: int | None) -> TorusLayout:
    """Lays a checked torus out. `rate`, in bits per second, replaces the speed of the links."""
    require_addresses(len(torus.machines))
    grid = Grid(torus.sides)
    cables = list(_cables(grid))
    hosts = [_host(grid, cables, lab, index, machine) for index, machine in enumerate(torus.machines)]
    return TorusLayout(fabric_namespace(lab), hosts, cables, rate or torus.speed)


def _cables(grid: Grid) -> Iterator[Cable]:
    for machine in range(grid.machines):
        for dimension, side in enumerate(grid.sides):
            if side > 2 or (side == 2 and grid.leads_up(machine, dimension, True)):
                neighbour = grid.neighbour(machine, dimension, True)
                yield Cable(_end(machine, dimension, True), _end(neighbour, dimension, False))


def _end(machine: int, dimension: int, up: bool) -> End:
    address = hardware_address(1 + 2 * dimension + up, machine_address(machine))
    return End(machine, _interface(dimension, up), address)


def _interface(dimension: int, up: bool) -> str:
    return f"{'up' if up else 'down'}{dimension}"


def _host(grid: Grid, cables: list[Cable], lab: str, index: int, machine: TorusMachine) -> TorusHost:
    address = machine_address(index)
    ends = [(cable.lower, cable.upper) for cable in cables] + [(cable.upper, cable.lower) for cable in cables]
    neighbours = [
        Neighbour(str(machine_address(there.machine)), there.hardware_address, here.interface)
        for here, there in ends
        if here.machine == index
    ]
    routes = [_route(grid, index, destination) for destination in range(grid.machines) if destination != index]
    namespace = machine_namespace(lab, machine.name)
    return TorusHost(machine, namespace, str(address), hardware_address(0, address), neighbours, routes)


def _route(grid: Grid, machine: int, destination: int) -> Route:
    dimension, up = grid.next_hop(machine, destination)
    gateway = machine_address(grid.neighbour(machine, dimension, up))
    interface = _interface(dimension, grid.leads_up(machine, dimension, up))
    return Route(str(machine_address(destination)), str(gateway), interface)
