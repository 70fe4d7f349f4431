"""How a fabric is laid out: leaves and spines are routers, each in a namespace. Pure arithmetic: nothing here touches the
system.

A machine has one interface, eth0, as in a tree. What it sends goes to its leaf, which has a route to every machine: to
those elsewhere by all cables on shortest ways (a multipath route), among which the kernel chooses by a hash of addresses
and ports, with another seed in every switch.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from .layout import NETWORK, fabric_namespace, hardware_address, machine_address, machine_namespace, require_addresses
from .topology import Fabric, Machine

_FIRST_SWITCH = NETWORK.num_addresses // 2  # of the addresses; those of machines come before


@dataclass(frozen=True)
class End:
    """One end of a cable."""

    node: int  # switches first, then machines
    interface: str
    hardware_address: str


@dataclass(frozen=True)
class Cable:
    lower: End
    upper: End
    bits_per_second: int


@dataclass(frozen=True)
class Hop:
    """A cable, from one of its ends: where a route may lead."""

    interface: str
    gateway: str  # address of the node at the other end
    hardware_address: str  # of that end
    node: int


@dataclass(frozen=True)
class FabricHost:
    machine: Machine
    namespace: str
    address: str
    hardware_address: str
    leaf: Hop  # the way out
    bits_per_second: int


@dataclass(frozen=True)
class Router:
    name: str
    namespace: str
    hash_seed: int
    hops: list[Hop]  # one for each cable
    routes: list[tuple[str, list[Hop]]]  # for the address of every machine: the cables on shortest ways


@dataclass(frozen=True)
class FabricLayout:
    fabric: str  # what all namespaces of the lab begin with; there is none of just this name
    hosts: list[FabricHost]  # in file order
    routers: list[Router]  # in file order
    cables: list[Cable]
    names: list[str]  # by node

    @property
    def namespaces(self) -> list[str]:
        return [router.namespace for router in self.routers] + [host.namespace for host in self.hosts]

    def namespace_of(self, node: int) -> str:
        return self.namespaces[node]


def lay_out_fabric(fabric: Fabric, lab: str, rate: int | None, draw: int) -> FabricLayout:
    """Lays a checked fabric out. `rate`, in bits per second, replaces the speed of the links; `draw` is what the seeds of
    the switches' hashes are drawn from."""
    require_addresses(2 * max(len(fabric.machines), len(fabric.switches)))
    cables = list(_cables(fabric, rate))
    hops: list[list[Hop]] = [[] for _ in range(len(fabric.switches) + len(fabric.machines))]
    for cable in cables:
        for here, there in ((cable.lower, cable.upper), (cable.upper, cable.lower)):
            address = _address(fabric, there.node)
            hops[here.node].append(Hop(here.interface, address, there.hardware_address, there.node))
    seeds = random.Random(draw)
    switches = len(fabric.switches)
    routes = _routes(fabric, hops)
    routers = [
        # A name of a machine begins with a letter or a digit.
        Router(switch.name, f"{fabric_namespace(lab)}.+{index}", seeds.randrange(1, 2**32), hops[index], routes[index])
        for index, switch in enumerate(fabric.switches)
    ]
    hosts = [
        FabricHost(
            machine,
            machine_namespace(lab, machine.name),
            _address(fabric, switches + index),
            cables[index].lower.hardware_address,
            hops[switches + index][0],
            rate or machine.speed,
        )
        for index, machine in enumerate(fabric.machines)
    ]
    names = [switch.name for switch in fabric.switches] + [machine.name for machine in fabric.machines]
    return FabricLayout(fabric_namespace(lab), hosts, routers, cables, names)


def _address(fabric: Fabric, node: int) -> str:
    switches = len(fabric.switches)
    return str(machine_address(node - switches) if node >= switches else NETWORK[_FIRST_SWITCH + node])


def _cables(fabric: Fabric, rate: int | None) -> Iterator[Cable]:
    """Those of machines first, in file order."""
    numbers = {switch.name: index for index, switch in enumerate(fabric.switches)}
    for index, machine in enumerate(fabric.machines):
        lower = End(len(numbers) + index, "eth0", hardware_address(0, machine_address(index)))
        upper = End(numbers[machine.switch], f"port{index}", hardware_address(1, machine_address(index)))
        yield Cable(lower, upper, rate or machine.speed)
    number = 0
    for index, switch in enumerate(fabric.switches):
        for above, speed in switch.uplinks:
            lower = End(index, f"up{number}", hardware_address(2, machine_address(number)))
            upper = End(numbers[above], f"down{number}", hardware_address(3, machine_address(number)))
            yield Cable(lower, upper, rate or speed)
            number += 1


def _routes(fabric: Fabric, hops: list[list[Hop]]) -> list[list[tuple[str, list[Hop]]]]:
    """By switch: for every machine all cables of it on shortest ways, over switches alone."""
    switches = len(fabric.switches)
    routes: list[list[tuple[str, list[Hop]]]] = [[] for _ in range(switches)]
    away: dict[int, list[int]] = {}  # by leaf: cables from there, by switch
    for index in range(len(fabric.machines)):
        machine = switches + index
        leaf = hops[machine][0].node
        if leaf not in away:
            away[leaf] = _cables_away(leaf, switches, hops)
        for switch in range(switches):
            if switch == leaf:
                ways = [hop for hop in hops[switch] if hop.node == machine]
            else:
                ways = [hop for hop in hops[switch] if hop.node < switches and away[leaf][hop.node] < away[leaf][switch]]
            routes[switch].append((_address(fabric, machine), ways))
    return routes


def _cables_away(leaf: int, switches: int, hops: list[list[Hop]]) -> list[int]:
    away = [switches] * switches
    away[leaf] = 0
    queue = deque([leaf])
    while queue:
        here = queue.popleft()
        for hop in hops[here]:
            if hop.node < switches and away[hop.node] > away[here] + 1:
                away[hop.node] = away[here] + 1
                queue.append(hop.node)
    return away
